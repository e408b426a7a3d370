"""The red-green pictures are made by their recipe, to the pixel."""

from collections import Counter

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError
from regard.experiments.images.padding.pictures import red_green

COUNTS, SEEDS = st.integers(1, 40), st.integers(0, 2**32)


def corner(channel: torch.Tensor) -> tuple[int, int]:
    """Row and column of the only square of a channel; nothing else is lit."""
    lit = channel.nonzero()
    row, column = lit.amin(0).tolist()
    assert channel[row : row + 4, column : column + 4].sum() == 16 == len(lit)
    return row, column


@given(COUNTS, SEEDS, st.booleans())
def test_each_picture_follows_the_recipe(count: int, seed: int, swapped: bool) -> None:
    pictures, classes = red_green(count, seed=seed, swapped=swapped)
    assert pictures.shape == (count, 3, 32, 32) and pictures.dtype == torch.uint8
    assert classes.tolist() == [number % 2 for number in range(count)] and not pictures[:, 2].any()
    for picture, one in zip(pictures, classes.tolist(), strict=True):
        red, green = corner(picture[0]), corner(picture[1])
        left, right = (red, green) if one == 0 else (green, red)
        assert 0 <= left[1] <= 9 and left[1] + 5 <= right[1] <= 27
        first = 19 if one != swapped else 3
        assert all(first <= row <= first + 7 for row, _ in (left, right))


@given(COUNTS, SEEDS)
def test_the_swapped_pictures_are_the_same_in_the_other_half(count: int, seed: int) -> None:
    learnt, tested = (red_green(count, seed=seed, swapped=swapped)[0] for swapped in (False, True))
    assert torch.equal(tested, learnt.roll(16, 2))


@pytest.mark.slow
def test_columns_are_drawn_as_often_as_by_drawing_again() -> None:
    """Amsterdam A2's way: draw the right column from the left one on, again until they are 5 apart."""
    random = numpy.random.default_rng(7)
    expected: Counter[int] = Counter()
    for _ in range(6000):
        left = right = int(random.integers(0, 10))
        while right - left < 5:
            right = int(random.integers(left, 28))
        expected[right] += 1
    pictures, _ = red_green(6000, seed=3)
    found = Counter(max(corner(one[0])[1], corner(one[1])[1]) for one in pictures)
    # Two samples of 6000: a count of 300 differs by some 25.
    assert all(abs(found[column] - expected[column]) < 110 for column in range(5, 28))
    assert set(found) == set(expected) == set(range(5, 28))


def test_2000_pictures_are_1900_different_ones() -> None:
    pictures, _ = red_green(2000, seed=42)
    assert 1870 < len({one.numpy().tobytes() for one in pictures}) < 1930


def test_no_pictures_are_refused() -> None:
    with pytest.raises(RegardError) as raised:
        red_green(0, seed=1)
    assert str(raised.value) == "no pictures were asked for\n  got: count=0\n  fix: pass a count of 1 or more"
