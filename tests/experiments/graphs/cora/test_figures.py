"""Entropies and agreement by hand; every picture is drawn and says what its axes are."""

from math import log

import pytest
import torch

from regard.core.edges import Edges
from regard.data.sets.graphs import FIELDS, Network, load_karate
from regard.experiments.graphs.cora.figures import (
    agreement,
    draw_embedding,
    draw_entropy,
    draw_neighbours,
    draw_seeds,
    entropies,
)
from regard.experiments.graphs.cora.nodes import ATTENTION, NodeTask, Trained, build
from regard.lab.book.style import picture


def test_equal_weights_have_the_entropy_of_their_number() -> None:
    edges = Edges(torch.tensor([0, 1, 2, 0]), torch.tensor([0, 0, 0, 1]), nodes=3)
    own, uniform = entropies(torch.tensor([[1 / 3, 1 / 3, 1 / 3, 1.0]]), edges)
    assert own.tolist() == pytest.approx([log(3), 0.0, 0.0]) and uniform.tolist() == pytest.approx(
        [log(3), 0, 0]
    )


def test_the_entropy_is_the_mean_over_heads() -> None:
    edges = Edges(torch.tensor([0, 1]), torch.tensor([0, 0]), nodes=2)
    own, _ = entropies(torch.tensor([[0.5, 0.5], [1.0, 0.0]]), edges)
    assert own[0].item() == pytest.approx(log(2) / 2)


@pytest.fixture(scope="module")
def small() -> NodeTask:
    """The karate club with seven classes, as Cora has."""
    club = load_karate()
    fields = {
        name: getattr(club, name)
        for name in ("features", "source", "target", "train", "validation", "test", "said")
    }
    return NodeTask(Network(**fields, labels=torch.arange(34) % 7, classes=FIELDS))


def test_agreement_is_the_share_of_neighbours_of_the_same_class(small: NodeTask) -> None:
    found, source, target = agreement(small), small.network.source.tolist(), small.network.target.tolist()
    for node in (0, 11, 33):
        around = [a for a, b in zip(source, target, strict=True) if b == node]
        assert found[node].item() == pytest.approx(sum(a % 7 == node % 7 for a in around) / len(around))


def trained(task: NodeTask, seed: int) -> Trained:
    torch.manual_seed(seed)
    model = build(ATTENTION, 34, 7).eval()
    with torch.no_grad():
        scores = model(task.features[True], task.edges)
    return Trained(model, scores, 2, 3, 1.0, (10.0, 20.0 + seed, 15.0))


@pytest.mark.slow
def test_every_picture_is_drawn(small: NodeTask) -> None:
    runs = {
        name: {seed: trained(small, seed + place) for seed in range(2)}
        for place, name in enumerate(("GCN", "GAT"))
    }
    edges = small.edges
    weights = torch.rand(2, edges.count)
    figures = [
        draw_seeds(runs),
        draw_neighbours(small, runs),
        draw_embedding(small, runs["GAT"][0]),
        draw_entropy({name: entropies(weights, edges) for name in ("first", "second")}),
    ]
    for figure in figures:
        assert picture(figure).startswith(b"<svg") and all(axis.get_xlabel() for axis in figure.axes)
