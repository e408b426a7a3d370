"""How a layer's heads and width are found."""

import numpy as np
import pytest

from regard.checker.arguments import Built
from regard.checker.bench import Bench, Made
from regard.checker.contracts.attention_layer import (
    HEADS,
    KEYS,
    SEQUENCE,
    WIDTH,
    changed,
    heads_of,
    output,
    tokens,
    width_of,
)
from regard.checker.reading import Source


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
        Built({}, meant),
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
    assert heads_of(Bench(Nobody(), {}, [], Source(""), said), made(weights, numbers, meant)) == heads


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
