"""Transformation, attention vector and bias in the layouts people use."""

import numpy as np
import pytest

from regard.checker.contracts.graph.gat.roles import attention_like, frames, matrix, vectors
from regard.checker.workbench import Unfit


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a", True),
        ("att_src", True),
        ("attn.weight", True),
        ("attn_l", True),
        ("W", False),
        ("lin.weight", False),
        ("bias", False),
    ],
)
def test_names_speak_of_attention(name: str, found: bool) -> None:
    assert attention_like(name) is found


def test_layouts_of_a_transformation() -> None:
    rng = np.random.default_rng(0)
    w = rng.standard_normal((10, 3, 4))
    for value, owner in (
        (w.reshape(10, 12), "Layer"),
        (w.reshape(10, 12).T, "Linear"),
        (w.transpose(1, 0, 2), "Layer"),
        (w, "Layer"),
        (w.reshape(10, 12).T[..., None], "Conv1d"),
    ):
        found = matrix("w", value, owner, 10, 3)
        assert found is not None
        assert np.array_equal(found, w)


def test_layouts_of_attention_vectors() -> None:
    a = np.arange(24.0).reshape(3, 8)
    for value in (a, a[None], a[..., None], a.T):
        assert np.array_equal(vectors(value, 3, 8), a)
    assert np.array_equal(vectors(a[0], 3, 8), np.repeat(a[:1], 3, 0))
    assert vectors(np.zeros(5), 3, 8) is None


def test_the_first_half_belongs_to_the_node_itself_unless_names_say_otherwise() -> None:
    rng = np.random.default_rng(0)
    whole = {"W": rng.standard_normal((10, 12)), "a": rng.standard_normal((3, 8))}
    frame = frames(whole, dict.fromkeys(whole, "Layer"), width=10, heads=3, said={})[0]
    assert np.array_equal(frame["target"], whole["a"][:, :4])
    named = {
        "W": whole["W"],
        "att_src": rng.standard_normal((1, 3, 4)),
        "att_dst": rng.standard_normal((1, 3, 4)),
    }
    frame = frames(named, dict.fromkeys(named, "Layer"), width=10, heads=3, said={})[0]
    assert np.array_equal(frame["source"], named["att_src"][0])


def test_a_layer_without_a_vector_is_told() -> None:
    with pytest.raises(Unfit, match="no attention vector"):
        frames({"W": np.zeros((10, 12))}, {"W": "Layer"}, width=10, heads=3, said={})


def test_a_vector_as_long_as_both_ends_scores_whatever_it_is_called() -> None:
    rng = np.random.default_rng(0)
    weights = {"projektion.weight": rng.standard_normal((4, 10)), "vektor": rng.standard_normal(8)}
    owners = {"projektion.weight": "Linear", "vektor": "Layer"}
    frame = frames(weights, owners, width=10, heads=1, said={})[0]
    assert np.array_equal(frame["target"], weights["vektor"][None, :4])
    assert np.array_equal(frame["source"], weights["vektor"][None, 4:])
    assert np.array_equal(frame["bias"], np.zeros(1))


@pytest.mark.parametrize("size", [12, 4])
def test_a_bias_beside_lists_of_heads_is_added_to_them_all(size: int) -> None:
    rng = np.random.default_rng(0)
    weights = {f"proj.{i}.weight": rng.standard_normal((4, 10)) for i in range(3)}
    weights |= {f"attn.{i}.weight": rng.standard_normal((1, 8)) for i in range(3)}
    owners = dict.fromkeys(weights, "Linear")
    assert np.array_equal(frames(weights, owners, width=10, heads=3, said={})[0]["bias"], np.zeros(1))
    bias = rng.standard_normal(size)
    found = frames(weights | {"bias": bias}, owners | {"bias": "Layer"}, width=10, heads=3, said={})
    assert all(np.array_equal(frame["bias"], bias) for frame in found)
