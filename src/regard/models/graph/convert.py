"""Graphs from networkx and torch_geometric, and back; neither is loaded before it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.arguments import check
from regard.core.edges import Duplicates, Edges
from regard.errors import RegardError
from regard.models.graph.batch import Graph
from regard.models.graph.given import GraphLike, as_edges, identity
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
    duplicates: Duplicates = "keep",
) -> Graph:
    """The graph with its nodes in their order there; an undirected edge becomes one edge each way.

    Each option names the attribute of nodes or edges that holds it. Labels may be words: their classes are
    numbered in alphabetical order. Without features every node is known by its number alone: X is the
    identity. Parallel edges of a multigraph count each, or with duplicates='merge' once.
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
        duplicates=duplicates,
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


def to_networkx(graph: GraphLike) -> "networkx.DiGraph":
    """The graph with every edge directed; `features`, `label`, `relation` are attributes where there are any.

    It takes a Graph, or edges alone in any form that layers take. With relations it is a multigraph, whose
    edges have their relation as key; so it is where an edge is kept twice, and then networkx numbers them.
    """
    networkx = _module("networkx", "pip install regard[graphs]")
    edges = as_edges(graph)
    multiple = edges.count > edges.distinct
    made = networkx.MultiDiGraph() if multiple or edges.relation is not None else networkx.DiGraph()
    made.add_nodes_from(range(max(edges.sizes)))
    if isinstance(graph, Graph):
        networkx.set_node_attributes(made, dict(enumerate(_dense(graph.features).tolist())), "features")
        if graph.labels is not None and len(graph.labels) == graph.nodes:
            networkx.set_node_attributes(made, dict(enumerate(graph.labels.tolist())), "label")
    for e, (u, v) in enumerate(zip(edges.source.tolist(), edges.target.tolist(), strict=True)):
        own: dict[str, Any] = {} if edges.features is None else {"features": edges.features[e].tolist()}
        if edges.relation is not None:
            own["relation"] = int(edges.relation[e])
            own |= {} if multiple else {"key": own["relation"]}
        made.add_edge(u, v, **own)
    return made


def from_geometric(data: "Data", *, duplicates: Duplicates = "keep") -> Graph:
    """The graph of a torch_geometric `Data` or `Batch`: x, edge_index, edge_type, edge_attr, y, batch.

    An edge that is given twice counts twice, as there, or with duplicates='merge' once; the edges say which.
    """
    _module("torch_geometric", "pip install regard[bench]")
    index = getattr(data, "edge_index", None)
    if index is None:
        raise RegardError(
            "a graph from torch_geometric needs its edges as edge_index",
            f"{type(data).__name__} without it",
            "pass Data(x=..., edge_index=...); for other forms, build Edges yourself",
        )
    batch, edges = getattr(data, "batch", None), as_edges(data, duplicates=duplicates)
    x = identity(edges.sizes[0]) if data.x is None else data.x
    return Graph(
        x if isinstance(x, SparseFeatures) or x.layout is torch.strided else SparseFeatures.of(x),
        edges,
        labels=data.y if data.y is None or isinstance(data.y, Tensor) else torch.tensor([data.y]),
        batch=batch,
        graphs=1 if batch is None else int(batch.max()) + 1,
    )


def to_geometric(graph: GraphLike) -> "Data":
    """The same graph as a torch_geometric `Data`: a Graph, or edges alone in any form that layers take."""
    geometric = _module("torch_geometric.data", "pip install regard[bench]")
    edges = as_edges(graph)
    parts = {
        "edge_index": torch.stack([edges.source, edges.target]),
        "edge_type": edges.relation,
        "edge_attr": edges.features,
    }
    if isinstance(graph, Graph):
        parts |= {"x": _dense(graph.features), "y": graph.labels, "batch": graph.batch}
    known = {name: x for name, x in parts.items() if x is not None}
    return geometric.Data(num_nodes=max(edges.sizes), **known)


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
