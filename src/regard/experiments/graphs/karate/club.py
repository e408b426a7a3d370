"""The karate club: who met whom, and a graph network trained on it, with all labels or with some."""

from typing import NamedTuple

import torch
from torch import Tensor

from regard.core.edges import Edges
from regard.data.sets.graphs import load_karate
from regard.errors import Unreachable
from regard.experiments.graphs.karate.handmade import Weights, backward, forward

LEAK, REPAIRED = "all labels train it", "24 labels train it"
"The two ways in which each seed is trained: as Berkeley HW6's notebook does, and with its mask applied."


class Club(NamedTuple):
    """Who met whom, which club each joined, which community the graph alone suggests, who is tested."""

    edges: Edges
    joined: Tensor
    community: Tensor
    test: Tensor
    places: Tensor


def club() -> Club:
    """The karate club with the labels of Berkeley HW6: communities of greatest modularity, two by merging."""
    try:
        import networkx
    except ImportError as error:
        raise Unreachable(
            "the karate club comes with networkx", "no module 'networkx'", "pip install regard[graphs]"
        ) from error
    known, graph = load_karate(), networkx.karate_club_graph()
    found = networkx.community.greedy_modularity_communities(graph)
    # The largest community is that of the officer; Berkeley HW6 merges the others.
    community = torch.tensor([int(node in found[0]) for node in range(known.nodes)])
    spots = networkx.spring_layout(graph, seed=7, iterations=300, weight=None)
    places = torch.tensor([spots[node].tolist() for node in range(known.nodes)])
    edges = Edges(known.source, known.target, nodes=known.nodes)
    return Club(edges, known.labels, community, known.test, places)


class Story(NamedTuple):
    """A training of several runs: by epoch and run losses, accuracy and who was wrong; some embeddings."""

    train_loss: Tensor
    test_loss: Tensor
    right: Tensor
    embeddings: dict[int, Tensor]
    wrong: Tensor


def train(
    a: Tensor,
    w: Weights,
    labels: Tensor,
    mask: Tensor,
    test: Tensor,
    *,
    epochs: int,
    rate: float,
    decay: float,
) -> Story:
    """Step 8: plain gradient descent, all runs at once; the accuracy is that on the tested members."""
    wanted = torch.nn.functional.one_hot(labels, 2).to(a.dtype)
    kept = {0, 100, 316, 1000, 3162, epochs}
    losses, sides, embeddings = [], [], {}
    for epoch in range(epochs + 1):
        seen = forward(w, a)
        losses.append((seen.p * wanted).sum(-1))
        sides.append(seen.p[..., 1] > 0.5)
        if epoch in kept:
            embeddings[epoch] = seen.h2.clone()
        slopes = backward(w, a, seen, wanted, mask, decay)
        for x, slope in zip(w, slopes, strict=True):
            x.sub_(slope, alpha=rate)
    surprise, right = -torch.stack(losses).log(), torch.stack(sides) == labels.bool()
    chosen = mask[..., 0] / mask[..., 0].sum(-1, keepdim=True)
    return Story(
        (surprise * chosen).sum(-1),
        surprise[..., test].mean(-1),
        right[..., test].double().mean(-1),
        embeddings,
        ~right,
    )


def stops(losses: Tensor, patience: int) -> int:
    """The epoch at which the loss has not fallen for `patience` epochs; the last where that never happens."""
    best = losses.cummin(0).indices
    late = (torch.arange(len(losses)) - best >= patience).nonzero()
    return int(late[0, 0]) if len(late) else len(losses) - 1
