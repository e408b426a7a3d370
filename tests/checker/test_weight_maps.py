"""Readings of weights: by name, then by shape."""

import numpy as np
import pytest

from regard.checker.roles import Weight, gather
from regard.checker.weight_maps import frames
from regard.checker.workbench import Unfit

FACTS = {"heads": 3, "width": 24, "causal": True}
GROUPED = {"heads": 6, "width": 24, "causal": True}


def drawn(*shapes: tuple[str, tuple[int, ...], str]) -> list[Weight]:
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


def test_what_the_assignment_of_a_fused_projection_calls_k_may_be_the_query() -> None:
    weights = drawn(("c_attn.weight", (72, 24), "Linear"), ("c_proj.weight", (24, 24), "Linear"))
    frame = frames(weights, thirds=("k", "q", "v"), said={}, facts=FACTS)[-1]
    assert "q-k-swapped" in frame.conventions
    assert np.array_equal(frame["wq"], weights[0].value[:24].T)


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


def test_a_word_about_some_of_the_weights_is_heard() -> None:
    weights = drawn(*[(f"lin{i}.weight", (24, 24), "Linear") for i in range(4)])
    by_name = {w.name.removesuffix(".weight"): w.value.T for w in weights}
    found = frames(weights, thirds=None, said={"q": "lin3", "k": "lin1"}, facts=FACTS)
    plain = [frame for frame in found if "q-k-swapped" not in frame.conventions]
    assert len(plain) == 2 and len(found) == 4
    for frame in plain:
        assert np.array_equal(frame["wq"], by_name["lin3"])
        assert np.array_equal(frame["wk"], by_name["lin1"])
    assert len(frames(weights, thirds=None, said={"o": "lin0"}, facts=FACTS)) == 6


def test_a_word_about_a_weight_that_holds_several_roles_is_heard() -> None:
    weights = drawn(("a.weight", (24, 24), "Linear"), ("b.weight", (48, 24), "Linear"), ("c.weight", (24, 24), "Linear"))  # fmt: skip
    frame, _ = frames(weights, thirds=None, said={"q": "c"}, facts=FACTS)
    assert np.array_equal(frame["wq"], weights[2].value.T)
    fused = drawn(("c_attn.weight", (72, 24), "Linear"), ("c_proj.weight", (24, 24), "Linear"))
    assert len(frames(fused, thirds=None, said={"q": "c_attn"}, facts=FACTS)) == 54
    named = frames(fused, thirds=("k", "q", "v"), said={"k": "c_attn"}, facts=FACTS)
    assert "q-k-swapped" in named[-1].conventions


def test_names_that_were_said_may_still_be_exchanged_and_it_is_told() -> None:
    weights = drawn(*[(f"lin{i}.weight", (24, 24), "Linear") for i in range(4)])
    said = {"q": "lin3", "k": "lin2", "v": "lin1", "o": "lin0"}
    found = frames(weights, thirds=None, said=said, facts=FACTS)
    assert [frame.conventions for frame in found] == [(), ("q-k-swapped",)]


def test_a_word_that_no_reading_bears_out_is_refused() -> None:
    weights = drawn(("c_attn.weight", (72, 24), "Linear"), ("c_proj.weight", (24, 24), "Linear"))
    with pytest.raises(Unfit) as caught:
        frames(weights, thirds=None, said={"q": "c_proj", "k": "c_attn"}, facts=FACTS)
    assert caught.value.sentence == (
        "the weights cannot be read with q = c_proj, k = c_attn "
        "(c_attn.weight (72, 24), c_proj.weight (24, 24))"
    )
    assert caught.value.remedy == "say which is which of all: --map q=NAME,k=NAME,v=NAME,o=NAME"


def test_too_little_to_read_is_told() -> None:
    with pytest.raises(Unfit, match="no queries, keys and values"):
        frames(drawn(("lin.weight", (24, 24), "Linear")), thirds=None, said={}, facts=FACTS)


