"""Graph batches: a graph with features and labels; several of any size as one, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from regard.arguments import check_fields, kinds
from regard.core.edges import INTEGERS, Edges
from regard.errors import RegardError
from regard.models.graph.sparse import Features, SparseFeatures
from regard.shapes import Float, Int


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph, or several that no edge joins: features, edges, labels, and which graph a node belongs to.

    >>> path = Edges(torch.tensor([0]), torch.tensor([1]), nodes=2)
    >>> Graph(torch.ones(2, 3), path, labels=torch.tensor([0, 5]), classes=2)
    Traceback (most recent call last):
    regard.errors.RegardError: a label is the number of a class, at least 0 and below 2
      got: 5 at 1
      fix: number the classes from 0, and say how many there are: classes=...
    """

    features: Features
    "One row per node: a dense matrix, or bags."
    edges: Edges
    "Who regards whom; relations and features of edges are kept there."
    labels: Tensor | None = None
    "The class of every node, or of every graph."
    classes: int | None = None
    "How many classes there are; labels are held against it."
    batch: Tensor | None = None
    "The number of the graph to which each node belongs; None where there is one graph."
    graphs: int = 1
    "How many graphs there are."

    def __post_init__(self) -> None:
        check_fields(self)
        _check_nodes(self)
        _check_batch(self)
        if self.labels is not None:
            _check_labels(self, self.labels)

    def __repr__(self) -> str:
        labels = "" if self.classes is None else f", {self.classes} classes"
        graphs = "" if self.graphs == 1 else f", {self.graphs} graphs"
        return f"Graph({self.nodes} nodes, {self.features.shape[1]} features{labels}{graphs}, {self.edges})"

    @property
    def nodes(self) -> int:
        """How many nodes there are, in all graphs together."""
        return len(self.features)

    @property
    def group(self) -> Int[Tensor, " n"]:
        """The number of the graph of each node, for readouts."""
        if self.batch is not None:
            return self.batch
        return torch.zeros(self.nodes, dtype=torch.long, device=self.edges.device)

    def to(self, device: torch.device | str) -> "Graph":
        """The same graph on another device."""
        moved = {name: getattr(self, name) for name in ("features", "edges", "labels", "batch")}
        return replace(self, **{name: None if x is None else x.to(device) for name, x in moved.items()})


@kinds
def union(graphs: Sequence[Graph]) -> Graph:
    """The graphs side by side, as one: nodes are numbered on, and no edge joins two of them.

    >>> pair = Graph(torch.ones(2, 3), Edges(torch.tensor([0]), torch.tensor([1]), nodes=2))
    >>> both = union([pair, pair])
    >>> both.edges.source, both.edges.target, both.batch
    (tensor([0, 2]), tensor([1, 3]), tensor([0, 0, 1, 1]))
    """
    if not graphs:
        raise RegardError("a union needs graphs", "none", "pass at least one graph")
    starts = torch.tensor([0, *(graph.nodes for graph in graphs)]).cumsum(0).tolist()
    before = torch.tensor([0, *(graph.graphs for graph in graphs)]).cumsum(0).tolist()
    return Graph(
        _stacked(graphs),
        _side_by_side([graph.edges for graph in graphs], starts),
        labels=_all_or_none("labels", [graph.labels for graph in graphs]),
        classes=graphs[0].classes,
        batch=torch.cat([graph.group + first for graph, first in zip(graphs, before, strict=False)]),
        graphs=before[-1],
    )


def _side_by_side(edges: list[Edges], starts: list[int]) -> Edges:
    moved = list(zip(edges, starts, strict=False))
    return Edges(
        torch.cat([one.source + start for one, start in moved]),
        torch.cat([one.target + start for one, start in moved]),
        nodes=starts[-1],
        relation=_all_or_none("relations", [one.relation for one in edges]),
        features=_all_or_none("edge features", [one.features for one in edges]),
        # What each graph keeps twice, all of them together keep.
        duplicates="keep",
    )


def _stacked(graphs: Sequence[Graph]) -> Features:
    features, widths = [graph.features for graph in graphs], {graph.features.shape[1] for graph in graphs}
    bags, dense = (
        [x for x in features if isinstance(x, SparseFeatures)],
        [x for x in features if isinstance(x, Tensor)],
    )
    if len(widths) > 1 or (bags and dense):
        raise RegardError(
            "the graphs of a union have features of one kind and width",
            f"widths {sorted(widths)}, {len(bags)} as bags and {len(dense)} dense",
            "give every graph the same features",
        )
    return SparseFeatures.joined(bags) if bags else torch.cat(dense)


def _all_or_none(name: str, parts: Sequence[Float[Tensor, "..."] | Tensor | None]) -> Tensor | None:
    given = [part for part in parts if part is not None]
    if given and len(given) < len(parts):
        raise RegardError(
            f"either all graphs of a union have {name} or none",
            f"{len(given)} of {len(parts)} have",
            f"give the others {name}, or drop them",
        )
    return torch.cat(given) if given else None


def _check_nodes(graph: Graph) -> None:
    if len(graph.features.shape) != 2:
        raise RegardError(
            "features are one row per node of the graph",
            f"features {tuple(graph.features.shape)}",
            "shape them (nodes, features)",
        )
    if not graph.nodes:
        raise RegardError("a graph has at least one node", "none", "leave empty graphs out")
    if graph.edges.sizes != (graph.nodes, graph.nodes):
        raise RegardError(
            "features are one row per node of the graph",
            f"{graph.nodes} rows, edges of sizes {graph.edges.sizes}",
            "give every node its row; nodes without edges have one too",
        )


def _check_batch(graph: Graph) -> None:
    numbers = graph.batch
    if numbers is None and graph.graphs == 1:
        return
    if (
        numbers is None
        or numbers.dtype not in INTEGERS
        or numbers.shape != (graph.nodes,)
        or int(numbers.min()) < 0
        or int(numbers.max()) >= graph.graphs
    ):
        raise RegardError(
            f"batch is one number from 0 to {graph.graphs - 1} per node: that of its graph",
            "None" if numbers is None else f"{tuple(numbers.shape)}, {numbers.unique().tolist()}",
            "let union([...]) make it",
        )


def _check_labels(graph: Graph, labels: Tensor) -> None:
    if labels.dtype not in INTEGERS or labels.shape not in ((graph.nodes,), (graph.graphs,)):
        raise RegardError(
            "labels are one whole number per node, or one per graph",
            f"{tuple(labels.shape)} of {labels.dtype} for {graph.nodes} nodes in {graph.graphs} graphs",
            "give one class per node or per graph, as a tensor of integers with one axis",
        )
    outside = (labels < 0) | (labels >= (torch.inf if graph.classes is None else graph.classes))
    if bool(outside.any()):
        at = int(outside.nonzero()[0, 0])
        below = "" if graph.classes is None else f" and below {graph.classes}"
        raise RegardError(
            f"a label is the number of a class, at least 0{below}",
            f"{int(labels[at])} at {at}",
            "number the classes from 0, and say how many there are: classes=...",
        )
