"""The figures show what they say they show."""

import torch

from regard.experiments.attention.linear_attention.figures import draw_cost, draw_rank


def test_cost_shows_operations_beside_milliseconds() -> None:
    counted = {"softmax": [100, 400], "linear": [150, 300]}
    seconds = {"softmax": [0.001, 0.004], "linear": [0.002, 0.003]}
    left, right = draw_cost((8, 16), counted, seconds, 3).axes
    *forms, mark = left.lines
    assert [list(line.get_ydata()) for line in forms] == [[100, 400], [150, 300]]
    assert mark.get_xdata()[0] == 9 and [text.get_text() for text in left.texts] == ["N = D²"]
    assert [list(line.get_ydata()) for line in right.lines] == [[1, 4], [2, 3]]
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["softmax", "linear"]
    assert [text.get_text() for text in left.get_xticklabels()] == ["8", "16"]


def test_singular_values_are_shares_of_the_largest() -> None:
    (axis,) = draw_rank({0.3: torch.tensor([4.0, 2.0, 1.0]), 3.0: torch.tensor([5.0, 5.0, 5.0])}, 2).axes
    smooth, sharp, cut = axis.lines
    assert list(smooth.get_xdata()) == [1, 2, 3] and list(smooth.get_ydata()) == [1, 0.5, 0.25]
    assert list(sharp.get_ydata()) == [1, 1, 1] and cut.get_xdata()[0] == 2
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["scores × 0.3", "scores × 3"]
