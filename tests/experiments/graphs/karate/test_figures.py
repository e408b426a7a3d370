"""The figures show what they say they show."""

from typing import Any

import pytest
import torch
from matplotlib.colors import to_rgb

from regard.core.edges import Edges
from regard.experiments.graphs.karate.club import Club, Story
from regard.experiments.graphs.karate.figures import (
    ROOM,
    draw_embedding,
    draw_members,
    draw_training,
    window,
)
from regard.lab.book.style import BLUE, ORANGE

NODES = 10


def ring() -> Club:
    """Ten members in a ring, the last two tested; member 8 joined the one club and belongs to the other."""
    edges = Edges(torch.arange(NODES), (torch.arange(NODES) + 1) % NODES, nodes=NODES).both_ways()
    joined = (torch.arange(NODES) >= 5).long()
    community = joined.clone()
    community[8] = 0
    return Club(edges, joined, community, torch.arange(NODES) >= 8, torch.rand(NODES, 2))


def story() -> Story:
    """Two epochs and a start, of one run with the leak and one repaired."""
    losses = torch.tensor([[1.0, 1.0], [0.1, 0.5], [0.01, 0.4]])
    right = torch.tensor([[0.5, 0.5], [1.0, 0.5], [1.0, 0.75]])
    wrong = torch.zeros(3, 2, NODES, dtype=torch.bool)
    return Story(losses, 2 * losses, right, {epoch: torch.rand(2, NODES, 2) for epoch in range(6)}, wrong)


def test_members_change_colour_where_club_and_community_differ() -> None:
    left, right = draw_members(ring()).axes
    for axis, counts in ((left, [5, 0, 3, 2, 1]), (right, [5, 1, 3, 1, 1])):
        # Blue and orange, each untested and tested; then a ring around member 8.
        assert [len(marks.get_offsets()) for marks in axis.collections] == counts
        assert [text.get_text() for text in axis.texts] == [str(node) for node in range(NODES)]


def luminance(colour: Any) -> float:
    """WCAG's relative luminance of a colour."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def test_the_number_of_a_node_can_be_read_on_its_colour() -> None:
    club = ring()
    for axis, labels in zip(draw_members(club).axes, (club.joined, club.community), strict=True):
        for text, label in zip(axis.texts, labels.tolist(), strict=True):
            light, dark = sorted(
                (luminance(text.get_color()), luminance((BLUE, ORANGE)[label])), reverse=True
            )
            assert (light + 0.05) / (dark + 0.05) >= 4.5, text


def test_training_shows_both_losses_and_the_accuracy_of_every_run() -> None:
    left, right = draw_training(ring(), story()).axes
    assert [line.get_label() for line in left.lines] == [
        "all labels train it, training", "all labels train it, test",
        "8 labels train it, training", "8 labels train it, test",
    ]  # fmt: skip
    assert list(left.lines[0].get_ydata()) == pytest.approx([-1, -2])
    assert [list(axis.lines[0].get_xdata()) for axis in (left, right)] == [[1, 2], [1, 2]]
    assert [list(line.get_ydata()) for line in right.lines] == [[1, 1], [0.5, 0.75]]


@pytest.mark.slow
def test_the_embedding_is_that_of_the_first_run_at_six_epochs() -> None:
    told = story()
    axes = draw_embedding(ring(), told).axes
    assert [axis.get_title(loc="left") for axis in axes] == [f"epoch {epoch}" for epoch in range(6)]
    assert all(axis.get_ylabel() for axis in axes[::3]) and all(axis.get_xlabel() for axis in axes[3:])
    first = torch.as_tensor(axes[2].collections[0].get_offsets().data)
    torch.testing.assert_close(first, told.embeddings[2][0, :5].double())


def test_a_cloud_that_is_small_has_a_window_of_its_own_and_a_large_one_is_shown_whole() -> None:
    small = torch.tensor([[0.50, -0.2], [0.52, -0.19]])
    (left, right), (low, high) = window(small)
    assert left < 0.50 and right > 0.52 and low < -0.2 and high > -0.19
    assert right - left == pytest.approx(high - low) == pytest.approx(0.024)
    assert window(torch.tensor([[-0.9, 0.0], [0.9, 0.1]])) == ((-ROOM, ROOM), (-ROOM, ROOM))
    assert window(torch.zeros(2, 2))[0][0] < 0
