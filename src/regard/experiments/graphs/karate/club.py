"""The karate club: who met whom, and a graph network trained on it, with all labels or with some."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from regard.core.edges import Edges
from regard.data.sets.graphs import Network, load_karate
from regard.errors import RegardError, Unreachable
from regard.experiments.graphs.karate.handmade import Weights, backward, forward

LEAK, REPAIRED = "all labels train it", "24 labels train it"
"The two ways in which each seed is trained: as Berkeley HW6's notebook does, and with its mask applied."
FEWEST, MOST = 8, 600
"Nodes that a graph of one's own may have."
CLUB = {
    "member": "member",
    "members": "members",
    "joined": "joined",
    "club": "club",
    "acquaintances": "acquaintances",
    "other": "in the other club",
    "tested": "ten",
}
"What is spoken of where the graph is the karate club: by `Club.say`."
NODES = {
    "member": "node",
    "members": "nodes",
    "joined": "label",
    "club": "label",
    "acquaintances": "neighbours",
    "other": "with the other label",
    "tested": "",
}
"The same of a graph of a person's own."
STAND_IN = "In the place of labels stand two communities, found from the edges alone: the largest of those of greatest modularity, and all others."
"What is said of a graph whose nodes have no labels."


class Club(NamedTuple):
    """Who met whom, which club each joined, which community the graph alone suggests, who is tested."""

    edges: Edges
    joined: Tensor
    community: Tensor
    test: Tensor
    places: Tensor
    said: str = ""
    "Which graph it is, where it is a person's own."
    sides: tuple[str, str] = ("Mr. Hi", "the officer")
    "What the two labels are called."
    labelled: bool = True
    "Whether there are labels beside the communities."
    words: Mapping[str, str] = CLUB
    "What the nodes are called, and the classes that they chose."

    def say(self, text: str) -> str:
        """A text with the words for this graph in its brackets."""
        return text.format_map(self.words)

    @property
    def repaired(self) -> str:
        """The name of the training in which the tested labels take no part."""
        return f"{int((~self.test).sum())} labels train it"


def club() -> Club:
    """The karate club with the labels of Berkeley HW6: communities of greatest modularity, two by merging."""
    graph, known = _networkx().karate_club_graph(), load_karate()
    edges = Edges(known.source, known.target, nodes=known.nodes)
    return Club(edges, known.labels, _community(graph), known.test, _places(graph))


def own_club(network: Network) -> Club:
    """A graph of a person's own in the club's place: three nodes in ten are tested.

    Its labels, where it has some, are made two: the most frequent, and all others.
    """
    if not FEWEST <= network.nodes <= MOST:
        raise RegardError(
            f"this experiment takes graphs of {FEWEST} to {MOST} nodes: it writes whole matrices out",
            f"{network.nodes:,} nodes",
            "regard run cora --set graph=FILE takes large ones, with labels; here, name another",
        )
    graph = _networkx().Graph()
    graph.add_nodes_from(range(network.nodes))
    graph.add_edges_from(zip(network.source.tolist(), network.target.tolist(), strict=True))
    community = _community(graph)
    largest = (network.labels == 0).long() if network.classes else community
    alike = bool((largest == community).double().mean() >= 0.5)
    name = network.classes[0] if network.classes else "largest community"
    other = network.classes[1] if len(network.classes) == 2 else "others"
    chosen = torch.randperm(network.nodes, generator=torch.Generator().manual_seed(0))
    test = torch.zeros(network.nodes, dtype=torch.bool)
    test[chosen[: round(0.3 * network.nodes)]] = True
    return Club(
        Edges(network.source, network.target, nodes=network.nodes),
        largest if alike else 1 - largest,
        community,
        test,
        _places(graph),
        network.said if len(network.classes) > 1 else f"{network.said} {STAND_IN}",
        (other, name) if alike else (name, other),
        len(network.classes) > 1,
        NODES | {"tested": str(int(test.sum()))},
    )


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise Unreachable(
            "the karate club comes with networkx", "no module 'networkx'", "pip install regard[graphs]"
        ) from error
    return networkx


def _community(graph: Any) -> Tensor:
    """1 in the largest community of greatest modularity, that of the officer; Berkeley HW6 merges the others."""
    found = _networkx().community.greedy_modularity_communities(graph)
    return torch.tensor([int(node in found[0]) for node in range(len(graph))])


def _places(graph: Any) -> Tensor:
    spots = _networkx().spring_layout(graph, seed=7, iterations=300, weight=None)
    return torch.tensor([spots[node].tolist() for node in range(len(graph))])


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


def nearest_own(embeddings: Tensor, labels: Tensor) -> list[float]:
    """For each run, the share of nodes nearer to the mean of their own label's other nodes than to the other label's.

    >>> nearest_own(torch.tensor([[[0.0], [1.0], [8.0], [9.0]]]), torch.tensor([0, 0, 1, 1]))
    [1.0]
    """
    nodes = torch.arange(len(labels))
    own = (labels[:, None] == labels) & (nodes[:, None] != nodes)
    other = labels[:, None] != labels
    distances = [
        ((kind.to(embeddings.dtype) / kind.sum(1, keepdim=True)) @ embeddings - embeddings).norm(dim=-1)
        for kind in (own, other)
    ]
    return (distances[0] < distances[1]).double().mean(1).tolist()