def test_fewer_keys_than_queries_may_follow_each_other_in_one_weight() -> None:
    weights = drawn(("qkv.weight", (48, 24), "Linear"), ("proj.weight", (24, 24), "Linear"))
    whole = weights[0].value.T
    first, *_ = frames(weights, thirds=None, said={}, facts=GROUPED)
    assert np.array_equal(first["wq"], whole[:, :24])
    assert np.array_equal(first["wk"], whole[:, 24:36])
    assert np.array_equal(first["wv"], whole[:, 36:])
    (named, *_) = frames(weights, thirds=("k", "v", "q"), said={}, facts=GROUPED)
    assert np.array_equal(named["wk"], whole[:, :12])
    assert np.array_equal(named["wq"], whole[:, 24:])


def test_each_group_may_hold_its_queries_a_key_and_a_value() -> None:
    weights = drawn(("qkv.weight", (48, 24), "Linear"), ("proj.weight", (24, 24), "Linear"))
    last = frames(weights, thirds=None, said={}, facts=GROUPED)[-1]
    groups = weights[0].value.T.reshape(24, 3, 4, 4)
    assert np.array_equal(last["wq"], groups[:, :, :2].reshape(24, 24))
    assert np.array_equal(last["wk"], groups[:, :, 2].reshape(24, 12))
    assert np.array_equal(last["wv"], groups[:, :, 3].reshape(24, 12))
    assert last.conventions == ("fused-order",)


def test_queries_and_keys_of_different_number_cannot_be_exchanged() -> None:
    sizes = {"q": 24, "k": 12, "v": 12, "o": 24}
    weights = drawn(*[(f"{r}_proj.weight", (size, 24), "Linear") for r, size in sizes.items()])
    assert len(frames(weights, thirds=None, said={}, facts=GROUPED)) == 1
    sizes["k"] = sizes["v"] = 24
    weights = drawn(*[(f"{r}_proj.weight", (size, 24), "Linear") for r, size in sizes.items()])
    assert [f.conventions for f in frames(weights, thirds=None, said={}, facts=FACTS)] == [
        (),
        ("q-k-swapped",),
    ]


def test_a_list_of_heads_is_read_without_names() -> None:
    names = [f"heads.{i}.{word}.weight" for i in range(3) for word in ("frage", "schluessel", "wert")]
    weights = drawn(*[(name, (8, 24), "Linear") for name in names], ("ausgang.weight", (24, 24), "Linear"))
    first, *_ = found = frames(weights, thirds=None, said={}, facts=FACTS)
    assert len(found) == 24
    values = {w.name: w.value for w in weights}
    wanted = np.concatenate([values[f"heads.{i}.schluessel.weight"].T for i in range(3)], axis=1)
    assert np.array_equal(first["wk"], wanted)
    assert np.array_equal(first["wo"], values["ausgang.weight"].T)


def test_three_matrices_may_be_stacked_in_one_weight_either_way_round() -> None:
    weights = drawn(("w_in", (3, 24, 24), "Mine"), ("b_in", (3, 24), "Mine"), ("w_out", (24, 24), "Mine"))
    found = frames(weights, thirds=("q", "k", "v"), said={}, facts=FACTS)
    assert np.array_equal(found[0]["wk"], weights[0].value[1])
    assert weights[0].bias is not None
    assert np.array_equal(found[0]["bv"], weights[0].bias[2])
    assert any(np.array_equal(frame["wk"], weights[0].value[1].T) for frame in found)


def test_a_weight_with_an_axis_for_each_of_roles_and_heads() -> None:
    weights = drawn(
        ("to_qkv", (24, 3, 3, 8), "Mine"), ("to_out", (3, 8, 24), "Mine"), ("bias", (24,), "Mine")
    )
    frame = frames(weights, thirds=("q", "k", "v"), said={}, facts=FACTS)[0]
    assert np.array_equal(frame["wk"], weights[0].value[:, 1].reshape(24, 24))
    assert np.array_equal(frame["wo"], weights[1].value.reshape(24, 24))
    assert frame["bo"] is not None
    assert np.array_equal(frame["bo"], weights[1].bias)


