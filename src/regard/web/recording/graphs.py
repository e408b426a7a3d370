"""Graphs with the attention of a trained layer: the karate club through training, Cora by neighbourhoods."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from regard.core.edges import Edges
from regard.core.trace import trace
from regard.data import Network, load_cora, load_karate
from regard.lab.documents.plain import rounded
from regard.models.graph.layers import GAT
from regard.training import Plan, Training
from regard.web.graphs import neighbourhood

MOMENTS = (0, 1, 2, 5, 10, 20, 40, 70, 100, 150, 200)
"Epochs at which the training on the club is looked at."
PAPER_MOMENTS = (0, 5, 10, 20, 40, 80, 150)
"Epochs at which that on Cora is."
EMBEDDING = "the embedding is what the second layer sees, along its two principal axes at the end"
CENTRES, HOPS, LARGEST = 10, 2, 70
"Neighbourhoods of Cora, how far they reach, and how many papers one may have."
COURSE = {"schedule": "constant", "warmup": 0.0, "clip": None}


def record_karate() -> dict[str, Any]:
    """A graph attention network on the club: its embedding and its attention after some epochs."""
    import networkx

    club = load_karate()
    edges = Edges(club.source, club.target, nodes=club.nodes).with_loops()
    torch.manual_seed(0)
    model = GAT(club.nodes, 4, 2, heads=4, dropout=0.0, attention_dropout=0.0)
    x, learned = torch.eye(club.nodes), (~club.test).nonzero()[:, 0]

    def loss(network: nn.Module, nodes: Tensor) -> Tensor:
        return nn.functional.cross_entropy(network(x, edges)[nodes], club.labels[nodes])

    plan = Plan(steps=MOMENTS[-1], learning_rate=0.01, weight_decay=5e-4, seed=0, **COURSE)
    moments = [_moment(model, x, edges, club, 0)]
    for step in Training(model, lambda index: learned, loss, plan):
        if step.step in MOMENTS:
            moments.append(_moment(model, x, edges, club, step.step))
    graph = networkx.karate_club_graph()
    spots = networkx.spring_layout(graph, seed=7, iterations=300, weight=None)
    places = [spots[node].tolist() for node in range(club.nodes)]
    return _document(
        "karate",
        "Zachary's karate club",
        f"A graph attention network (4 heads of 4, then one of 2) trained for {MOMENTS[-1]} epochs of AdamW "
        f"at rate 0.01 on {len(learned)} of the 34 labels, seed 0, members described by their number alone; "
        f"{EMBEDDING}. The graph is that of networkx (Zachary, 1977).",
        _nodes(range(club.nodes), club, places),
        edges,
        moments,
        {"nodes": club.nodes, "edges": len(club.source) // 2},
    ) | {"classes": list(club.classes)}


def record_cora() -> dict[str, Any]:
    """A graph attention network on Cora, in the neighbourhoods of some test papers."""
    cora = load_cora()
    edges = Edges(cora.source, cora.target, nodes=cora.nodes).with_loops()
    torch.manual_seed(0)
    x = cora.features / cora.features.sum(1, keepdim=True).clamp(min=1)
    model = GAT(x.shape[1], 8, len(cora.classes), heads=8)
    learned = cora.train.nonzero()[:, 0]

    def loss(network: nn.Module, nodes: Tensor) -> Tensor:
        return nn.functional.cross_entropy(network(x, edges)[nodes], cora.labels[nodes])

    plan = Plan(steps=PAPER_MOMENTS[-1], learning_rate=0.005, weight_decay=5e-4, seed=0, **COURSE)
    moments = [_moment(model, x, edges, cora, 0)]
    for step in Training(model, lambda index: learned, loss, plan):
        if step.step in PAPER_MOMENTS:
            moments.append(_moment(model, x, edges, cora, step.step))
    pairs = list(zip(cora.source.tolist(), cora.target.tolist(), strict=True))
    tested = cora.test.nonzero()[:, 0].tolist()
    around = {node: neighbourhood(pairs, node, HOPS) for node in tested[:300]}
    fields = {node: len({int(cora.labels[one]) for one in found}) for node, found in around.items()}
    sized = [node for node, found in around.items() if 20 <= len(found) <= LARGEST]
    chosen = sorted(sized, key=lambda node: -fields[node])[:CENTRES]
    kept = sorted(set().union(*(around[node] for node in chosen)))
    found = _document(
        "cora",
        "Cora: who cites whom",
        f"A graph attention network (8 heads of 8, then one) trained for {plan.steps} epochs of AdamW "
        f"at rate 0.005 on Planetoid's {len(learned)} labels, seed 0; {EMBEDDING}. Only what lies within "
        f"{HOPS} citations of {CENTRES} test papers is kept: those around which most fields meet.",
        _nodes(kept, cora, _layout(kept, pairs)),
        edges,
        moments,
        {"nodes": cora.nodes, "edges": len(cora.source) // 2},
        through=False,
    )
    return found | {"centres": chosen, "classes": list(cora.classes)}


def _moment(model: GAT, x: Tensor, edges: Edges, network: Network, epoch: int) -> dict[str, Any]:
    """Embedding, accuracy and attention after so many epochs."""
    training = model.training
    with torch.no_grad(), trace(model.eval()) as seen:
        scores = model(x, edges)
    with torch.no_grad():
        embedding = model.embedding(x, edges)
    model.train(training)
    right = (scores.argmax(1) == network.labels)[network.test].float().mean()
    weights = [look[0].weights[0] for look in seen.looks.values()]
    return {"epoch": epoch, "embedding": embedding, "accuracy": rounded(float(right)), "weights": weights}


def _document(
    id: str,
    name: str,
    made: str,
    nodes: list[dict[str, Any]],
    edges: Edges,
    moments: list[dict[str, Any]],
    whole: dict[str, int],
    *,
    through: bool = True,
) -> dict[str, Any]:
    """The graph of these nodes: their edges, and what the moments say; with attention `through` all."""
    ids = [one["id"] for one in nodes]
    there = torch.zeros(edges.sizes[0], dtype=torch.bool)
    there[ids] = True
    kept = (there[edges.source] & there[edges.target]).nonzero()[:, 0]
    sides = zip(edges.source[kept].tolist(), edges.target[kept].tolist(), strict=True)

    def layers(moment: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"heads": _short(weights[:, kept])} for weights in moment["weights"]]

    axes = principal_axes(moments[-1]["embedding"])
    return {
        "kind": "graph",
        "version": 1,
        "id": id,
        "name": name,
        "made": made,
        "whole": whole,
        "nodes": nodes,
        "edges": [{"source": source, "target": target} for source, target in sides],
        "layers": layers(moments[-1]),
        "epochs": [
            {"epoch": one["epoch"], "accuracy": one["accuracy"], "xy": _short((one["embedding"] @ axes)[ids])}
            | ({"layers": layers(one)} if through else {})
            for one in moments
        ],
    }


def principal_axes(points: Tensor) -> Tensor:
    """The two directions in which points differ most, as columns; the largest entry of each is positive.

    >>> principal_axes(torch.tensor([[-2.0, 1, 0], [2, 1, 0], [0, 1, -1], [0, 1, 1]])).tolist()
    [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    """
    axes = torch.linalg.svd(points - points.mean(0), full_matrices=False).Vh[:2].T
    largest = axes.gather(0, axes.abs().argmax(0, keepdim=True))
    return axes * largest.sign() + 0.0


def _nodes(ids: Sequence[int], network: Network, places: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    return [
        {
            "id": node,
            "label": str(node),
            "x": rounded(float(x), 4),
            "y": rounded(float(y), 4),
            "klass": int(network.labels[node]),
            "test": bool(network.test[node]),
        }
        for node, (x, y) in zip(ids, places, strict=True)
    ]


def _layout(ids: Sequence[int], pairs: Sequence[tuple[int, int]]) -> list[list[float]]:
    """Places in the plane: joined papers near each other."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(ids)
    graph.add_edges_from((a, b) for a, b in pairs if a in graph and b in graph)
    spots = networkx.spring_layout(graph, seed=7, iterations=100)
    return [spots[node].tolist() for node in ids]


def _short(values: Tensor) -> list[list[float]]:
    return [[rounded(one, 3) for one in row] for row in values.tolist()]
