from math import sqrt

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from regard.experiments.text.exactness.machine import Chip, block_of, crossing, standard, tiled


@given(some.integers(1, 23), some.integers(300, 4000))
def test_tiled_attention_is_the_softmax_and_moves_what_the_formula_says(n: int, room: int) -> None:
    q, k, v = torch.randn(3, n, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(n))
    chip = Chip(room=room)
    torch.testing.assert_close(tiled(q, k, v, chip), (q @ k.mT / sqrt(5)).softmax(-1) @ v)
    assert chip.crossed == crossing(n, 5, room) and chip.held == 0 and chip.most <= room


@given(some.integers(300, 100_000), some.integers(1, 64))
def test_the_block_is_the_largest_that_fits(room: int, width: int) -> None:
    def need(block: int) -> int:
        return 4 * block * width + 2 * block + block**2

    block = block_of(room, width)
    assert need(block) <= room < need(block + 1)


def test_a_chip_refuses_what_does_not_fit() -> None:
    with pytest.raises(AssertionError, match="the chip is full"):
        Chip(room=3).load(torch.zeros(4))


def test_step_by_step_scores_and_weights_go_out_and_come_back() -> None:
    # Q, K, V and the output of 3 rows of 5; 9 scores and 9 weights, each written and read.
    assert standard(3, 5) == 4 * 15 + 2 * 9 + 2 * 9