def test_a_fused_weight_that_no_number_of_heads_divides_is_no_reading() -> None:
    weights = drawn(("qkv.weight", (75, 25), "Linear"), ("proj.weight", (25, 25), "Linear"))
    with pytest.raises(Unfit, match="no queries, keys and values"):
        frames(weights, thirds=None, said={}, facts=FACTS | {"width": 25})


def test_keys_and_values_may_share_a_weight_by_name_or_by_shape() -> None:
    for names in (("query", "key_value", "output"), ("a", "b", "c")):
        shapes = ((24, 24), (48, 24), (24, 24))
        weights = drawn(
            *[(f"{name}.weight", shape, "Linear") for name, shape in zip(names, shapes, strict=True)]
        )
        first, *others = frames(weights, thirds=None, said={}, facts=FACTS)
        assert np.array_equal(first["wq"], weights[0].value.T)
        assert np.array_equal(first["wk"], weights[1].value[:24].T)
        assert np.array_equal(first["wv"], weights[1].value[24:].T)
        assert np.array_equal(first["wo"], weights[2].value.T)
        # By shape alone either square may be the output, and the pair may hold queries and keys; all of it head by head.
        assert len(others) == (7 if names[0] == "a" else 1)
        byhead = weights[1].value.reshape(FACTS["heads"], 2, -1, 24)
        assert np.array_equal(others[0]["wk"], byhead[:, 0].reshape(24, 24).T)
        assert others[0].conventions == ("fused-order",)


def test_queries_and_keys_may_share_a_weight_in_the_order_of_their_assignment() -> None:
    shapes = {"qk": (48, 24), "v": (24, 24), "out": (24, 24)}
    weights = drawn(*[(f"{name}.weight", shape, "Linear") for name, shape in shapes.items()])
    first = frames(weights, thirds=None, said={}, facts=FACTS | {"halves": ("k", "q")})[0]
    assert np.array_equal(first["wq"], weights[0].value[24:].T)
    assert np.array_equal(first["wv"], weights[1].value.T)


@pytest.mark.parametrize("outputs_first", [True, False])
def test_an_output_matrix_lies_as_the_fused_one_beside_it(outputs_first: bool) -> None:
    shape = (72, 24) if outputs_first else (24, 72)
    weights = drawn(("weight_qkv", shape, "Mine"), ("weight_out", (24, 24), "Mine"))
    first = frames(weights, thirds=("q", "k", "v"), said={}, facts=FACTS)[0]
    assert np.array_equal(first["wo"], weights[1].value.T if outputs_first else weights[1].value)


def test_what_each_head_writes_by_a_matrix_of_its_own_adds_up() -> None:
    shapes = {"P": (24, 8), "S": (24, 8), "T": (24, 8), "U": (8, 24)}
    weights = drawn(
        *[(f"{name}.{head}", shape, "ParameterList") for name, shape in shapes.items() for head in range(3)]
    )
    frame = frames(weights, thirds=None, said={}, facts=FACTS)[0]
    assert np.array_equal(frame["wv"], np.concatenate([w.value for w in weights[6:9]], axis=1))
    assert np.array_equal(frame["wo"], np.concatenate([w.value for w in weights[9:]], axis=0))


def test_four_matrices_may_lie_in_one_weight() -> None:
    (stack,) = weights = drawn(("W", (4, 24, 24), "Mine"))
    first = frames(weights, thirds=None, said={}, facts=FACTS)[0]
    assert [
        np.array_equal(first[f"w{role}"], one) for role, one in zip("qkvo", stack.value, strict=True)
    ] == [True] * 4
