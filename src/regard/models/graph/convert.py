"""Graphs from networkx and torch_geometric, and back; neither is loaded before it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.arguments import check
from regard.core.edges import Edges
from regard.errors import RegardError
from regard.models.graph.batch import Graph
from regard.models.graph.sparse import Features, SparseFeatures

if TYPE_CHECKING:
    import networkx
    from torch_geometric.data import Data


def from_networkx(
    graph: "networkx.Graph",
    *,
    features: str | None = None,
    labels: str | None = None,
    relation: str | None = None,
    edge_features: str | None = None,
) -> Graph:
    """The graph with its nodes in their order there; an undirected edge becomes one edge each way.

    Each option names the attribute of nodes or edges that holds it. Labels may be words: their classes are
    numbered in alphabetical order. Without features every node is known by its number alone: X is the
    identity.
    """
    networkx = _module("networkx", "pip install regard[graphs]")
    check("from_networkx", "graph", graph, networkx.Graph)
    named = {"features": features, "labels": labels, "relation": relation, "edge_features": edge_features}
    for option, name in named.items():
        check("from_networkx", option, name, str | None)
    number = {node: i for i, node in enumerate(graph)}
    joined = [(number[u], number[v], attributes) for u, v, attributes in graph.edges(data=True)]
    if not graph.is_directed():
        joined += [(v, u, attributes) for u, v, attributes in joined if u != v]
    ends = torch.tensor([(u, v) for u, v, _ in joined], dtype=torch.long).view(-1, 2)
    extras = [attributes for _, _, attributes in joined]
    edges = Edges(
        ends[:, 0],
        ends[:, 1],
        nodes=len(number),
        relation=None if relation is None else torch.tensor(_named("edges", extras, relation)),
        features=None if edge_features is None else _rows(_named("edges", extras, edge_features)),
    )
    nodes = [attributes for _, attributes in graph.nodes(data=True)]
    own = identity(len(nodes)) if features is None else _rows(_named("nodes", nodes, features))
    classes = sorted(set(_named("nodes", nodes, labels))) if labels is not None else []
    numbers = [classes.index(one) for one in _named("nodes", nodes, labels)] if labels is not None else None
    return Graph(
        own,
        edges,
        labels=None if numbers is None else torch.tensor(numbers),
        classes=len(classes) or None,
    )


def to_networkx(graph: Graph) -> "networkx.DiGraph":
    """The graph with every edge directed; `features`, `label`, `relation` are attributes where there are any.

    With relations it is a multigraph, whose edges have their relation as key.
    """
    networkx = _module("networkx", "pip install regard[graphs]")
    check("to_networkx", "graph", graph, Graph)
    edges, rows = graph.edges, _dense(graph.features).tolist()
    made = networkx.DiGraph() if edges.relation is None else networkx.MultiDiGraph()
    labels = None if graph.labels is None or len(graph.labels) != graph.nodes else graph.labels.tolist()
    for node, row in enumerate(rows):
        made.add_node(node, features=row, **({} if labels is None else {"label": labels[node]}))
    for e, (u, v) in enumerate(zip(edges.source.tolist(), edges.target.tolist(), strict=True)):
        own: dict[str, Any] = {} if edges.features is None else {"features": edges.features[e].tolist()}
        if edges.relation is not None:
            kind = int(edges.relation[e])
            made.add_edge(u, v, key=kind, relation=kind, **own)
        else:
            made.add_edge(u, v, **own)
    return made


def from_geometric(data: "Data") -> Graph:
    """The graph of a torch_geometric `Data` or `Batch`: x, edge_index, edge_type, edge_attr, y, batch."""
    _module("torch_geometric", "pip install regard[bench]")
    index = getattr(data, "edge_index", None)
    if index is None:
        raise RegardError(
            "a graph from torch_geometric needs its edges as edge_index",
            f"{type(data).__name__} without it",
            "pass Data(x=..., edge_index=...); for other forms, build Edges yourself",
        )
    source, target = index
    extra, kind, batch = (getattr(data, name, None) for name in ("edge_attr", "edge_type", "batch"))
    edges = Edges(
        source,
        target,
        nodes=int(data.num_nodes or 0),
        relation=kind,
        features=extra if extra is None or extra.dim() == 2 else extra.unsqueeze(1),
    )
    x = identity(edges.sizes[0]) if data.x is None else data.x
    return Graph(
        x if isinstance(x, SparseFeatures) or x.layout is torch.strided else SparseFeatures.of(x),
        edges,
        labels=data.y if data.y is None or isinstance(data.y, Tensor) else torch.tensor([data.y]),
        batch=batch,
        graphs=1 if batch is None else int(batch.max()) + 1,
    )


def to_geometric(graph: Graph) -> "Data":
    """The same graph as a torch_geometric `Data`."""
    geometric = _module("torch_geometric.data", "pip install regard[bench]")
    check("to_geometric", "graph", graph, Graph)
    edges = graph.edges
    parts = {
        "x": _dense(graph.features),
        "edge_index": torch.stack([edges.source, edges.target]),
        "edge_type": edges.relation,
        "edge_attr": edges.features,
        "y": graph.labels,
        "batch": graph.batch,
    }
    return geometric.Data(num_nodes=graph.nodes, **{name: x for name, x in parts.items() if x is not None})


def identity(nodes: int) -> SparseFeatures:
    """Features that tell every node by its number: the rows of the identity matrix.

    >>> identity(2).dense()
    tensor([[1., 0.],
            [0., 1.]])
    """
    each = torch.arange(nodes)
    return SparseFeatures(Edges(each, each, nodes=nodes), torch.ones(nodes))


def _dense(features: Features) -> Tensor:
    return features.dense() if isinstance(features, SparseFeatures) else features


def _rows(values: list[Any]) -> Tensor:
    rows = torch.tensor(values, dtype=torch.get_default_dtype())
    return rows if rows.dim() == 2 else rows.view(len(values), -1)


def _named(of: str, attributes: list[dict[str, Any]], name: str) -> list[Any]:
    missing = [i for i, one in enumerate(attributes) if name not in one]
    if missing:
        raise RegardError(
            f"not all {of} of the graph have the attribute '{name}'",
            f"{len(missing)} of {len(attributes)} lack it, the first is number {missing[0]}",
            f"set it on all {of}, or name another attribute",
        )
    return [one[name] for one in attributes]


def _module(name: str, fix: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise RegardError(f"this needs {name.split('.')[0]}", f"{error}", fix) from error
