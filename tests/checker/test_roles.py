"""Weights by role: by name, then by shape."""

import numpy as np
import pytest

from regard.checker.bench import Unfit
from regard.checker.roles import frames, gather, role, tokens

FACTS = {"heads": 3, "width": 24, "causal": True}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("c_attn.weight", "qkv"), ("qkv.weight", "qkv"), ("in_proj_weight", "qkv"), ("to_kv.weight", "kv"), ("W_q", "q"), ("query.weight", "q"),
        ("attn.k_proj.weight", "k"), ("heads.2.value.weight", "v"), ("c_proj.weight", "o"), ("out_proj.weight", "o"), ("wo", "o"), ("lin1.weight", None),
    ],
)  # fmt: skip
def test_names_say_roles(name: str, found: str | None) -> None:
    assert role(name) == found


def drawn(*shapes: tuple[str, tuple[int, ...], str]) -> list:
    rng = np.random.default_rng(0)
    weights = {name: rng.standard_normal(shape) for name, shape, _ in shapes}
    return gather(weights, {name: owner for name, _, owner in shapes}, list(weights))


def test_a_linear_is_transposed_and_its_bias_found() -> None:
    weights = drawn(
        *[
            (f"{r}_proj.{p}", (24, 24) if p == "weight" else (24,), "Linear")
            for r in "qkvo"
            for p in ("weight", "bias")
        ]
    )
    frame = frames(weights, thirds=None, said={}, facts=FACTS)[0]
    assert np.array_equal(frame["wq"], weights[0].value.T)
    assert np.array_equal(frame["bk"], weights[1].bias)
    assert frame.notes == (
        "q = q_proj.weight, k = k_proj.weight, v = v_proj.weight, o = o_proj.weight (by name)",
    )


def test_the_order_of_a_fused_projection_is_that_of_the_assignment() -> None:
    weights = drawn(("c_attn.weight", (72, 24), "Linear"), ("c_proj.weight", (24, 24), "Linear"))
    frame = frames(weights, thirds=("k", "q", "v"), said={}, facts=FACTS)[0]
    assert np.array_equal(frame["wk"], weights[0].value[:24].T)
    assert np.array_equal(frame["wq"], weights[0].value[24:48].T)


def test_without_names_every_assignment_is_a_reading() -> None:
    weights = drawn(*[(f"lin{i}.weight", (24, 24), "Linear") for i in range(4)])
    assert len(frames(weights, thirds=None, said={}, facts=FACTS)) == 24


def test_the_person_has_the_last_word() -> None:
    weights = drawn(*[(f"lin{i}.weight", (24, 24), "Linear") for i in range(4)])
    said = {"q": "lin3", "k": "lin2", "v": "lin1", "o": "lin0"}
    frame = frames(weights, thirds=None, said=said, facts=FACTS)[0]
    assert np.array_equal(frame["wq"], weights[3].value.T)
    with pytest.raises(Unfit, match="begins with 'lin9'"):
        frames(weights, thirds=None, said={"q": "lin9"}, facts=FACTS)


def test_too_little_to_read_is_told() -> None:
    with pytest.raises(Unfit, match="no queries, keys and values"):
        frames(drawn(("lin.weight", (24, 24), "Linear")), thirds=None, said={}, facts=FACTS)


def test_tokens_of_a_camel() -> None:
    assert tokens("attn.toQ.weight") == ["attn", "to", "q"]
