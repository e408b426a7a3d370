"""How a layer's heads and width are found."""

import numpy as np
import pytest

from regard.checker.contracts.attention.layer import (
    HEADS,
    KEYS,
    SEQUENCE,
    WIDTH,
    changed,
    heads_of,
    known,
    output,
    sequence_first,
    tokens,
    width_of,
)
from regard.checker.reading.arguments import Built
from regard.checker.reading.source import Source
from regard.checker.workbench import Made, Workbench


def made(weights: dict, numbers: dict, meant: dict) -> Made:
    owners = dict.fromkeys(weights, "Linear")
    return Made(
        1,
        {n: np.zeros(s) for n, s in weights.items()},
        owners,
        list(weights),
        numbers,
        {},
        [],
        True,
        Built(dict.fromkeys(meant.values(), HEADS), meant),
    )


class Nobody:
    def ask(self, verb, *values, **named):
        raise AssertionError


@pytest.mark.parametrize(
    ("weights", "numbers", "meant", "said", "heads"),
    [
        ({}, {}, {"heads": "n_head"}, {}, HEADS),
        ({}, {"n_head": 4}, {}, {}, 4),
        ({"heads.0.key.weight": (8, 24), "heads.1.key.weight": (8, 24)}, {}, {}, {}, 2),
        ({"key.weight": (24, 24)}, {}, {}, {}, 1),
        ({}, {"n_head": 4}, {}, {"heads": "6"}, 6),
    ],
)
def test_heads_are_as_asked_or_as_it_says(
    weights: dict, numbers: dict, meant: dict, said: dict, heads: int
) -> None:
    bench = Workbench(Nobody(), {"name": "A", "parameters": []}, [], Source(""), said)
    assert heads_of(bench, made(weights, numbers, meant)) == heads


LAYER = "class Layer:\n    def __init__(self, width, heads, n_kv_heads=1): ..."


def test_a_layer_that_speaks_of_key_heads_gets_several_groups_of_several() -> None:
    plain, grouped = (
        known(Workbench(Nobody(), {"name": "Layer"}, [], Source(text)))
        for text in (LAYER.replace("n_kv_heads", "depth"), LAYER)
    )
    assert "key_heads" not in plain
    group = grouped["heads"] // grouped["key_heads"]
    assert group > 1
    assert grouped["key_heads"] > 1
    assert group != grouped["key_heads"], "tiled and grouped heads must differ in more than their order"
    assert grouped["head_width"] * grouped["heads"] == grouped["width"]


@pytest.mark.parametrize(
    ("words", "turned"),
    [
        ("x is (seq, batch, dim)", True),
        ("x: (T, B, C)", True),
        ("sequence-first, as torch has it", True),
        ("x is (batch, seq, dim)", False),
        ("x: (B, T, C)", False),
    ],
)
def test_words_say_which_axis_comes_first(words: str, turned: bool) -> None:
    source = Source(f'class Layer:\n    """{words}"""\n')
    assert sequence_first(Workbench(Nobody(), {"name": "Layer"}, [], source)) is turned


def test_the_width_may_come_from_elsewhere_in_the_file() -> None:
    assert width_of(made({"key.weight": (8, 30)}, {}, {})) == 30
    assert width_of(made({"key.weight": (8, 30)}, {}, {"width": "dim"})) == WIDTH


def test_sizes_are_pairwise_different() -> None:
    case = tokens(np.random.default_rng(0))
    assert len({*case["query"].shape, KEYS, HEADS, WIDTH // HEADS}) == 6
    assert case["query"].shape[1] == SEQUENCE


def test_only_later_tokens_change() -> None:
    rng = np.random.default_rng(0)
    case = tokens(rng)
    other = changed(case, 3, rng)
    assert np.array_equal(case["query"][:, :3], other["query"][:, :3])
    assert not np.isclose(case["query"][:, 3:], other["query"][:, 3:]).any()


def test_the_output_is_the_array_of_the_querys_shape() -> None:
    case = tokens(np.random.default_rng(0))
    wanted = np.ones(case["query"].shape)
    assert output([np.zeros((2, 3, 7, 7)), wanted], case) is wanted
    assert output(wanted, case) is wanted
    turned = np.ones((SEQUENCE, 2, WIDTH))
    assert output([np.zeros(3), turned], case, lambda x: x.swapaxes(0, 1)).shape == case["query"].shape
