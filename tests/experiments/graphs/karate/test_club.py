"""The karate club: what the mask keeps out, the stopping rule, the labels."""

import sys
from dataclasses import replace

import pytest
import torch

from regard.core.edges import Edges
from regard.data.sets.graphs import load_karate
from regard.errors import Unreachable
from regard.experiments.graphs.karate.club import club, own_club, stops, train
from regard.experiments.graphs.karate.handmade import Weights, normalised

PATH = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3).both_ways()


def test_what_is_masked_does_not_train():
    """A tested node's label, turned round, changes nothing if it is masked and something if it is not."""
    a, options = normalised(PATH).float(), {"epochs": 20, "rate": 0.02, "decay": 0.025}
    test = torch.tensor([False, False, True])
    for leak in (True, False):
        mask = torch.ones(1, 3, 1) if leak else (~test).float()[None, :, None]
        ends = []
        for labels in (torch.tensor([0, 1, 0]), torch.tensor([0, 1, 1])):
            w = Weights.drawn([torch.Generator().manual_seed(0)], (3, 5, 2, 2), torch.float32)
            ends.append(train(a, w, labels, mask, test, **options).embeddings[20])
        assert torch.equal(*ends) is not leak


@pytest.mark.parametrize(
    ("losses", "epoch"), [([5, 4, 3, 2, 1], 4), ([5, 4, 6, 6, 1, 1, 1], 3), ([1, 2, 3, 0], 2), ([3, 3, 3], 2)]
)
def test_the_rule_stops_when_nothing_was_gained_for_two_epochs(losses, epoch):
    assert stops(torch.tensor(losses, dtype=torch.float64), 2) == epoch


def test_communities_and_clubs_differ_for_two_members():
    pytest.importorskip("networkx")
    members = club()
    assert (members.joined != members.community).nonzero().flatten().tolist() == [8, 9]
    assert members.community.sum() == members.joined.sum() == 17 and members.test.sum() == 10


def test_labels_of_ones_own_are_turned_to_the_communities_and_keep_their_names():
    pytest.importorskip("networkx")
    known = load_karate()
    for network in (known, replace(known, labels=1 - known.labels, classes=known.classes[::-1])):
        members = own_club(network)
        assert (members.joined != members.community).nonzero().flatten().tolist() == [8, 9]
        named = [members.sides[one] for one in members.joined.tolist()]
        assert named == [network.classes[one] for one in network.labels.tolist()]


def test_without_networkx_nothing_is_settled(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(Unreachable) as error:
        club()
    assert str(error.value) == (
        "the karate club comes with networkx\n  got: no module 'networkx'\n  fix: pip install regard[graphs]"
    )
