"""Roles as names say them."""

import numpy as np
import pytest

from regard.checker.roles import Weight, alike, gather, matrix, role, tokens, widened


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("c_attn.weight", "qkv"), ("qkv.weight", "qkv"), ("in_proj_weight", "qkv"), ("to_kv.weight", "kv"), ("W_q", "q"), ("query.weight", "q"),
        ("attn.k_proj.weight", "k"), ("heads.2.value.weight", "v"), ("c_proj.weight", "o"), ("out_proj.weight", "o"), ("wo", "o"), ("lin1.weight", None),
    ],
)  # fmt: skip
def test_names_say_roles(name: str, found: str | None) -> None:
    assert role(name) == found


def test_tokens_of_a_camel() -> None:
    assert tokens("attn.toQ.weight") == ["attn", "to", "q"]


def test_a_bias_belongs_to_the_weight_of_its_name() -> None:
    weights = {
        "W_q": np.ones((4, 4)),
        "b_q": np.arange(4.0),
        "out.weight": np.ones((4, 4)),
        "scale": np.ones(4),
    }
    found = gather(weights, dict.fromkeys(weights, "Mine"), list(weights))
    assert [w.name for w in found] == ["W_q", "out.weight"]
    assert found[0].bias is weights["b_q"]
    assert found[1].bias is None
    named = {"weight_qkv": np.ones((12, 4)), "bias_qkv": np.ones(12)}
    assert gather(named, dict.fromkeys(named, "Mine"), list(named))[0].bias is named["bias_qkv"]


def test_a_linear_is_read_from_in_to_out_and_a_free_matrix_by_its_width() -> None:
    value = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(matrix(Weight("a", value, "Linear", None), 4), value.T)
    assert np.array_equal(matrix(Weight("a", value, "Mine", None), 3), value)
    assert np.array_equal(matrix(Weight("a", value, "Mine", None), 4), value.T)


def test_a_bias_that_stands_alone_belongs_to_the_output() -> None:
    weights = {"W_q": np.ones((4, 4)), "W_o": np.ones((4, 4)), "bias": np.arange(4.0)}
    found = gather(weights, dict.fromkeys(weights, "Mine"), list(weights))
    assert found[0].bias is None
    assert found[1].bias is weights["bias"]


def test_a_bias_of_several_rows_is_no_weight() -> None:
    weights = {"w_in": np.ones((3, 4, 4)), "b_in": np.ones((3, 4))}
    assert [w.name for w in gather(weights, dict.fromkeys(weights, "Mine"), list(weights))] == ["w_in"]


def test_weights_that_differ_in_a_number_are_alike() -> None:
    names = ["a.0.x", "a.0.y", "a.1.x", "a.1.y", "out"]
    groups = alike([Weight(name, np.ones((2, 2)), "Mine", None) for name in names])
    assert [[w.name for w in group] for group in groups] == [["a.0.x", "a.1.x"], ["a.0.y", "a.1.y"], ["out"]]


def test_the_axis_of_the_input_comes_first() -> None:
    value = np.arange(24.0).reshape(3, 4, 2)
    assert np.array_equal(matrix(Weight("a", value, "Mine", None), 4), value.transpose(1, 0, 2).reshape(4, 6))
    square = np.arange(48.0).reshape(3, 4, 4)
    flipped = matrix(Weight("a", square, "Mine", None), 4, flip=True)
    assert np.array_equal(flipped, square.transpose(2, 0, 1).reshape(4, 12))


def test_without_a_width_the_longer_of_two_axes_is_the_inputs_and_of_equal_ones_the_first() -> None:
    heads = np.arange(24.0).reshape(2, 4, 3)
    assert np.array_equal(
        matrix(Weight("a", heads, "Mine", None), None), heads.transpose(1, 0, 2).reshape(4, 6)
    )
    for shape in ((4, 2, 3), (4, 4, 3)):
        value = np.arange(np.prod(shape)).reshape(shape)
        assert np.array_equal(matrix(Weight("a", value, "Mine", None), None), value.reshape(4, -1))


def test_a_narrow_output_projection_meets_the_mean_or_the_sum_of_the_heads() -> None:
    own = Weight("out.weight", np.arange(12.0).reshape(6, 2), "Linear", None)
    one, two = widened([own], {"heads": 3, "width": 6})
    heads = np.arange(6.0).reshape(3, 2)
    assert np.allclose(one[0][0].value @ heads.ravel(), own.value @ heads.mean(0))
    assert np.allclose(two[0][0].value @ heads.ravel(), own.value @ heads.sum(0))
    assert [more["merged"] for _, more in (one, two)] == ["the mean of the heads", "the sum of the heads"]
    assert widened([own], {"heads": 1, "width": 6}) == [([own], {})]


def test_small_projections_stand_once_for_every_head() -> None:
    own = Weight("query.weight", np.ones((2, 2)), "Linear", np.ones(2))
    (((found,), more),) = widened([own], {"heads": 3, "width": 6})
    assert found.bias is not None
    assert (found.value.shape, found.value.sum(), found.bias.shape, more) == (
        (6, 6),
        12,
        (6,),
        {"small": True},
    )
