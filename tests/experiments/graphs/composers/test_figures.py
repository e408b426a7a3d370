"""The pictures of composers are drawn, and show what they should."""

import pytest
import torch

from regard.core.edges import Edges
from regard.data.formats.notes import TICKS, Notes
from regard.data.sets.music import COMPOSERS, Scrap
from regard.experiments.graphs.composers.figures import draw_confusion, draw_roll
from regard.lab.book.style import picture


def test_the_confusion_is_shown_in_per_cent_of_the_row() -> None:
    counts = torch.eye(len(COMPOSERS), dtype=torch.long) * 3
    counts[0, 1] = 1
    (axis,) = draw_confusion(counts).axes
    shown = [text.get_text() for text in axis.texts]
    assert shown[:3] == ["75", "25", "0"] and axis.get_yticklabels()[0].get_text() == "Bach (4)"


@pytest.mark.slow
def test_the_roll_draws_a_bar_for_each_note_and_the_edges_above_an_equal_share() -> None:
    """Three edges to note 0, of which one exceeds a third by more than one of two edges to note 1 exceeds a half."""
    table = torch.tensor([[60, 64, 67, 72], [0, TICKS, TICKS, 2 * TICKS], [TICKS] * 4, [0] * 4])
    source, target = torch.tensor([1, 2, 3, 0, 2]), torch.tensor([0, 0, 0, 1, 1])
    edges = Edges(source, target, nodes=4, relation=torch.tensor([2, 2, 2, 1, 1]))
    weights = torch.tensor([0.3, 0.4, 0.3, 0.55, 0.45])
    figure = draw_roll(Scrap("Bach", "bwv1", "s", Notes(*table)), edges, weights, strongest=1)
    (axis,) = figure.axes
    assert len(axis.patches) == 4 and len(axis.texts) == 1
    assert axis.texts[0].xy[1] == 60, "the arrow ends at the note that regards"
    assert [one.get_label() for one in figure.legends[0].legend_handles] == ["following"]
    assert picture(figure).startswith(b"<svg")
