"""The figures show what they are given."""

import pytest
import torch

from regard.experiments.images.pixels.figures import draw_changes, draw_filter, draw_looks, draw_places
from regard.lab.book.style import picture


@pytest.mark.slow
def test_whole_patches_are_marked_and_every_model_has_its_lines() -> None:
    shifts = {"a": {0: 0.9, 4: 0.5, 8: 0.1}, "b": {0: 0.8, 4: 0.7, 8: 0.6}}
    figure = draw_changes(shifts, {"a": {0: 0.9, 90: 0.2}, "b": {0: 0.8, 90: 0.1}}, 4)
    left, right = figure.axes
    assert [len(axis.lines) for axis in (left, right)] == [4, 2]
    assert list(left.lines[1].get_ydata()) == [0.8, 0.7, 0.6] and left.lines[3].get_xdata()[0] == 8
    assert picture(figure)


def test_heads_are_shown_from_the_marked_patch() -> None:
    weights = torch.zeros(2, 6, 6)
    weights[1, 4, 5] = 1.0
    figure = draw_looks(torch.zeros(8, 12), [weights, weights], 4, (2, 3))
    assert len(figure.axes) == 6
    shown = figure.axes[2].images[0].get_array()
    assert (
        shown.shape == (2, 3)
        and shown[1, 2] == 1.0
        and float(figure.axes[1].images[0].get_array().sum()) == 0
    )
    mark = figure.axes[0].patches[0]
    assert mark.get_xy() == (1 * 4 - 0.5, 1 * 4 - 0.5) and mark.get_width() == 4


def test_a_place_is_like_itself() -> None:
    figure = draw_places(torch.randn(9, 5), torch.randn(2, 3, 3), (3, 3))
    alike = figure.axes[2].images[0].get_array()
    assert abs(float(alike[1, 1]) - 1) < 1e-6


@pytest.mark.slow
def test_a_filter_is_drawn_with_its_nine_heads() -> None:
    maps = torch.randn(9, 5, 5)
    figure = draw_filter(torch.zeros(5, 5), torch.randn(3, 3), maps, maps.sum(0), maps.sum(0))
    assert len(figure.axes) == 4 + 9 and figure.axes[5].get_title() == "nine heads"
    assert figure.axes[2].images[0].get_clim() == figure.axes[12].images[0].get_clim()
