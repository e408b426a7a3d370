"""What borders do: counted by hand, by loops, and by drawing pictures."""

import numpy
import pytest
import torch

from regard.experiments.images.padding.borders import (
    best_by_order,
    change,
    columns,
    first_response,
    in_one_window,
    lone,
    missing,
    moved,
    responses,
    seen_together,
    told_by_place,
    unmet,
)
from regard.experiments.images.padding.networks import BORDERS, Net1
from regard.experiments.images.padding.pictures import red_green


def test_a_corner_lacks_five_pixels_and_an_edge_three() -> None:
    found = missing(7)
    assert found[0, 0] == found[-1, -1] == 5 and found[0, 3] == found[3, -1] == 3 and found[3, 3] == 0


def test_unmet_pixels_of_zeros_are_counted_by_hand() -> None:
    for name, pixels in (("valid", 0), ("sconv", 1), ("fconv", 2)):
        found = unmet(BORDERS[name], 9)
        for row in range(3):
            for column in range(3):
                # Output y reads input y + row − pixels, and y goes from 0 to 9 + 2·pixels − 3.
                rows = {y + row - pixels for y in range(9 + 2 * pixels - 2)} & set(range(9))
                columns = {x + column - pixels for x in range(9 + 2 * pixels - 2)} & set(range(9))
                assert int(found[row, column].sum()) == 81 - len(rows) * len(columns)
    assert not any(unmet(BORDERS[name], 9).any() for name in ("fconv", "circular", "reflect", "replicate"))


def test_the_pattern_is_everywhere_once() -> None:
    pictures = moved()
    assert pictures.shape == (29, 23, 3, 32, 32)
    assert torch.equal(pictures.sum((2, 3, 4)), torch.full((29, 23), 32.0, dtype=torch.float64))
    assert torch.equal(pictures[11, 7], pictures[0, 0].roll((11, 7), (1, 2)))


@pytest.mark.slow
def test_only_full_convolution_is_the_same_eight_pixels_on() -> None:
    torch.manual_seed(0)
    pictures = moved()[::4, ::4]
    for name, border in BORDERS.items():
        maps, scores = responses(Net1(border), pictures)
        assert maps.shape == (8, 6, 64) and scores.shape == (8, 6)
        # Of every fourth place, the second next is eight pixels on.
        assert (change(maps, 2) < 1e-12) == (name == "fconv")
        assert change(maps, 1) > 1e-3, "half of the way the strides leave a ripple"


@pytest.mark.slow
def test_the_best_by_order_is_that_of_drawn_pictures() -> None:
    """By drawing: windows see both squares or not (filters of ones find out), and else columns modulo 8 are compared."""
    pictures, _ = red_green(1200, seed=1)
    together = seen_together(BORDERS["fconv"], pictures)
    columns = pictures[:, :2].amax(2).argmax(2) % 8
    red, green = columns[:, 0].numpy(), columns[:, 1].numpy()
    red_left = numpy.arange(1200) % 2 == 0
    # Each pair of rests is seen from both sides, so that the guess is learnt from twice as many pictures.
    counts = numpy.zeros((8, 8))
    apart = ~together.numpy()
    numpy.add.at(
        counts, (numpy.where(red_left, red, green)[apart], numpy.where(red_left, green, red)[apart]), 1
    )
    guessed = numpy.maximum(counts, counts.T).sum() / 2
    assert 100 * (together.sum().item() + guessed) / 1200 == pytest.approx(best_by_order(), abs=3.5)
    assert best_by_order() == pytest.approx(87.238, abs=0.001)


def test_the_first_response_has_four_pixels_inside() -> None:
    inside, outside = first_response()
    assert inside == ["h₋₋ g₂₂", "h₋₀ g₂₁", "h₀₋ g₁₂", "h₀₀ g₁₁"]
    assert [term[-3:] for term in outside] == ["g₂₀", "g₁₀", "g₀₂", "g₀₁", "g₀₀"]


def test_windows_of_columns_are_the_windows_of_filters() -> None:
    pictures, _ = red_green(60, seed=3)
    places = columns(pictures)
    assert (places[:, 0] + 5 <= places[:, 1]).all() and places[:, 0].max() <= 9
    assert torch.equal(in_one_window(*places.unbind(1)), seen_together(BORDERS["fconv"], pictures))


def test_only_full_convolution_says_the_same_of_both_sides_and_both_bands() -> None:
    torch.manual_seed(0)
    squares = lone()
    assert {name: one.shape for name, one in squares.items()} == dict.fromkeys(squares, (16, 3, 32, 32))
    assert squares["right"][5].sum() == 16 and torch.equal(
        squares["left"][12].roll(20, 2), squares["right"][12]
    )
    assert torch.equal(squares["upper"][3].roll(16, 1), squares["lower"][3])
    for name in ("fconv", "valid"):
        told = told_by_place(Net1(BORDERS[name]), squares)
        assert (max(map(abs, told)) < 1e-12) == (name == "fconv")
