"""Graphs as people have them: `Edges`, an edge_index, a torch_geometric Data, a networkx graph.

They are known by what they offer: neither library is loaded, nor needed.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from regard.arguments import check, told
from regard.core.edges import INTEGERS, Duplicates, Edges
from regard.errors import RegardError
from regard.models.graph.batch import Graph
from regard.models.graph.sparse import SparseFeatures

GraphLike = Any
"""What layers take for edges: Edges, Graph, edge_index (2 e), torch_geometric's Data, networkx's graph."""
_KNOWN = WeakTensorKeyDictionary()


def as_edges(graph: GraphLike, *, nodes: int | None = None, duplicates: Duplicates = "keep") -> Edges:
    """The edges of a graph in whatever form: Edges, Graph, edge_index, torch_geometric Data, networkx graph.

    An edge_index is a tensor or a numpy array of whole numbers. Node i of a networkx graph is the i-th of
    `list(graph)`, whatever its name, as in networkx's own matrices; an undirected edge becomes one each way.
    No loops are added (`.with_loops()` gives every node its own). An edge given twice counts twice,
    as in torch_geometric, or with duplicates='merge' once; the edges say which.

    >>> as_edges(torch.tensor([[0, 1, 0], [1, 2, 1]]), nodes=3)
    Edges(3 edges, 3 targets, 3 sources, 1 given again and kept)
    >>> as_edges(torch.tensor([[0, 1, 0], [1, 2, 1]]), nodes=3, duplicates="merge")
    Edges(2 edges, 3 targets, 3 sources, 1 given again and merged into the first)
    """
    check("as_edges", "nodes", nodes, int | None)
    check("as_edges", "duplicates", duplicates, Duplicates)
    if isinstance(graph, Edges | Graph):
        return graph if isinstance(graph, Edges) else graph.edges
    graph = _as_tensor(graph)
    if isinstance(graph, Tensor):
        return _of_index(graph, {}, nodes, duplicates)
    if isinstance(index := getattr(graph, "edge_index", None), Tensor):
        kind, extra = getattr(graph, "edge_type", None), getattr(graph, "edge_attr", None)
        extra = (
            extra.reshape(len(extra), -1).to(torch.get_default_dtype()) if isinstance(extra, Tensor) else None
        )
        extras = {"relation": kind, "features": extra}
        return _of_index(index, extras, graph.num_nodes if nodes is None else nodes, duplicates)
    if callable(getattr(graph, "is_directed", None)) and callable(getattr(graph, "edges", None)):
        return _of_networkx(graph, duplicates)
    raise RegardError(
        "layers over graphs take Edges, an edge_index, a torch_geometric Data or a networkx graph",
        told(graph),
        "pass a tensor of two rows, sources and targets, or Edges(source, target, nodes=...)",
    )


def _as_tensor(graph: GraphLike) -> GraphLike:
    """An array of whole numbers as a tensor; anything else as it is."""
    if isinstance(graph, np.ndarray) and graph.dtype.kind in "iu":
        return torch.from_numpy(np.ascontiguousarray(graph, dtype=np.int64))
    return graph


def features_and_edges(x: Any, graph: GraphLike) -> tuple[Any, Edges]:
    """A row of features for each node and the edges; a graph that has both may stand for both."""
    if type(graph) is Edges:
        return x, graph
    if graph is None:
        x, graph = _features(x), x
    return x, as_edges(
        graph, nodes=len(x) if isinstance(x, Tensor | SparseFeatures) and len(x.shape) == 2 else None
    )


def identity(nodes: int) -> SparseFeatures:
    """Features that tell every node by its number: the rows of the identity matrix.

    >>> identity(2).dense()
    tensor([[1., 0.],
            [0., 1.]])
    """
    each = torch.arange(nodes)
    return SparseFeatures(Edges(each, each, nodes=nodes), torch.ones(nodes))


def _features(graph: GraphLike) -> Any:
    if isinstance(graph, Graph):
        return graph.features
    if isinstance(getattr(graph, "edge_index", None), Tensor):
        return identity(graph.num_nodes) if graph.x is None else graph.x
    if callable(getattr(graph, "is_directed", None)):
        return identity(len(graph))
    raise RegardError(
        "layers over graphs take features and edges",
        f"{told(graph)} alone",
        "pass layer(x, edges), or a graph that has both",
    )


def _of_index(index: Tensor, extras: dict[str, Any], nodes: int | None, duplicates: Duplicates) -> Edges:
    if index.dim() != 2 or index.shape[0] != 2 or index.dtype not in INTEGERS:
        turned = index.dim() == 2 and index.shape[1] == 2 and index.dtype in INTEGERS
        raise RegardError(
            "an edge_index has two rows of whole numbers: the sources and the targets",
            f"{tuple(index.shape)} of {index.dtype}",
            "pass edge_index.T" if turned else "pass a tensor of integers of shape (2, edges)",
        )
    if nodes is None:
        nodes = int(index.max()) + 1 if index.numel() else 0
    words = {"nodes": nodes, "duplicates": duplicates}
    if any(x is not None for x in extras.values()):
        return Edges(index[0], index[1], **words, **extras)
    # Sorted once, and again where the tensor was written into.
    asked = (index._version, nodes, duplicates)
    known = _KNOWN.get(index)
    if known is None or known[0] != asked:
        known = _KNOWN[index] = (asked, Edges(index[0], index[1], **words))
    return known[1]


def _of_networkx(graph: Any, duplicates: Duplicates) -> Edges:
    number = {node: i for i, node in enumerate(graph)}
    joined = [(number[u], number[v]) for u, v in graph.edges()]
    weighted = any("weight" in attributes for _, _, attributes in graph.edges(data=True))
    if not graph.is_directed():
        joined += [(v, u) for u, v in joined if u != v]
    ends = torch.tensor(joined, dtype=torch.long).view(-1, 2)
    edges = Edges(ends[:, 0], ends[:, 1], nodes=len(number), duplicates=duplicates)
    edges.unused = (
        "their weights not used: from_networkx(graph, edge_features='weight') has them" if weighted else ""
    )
    return edges
