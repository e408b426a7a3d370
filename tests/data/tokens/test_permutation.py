"""A permutation without memory: a bijection for every size, even, another for each seed and epoch."""

import numpy
import pytest

from regard.data.tokens.permutation import LARGEST, Permutation
from regard.errors import RegardError


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [range(1, 130), (1023, 1024, 1025, 4095, 4096, 4097, 100_003)])
def test_every_number_is_met_exactly_once(sizes) -> None:
    for size in sizes:
        for seed in (0, 7):
            found = Permutation(size, seed=seed)(numpy.arange(size))
            assert found.dtype == numpy.int64
            assert numpy.array_equal(numpy.sort(found), numpy.arange(size)), size


def test_each_place_alone_gives_what_all_give_together() -> None:
    shuffle = Permutation(977, seed=3, epoch=2)
    together = shuffle(numpy.arange(977))
    alone = [int(shuffle(numpy.array([place]))[0]) for place in range(977)]
    assert together.tolist() == alone
    assert shuffle(numpy.array([5, 5, 5])).tolist() == [alone[5]] * 3


@pytest.mark.slow
def test_where_a_number_goes_is_even_over_seeds() -> None:
    """Chi-square of 12 places over 2,000 seeds, for each number; and of the pairs that two neighbours make."""
    size, seeds = 12, 2000
    found = numpy.stack([Permutation(size, seed=seed)(numpy.arange(size)) for seed in range(seeds)])
    for number in range(size):
        counts = numpy.bincount(found[:, number], minlength=size)
        assert ((counts - seeds / size) ** 2 / (seeds / size)).sum() < 35, number  # 11 degrees: p < 0.0003
    pairs = numpy.bincount(found[:, 0] * size + found[:, 1], minlength=size * size)
    apart = ~numpy.eye(size, dtype=bool).ravel()
    assert not pairs[~apart].any()
    expected = seeds / (size * (size - 1))
    assert ((pairs[apart] - expected) ** 2 / expected).sum() < 185  # 131 degrees: p < 0.002


def test_neighbours_go_far_apart() -> None:
    """Of a shuffled text no stretch stays together: as many neighbours remain as chance leaves, about one."""
    size = 100_000
    found = Permutation(size, seed=1)(numpy.arange(size))
    assert (numpy.diff(found) == 1).sum() < 10
    assert abs(numpy.corrcoef(found, numpy.arange(size))[0, 1]) < 0.02


def test_seeds_and_epochs_differ() -> None:
    found = {
        tuple(Permutation(50, seed=seed, epoch=epoch)(numpy.arange(50)).tolist())
        for seed in range(20)
        for epoch in range(20)
    }
    assert len(found) == 400


def test_the_largest_size_is_permuted() -> None:
    found = Permutation(LARGEST, seed=5)(numpy.array([0, 1, LARGEST - 1]))
    assert len(set(found.tolist())) == 3 and found.min() >= 0 and found.max() < LARGEST


@pytest.mark.parametrize("size", [0, -1, LARGEST + 1])
def test_a_size_that_cannot_be_is_told(size: int) -> None:
    with pytest.raises(RegardError, match="so many numbers cannot be permuted"):
        Permutation(size)
