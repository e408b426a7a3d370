"""The figures show what they are given."""

import pytest
import torch

from regard.experiments.images.unet.figures import draw_curves, draw_segmentations, draw_shifts, draw_skips
from regard.experiments.images.unet.scenes import make_scenes
from regard.lab.book.style import picture


@pytest.mark.slow
def test_a_line_for_each_seed_and_the_rule_of_one_pixel() -> None:
    losses = {"a": [[2.0] * 12, [1.0] * 12], "b": [[3.0] * 12] * 2}
    rises = {name: [[(6, 0.5), (12, 0.7)]] * 2 for name in losses}
    figure = draw_curves(losses, rises, 0.4)
    left, right = figure.axes
    assert [len(axis.lines) for axis in (left, right)] == [4, 5] and right.lines[-1].get_ydata()[0] == 0.4
    assert list(left.lines[0].get_xdata()) == [10, 11, 12] and left.lines[1].get_ydata()[0] == 1.0
    assert picture(figure)


def test_errors_are_shown_where_a_network_is_wrong() -> None:
    scenes = make_scenes(8, size=(9, 11))
    truth = scenes.whole("test")[1]
    wrong = truth.clone()
    wrong[0, 2, 3] = (wrong[0, 2, 3] + 1) % 4
    figure = draw_segmentations(scenes, {"right": truth, "wrong by one": wrong}, (0, 1))
    shown = [axis.images[0].get_array() for axis in figure.axes]
    assert [axis.get_title(loc="left") for axis in figure.axes[:6]] == [
        "picture",
        "truth",
        "right",
        "wrong",
        "wrong by one",
        "wrong",
    ]
    assert [int(part.sum()) for part in (shown[3], shown[5], shown[9], shown[11])] == [0, 1, 0, 0]


def test_bars_are_means_of_what_is_lost() -> None:
    figure = draw_skips({0: [(0.2, 0.4), (0.4, 0.6)], 1: [(0.0, 0.1), (0.0, 0.1)]}, ("Dice", "outline F"))
    assert [round(bar.get_height(), 6) for axis in figure.axes for bar in axis.patches] == [
        0.3,
        0.0,
        0.5,
        0.1,
    ]


def test_the_curve_of_shifts_is_that_of_the_first_seed() -> None:
    maps = {(name, shift): torch.full((3, 4), 0.1 * shift) for name in "ab" for shift in (1, 2)}
    figure = draw_shifts({"a": {0: [0.0, 9.0], 1: [0.5]}, "b": {0: [0.0], 1: [0.7], 2: []}}, maps, 2)
    assert [list(line.get_ydata()) for line in figure.axes[0].lines[:2]] == [[0.0, 0.5], [0.0, 0.7]]
    assert figure.axes[1].images[0].get_clim() == figure.axes[2].images[0].get_clim()
