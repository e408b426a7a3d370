"""What is said of a graph of a person's own: whose labels are taught, and what was right."""

import pytest
import torch

from regard.core.edges import Edges
from regard.experiments.graphs.karate.club import NODES, Club, Story
from regard.experiments.graphs.karate.own import said_of_own


def ring(labelled: bool) -> Club:
    """Ten nodes in a ring: five of a community, two tested, one with another label than its community's."""
    here = torch.arange(10)
    community = (here < 5).long()
    joined = community.clone()
    if labelled:
        joined[0] = 0
    words = NODES | {"tested": "2"}
    edges = Edges(here, (here + 1) % 10, nodes=10)
    return Club(edges, joined, community, here > 7, torch.zeros(10, 2), "mine", ("b", "a"), labelled, words)


def story(right: float) -> Story:
    shares = torch.full((1, 2), right, dtype=torch.float64)
    return Story(shares, shares, shares, {}, torch.zeros(1, 2, 10, dtype=torch.bool))


@pytest.mark.parametrize("labelled", [True, False])
def test_whose_labels_are_taught_is_said(labelled: bool) -> None:
    stories = {"community": story(0.5)} | ({"label": story(1.0)} if labelled else {})
    said = said_of_own(1, ring(labelled), stories)
    assert "two communities, by greatest modularity: the largest, with 5 of 10 nodes" in said
    assert (
        "Taught the community of 8 nodes and the edges alone, the network is right about the community of 50 % of the 2"
        in said
    )
    assert ("; taught the label of 8 nodes" in said) is labelled
    assert ("1 node has a label that is not its community's" in said) is labelled
    assert said.endswith("your file has none.") is not labelled
