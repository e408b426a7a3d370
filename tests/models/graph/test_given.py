"""Graphs as people have them: every form gives the same edges, and the layers the same answer."""

import numpy as np
import pytest
import torch

from regard.core.edges import Edges
from regard.errors import RegardError
from regard.models.graph.batch import Graph
from regard.models.graph.given import as_edges, identity
from regard.models.graph.layers import GAT, GCN, GraphAttention, GraphConvolution, MessagePassing
from regard.models.graph.relational import RelationalAttention

X = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
INDEX = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
EDGES = Edges(INDEX[0], INDEX[1], nodes=4)


def path():
    return pytest.importorskip("networkx").path_graph(4)


def data(index: torch.Tensor = INDEX, **more):
    return pytest.importorskip("torch_geometric.data").Data(x=X, edge_index=index, num_nodes=4, **more)


LAYERS = {
    "GCN": lambda: GCN(3, 5, 2),
    "GAT": lambda: GAT(3, 5, 2, heads=2),
    "GraphConvolution": lambda: GraphConvolution(3, 2),
    "GraphAttention": lambda: GraphAttention(3, 2, heads=2),
    "MessagePassing": lambda: MessagePassing(lambda own, other, features: other - own, lambda x, m: x + m),
}
FORMS = {
    "edge_index": lambda: (X, INDEX),
    "Data": lambda: (X, data()),
    "Data alone": lambda: (data(),),
    "networkx": lambda: (X, path()),
    "Graph alone": lambda: (Graph(X, EDGES),),
    "Graph": lambda: (X, Graph(X, EDGES)),
    "int32": lambda: (X, INDEX.int()),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_says_the_same_of_every_form(name: str, form: str) -> None:
    torch.manual_seed(0)
    layer = LAYERS[name]().eval()
    assert torch.allclose(layer(*FORMS[form]()), layer(X, EDGES), atol=1e-6)


def test_a_networkx_graph_alone_has_the_identity_for_features() -> None:
    layer = GraphConvolution(4, 2)
    assert torch.allclose(layer(path()), layer(identity(4), EDGES), atol=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_edges_given_twice_count_as_in_torch_geometric_or_once_as_asked() -> None:
    GCNConv = pytest.importorskip("torch_geometric.nn").GCNConv
    twice = torch.cat([INDEX, INDEX[:, :2]], 1)
    theirs = GCNConv(3, 2, add_self_loops=False)
    ours = GraphConvolution(3, 2)
    with torch.no_grad():
        ours.weight.copy_(theirs.lin.weight.T)
        assert ours.bias is not None
        ours.bias.copy_(theirs.bias)
        # torch_geometric normalises by the edges to a node at both ends, which here are as many as those from it.
        assert torch.allclose(ours(X, twice), theirs(X, twice), atol=1e-6)
        merged = as_edges(twice, nodes=4, duplicates="merge")
        assert torch.allclose(ours(X, merged), theirs(X, INDEX), atol=1e-6)
    assert repr(as_edges(data(twice))) == "Edges(8 edges, 4 targets, 4 sources, 2 given again and kept)"
    assert repr(merged) == "Edges(6 edges, 4 targets, 4 sources, 2 given again and merged into the first)"


def test_kinds_and_features_of_edges_come_along() -> None:
    given = data(edge_type=torch.tensor([0, 1, 0, 1, 0, 1]), edge_attr=torch.arange(6))
    edges = as_edges(given)
    assert edges.relation is not None and edges.features is not None and edges.features.shape == (6, 1)
    other = as_edges(data(edge_attr=torch.zeros(6)))
    assert other.features is not None and not other.features.any() and other.relation is None
    layer = RelationalAttention(3, 2, relations=2, heads=2)
    right = Edges(INDEX[0], INDEX[1], nodes=4, relation=given.edge_type)
    assert torch.allclose(layer(X, given), layer(X, right), atol=1e-6)


def test_an_edge_index_is_sorted_once_and_again_where_it_changed() -> None:
    index = INDEX.clone()
    first = as_edges(index, nodes=4)
    assert as_edges(index, nodes=4) is first and as_edges(index, nodes=5) is not first
    before = as_edges(index, nodes=4).sources.count.tolist()
    index[0, 0] = 3
    assert before == [1, 2, 2, 1] and as_edges(index, nodes=4).sources.count.tolist() == [0, 2, 2, 2]


def test_multigraphs_loops_and_directions_of_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    multi = networkx.MultiGraph([("a", "b"), ("a", "b"), ("c", "c")])
    edges = as_edges(multi)
    assert sorted(zip(edges.source.tolist(), edges.target.tolist(), strict=True)) == [
        (0, 1),
        (0, 1),
        (1, 0),
        (1, 0),
        (2, 2),
    ]
    assert as_edges(multi, duplicates="merge").count == 3
    directed = as_edges(networkx.DiGraph([(0, 1)]))
    assert (directed.source.tolist(), directed.target.tolist()) == ([0], [1])


@pytest.mark.parametrize(
    ("graph", "what", "fix"),
    [
        (INDEX.T, "an edge_index has two rows of whole numbers: the sources and the targets", "pass edge_index.T"),
        (INDEX.float(), "an edge_index has two rows of whole numbers: the sources and the targets", "pass a tensor of integers of shape (2, edges)"),
        ([[0], [1]], "layers over graphs take Edges, an edge_index, a torch_geometric Data or a networkx graph", "pass a tensor of two rows, sources and targets, or Edges(source, target, nodes=...)"),
        (INDEX + 1, "target must be at least 0 and below 4", "number the nodes from 0, or pass a larger nodes= or sizes="),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_told(graph, what: str, fix: str) -> None:
    with pytest.raises(RegardError) as error:
        GraphConvolution(3, 2)(X, graph)
    assert (error.value.what, error.value.fix) == (what, fix)


def test_features_alone_are_told() -> None:
    with pytest.raises(RegardError, match="layers over graphs take features and edges\n  got: a tensor"):
        GCN(3, 4, 2)(X)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_an_edge_index_of_numpy_is_one_of_torch(kind: type) -> None:
    index = np.array([[0, 1, 2], [1, 2, 0]], kind)
    found = as_edges(index)
    assert (found.source.tolist(), found.target.tolist()) == ([0, 1, 2], [1, 2, 0])
    assert as_edges(index[:, ::-1]).source.tolist() == [2, 1, 0]
    with pytest.raises(RegardError, match="an edge_index has two rows of whole numbers"):
        as_edges(index.T)
    with pytest.raises(RegardError, match="layers over graphs take Edges"):
        as_edges(index.astype(float))


def test_that_the_weights_of_a_networkx_graph_are_not_used_is_said() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([(0, 1, 0.5), (1, 2, 2.0)])
    assert repr(as_edges(graph)) == (
        "Edges(4 edges, 3 targets, 3 sources, their weights not used: "
        "from_networkx(graph, edge_features='weight') has them)"
    )
    assert repr(as_edges(path())) == "Edges(6 edges, 4 targets, 4 sources)"
