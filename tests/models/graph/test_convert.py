"""Graphs from networkx and torch_geometric and back: nothing is lost on the way."""

import subprocess
import sys

import pytest
import torch

from regard.core.edges import Edges
from regard.errors import RegardError
from regard.models.graph.batch import Graph, union
from regard.models.graph.convert import from_geometric, from_networkx, to_geometric, to_networkx
from regard.models.graph.layers import GraphConvolution
from regard.models.graph.sparse import SparseFeatures


def graph(nodes: int = 4) -> Graph:
    return Graph(
        torch.randn(nodes, 3, generator=torch.Generator().manual_seed(0)),
        Edges(
            torch.tensor([2, 0, 0, 1]),
            torch.tensor([1, 1, 1, 1]),
            nodes=nodes,
            relation=torch.tensor([0, 0, 1, 1]),
            features=torch.tensor([[0.5], [1.5], [2.5], [3.5]]),
        ),
        labels=torch.arange(nodes) % 2,
    )


def rows(one: Graph) -> list:
    """The edges with all they carry, in an order of their own."""
    parts = (one.edges.source, one.edges.target, one.edges.relation, one.edges.features)
    return sorted(zip(*(None if x is None else x.tolist() for x in parts), strict=True))


def test_networkx_and_back():
    pytest.importorskip("networkx")
    first = graph()
    there = to_networkx(first)
    assert (
        there.is_multigraph() and there.number_of_nodes() == 4 and there.edges[0, 1, 1]["features"] == [2.5]
    )
    back = from_networkx(
        there, features="features", labels="label", relation="relation", edge_features="features"
    )
    assert rows(back) == rows(first) and torch.allclose(back.features, first.features)
    assert back.labels.tolist() == [0, 1, 0, 1] and back.classes == 2


def test_an_undirected_networkx_graph_goes_both_ways_and_its_loops_once():
    networkx = pytest.importorskip("networkx")
    there = networkx.Graph([("a", "b"), ("b", "b"), ("b", "c")])
    there.add_node("alone")
    found = from_networkx(there)
    edges = sorted(zip(found.edges.source.tolist(), found.edges.target.tolist(), strict=True))
    assert edges == [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)] and found.nodes == 4
    assert isinstance(found.features, SparseFeatures) and torch.equal(found.features.dense(), torch.eye(4))


def test_a_convolution_over_a_networkx_graph_is_that_of_its_matrix():
    networkx = pytest.importorskip("networkx")
    there = networkx.karate_club_graph()
    adjacency = torch.from_numpy(networkx.to_numpy_array(there, weight=None)).float() + torch.eye(34)
    scale = adjacency.sum(1).rsqrt()
    layer, found = GraphConvolution(34, 2, bias=False), from_networkx(there, labels="club")
    expected = (scale[:, None] * adjacency * scale) @ layer.weight
    assert torch.allclose(layer(found.features, found.edges.with_loops()), expected, atol=1e-6)
    assert found.labels.sum() == 17


def test_a_plain_graph_has_no_parallel_edges_in_networkx():
    pytest.importorskip("networkx")
    there = to_networkx(Graph(torch.eye(2), Edges(torch.tensor([0]), torch.tensor([1]), nodes=2)))
    assert not there.is_multigraph() and list(there.edges(data=True)) == [(0, 1, {})]


@pytest.mark.parametrize("relation", [None, torch.tensor([0, 0, 1])])
def test_an_edge_that_is_kept_twice_stays_twice_in_networkx(relation):
    networkx = pytest.importorskip("networkx")
    edges = Edges(
        torch.tensor([0, 0, 1]), torch.tensor([1, 1, 2]), nodes=4, relation=relation, duplicates="keep"
    )
    there = to_networkx(edges)
    assert isinstance(there, networkx.MultiDiGraph) and there.number_of_nodes() == 4
    assert sorted(there.edges()) == [(0, 1), (0, 1), (1, 2)]
    merged = Edges(
        torch.tensor([0, 0, 1]), torch.tensor([1, 1, 2]), nodes=4, relation=relation, duplicates="merge"
    )
    assert sorted(to_networkx(merged).edges()) == [(0, 1), (1, 2)]


def test_edges_alone_go_out_in_any_form():
    networkx = pytest.importorskip("networkx")
    index = torch.tensor([[0, 1], [1, 2]])
    for given in (index, Edges(index[0], index[1], nodes=3), networkx.DiGraph([(0, 1), (1, 2)])):
        assert list(to_networkx(given).edges(data=True)) == [(0, 1, {}), (1, 2, {})]
    with pytest.raises(RegardError, match="pass a tensor of two rows, sources and targets, or Edges"):
        to_networkx("a ring")


@pytest.mark.slow
def test_edges_alone_become_data():
    pytest.importorskip("torch_geometric")
    found = to_geometric(Edges(torch.tensor([0]), torch.tensor([1]), nodes=3))
    assert found.num_nodes == 3 and found.x is None and found.edge_index.tolist() == [[0], [1]]


@pytest.mark.slow
def test_torch_geometric_and_back():
    pytest.importorskip("torch_geometric")
    first = union([graph(), graph(5)])
    back = from_geometric(to_geometric(first))
    assert rows(back) == rows(first) and torch.equal(back.features, first.features)
    assert (
        torch.equal(back.labels, first.labels) and torch.equal(back.batch, first.batch) and back.graphs == 2
    )


@pytest.mark.slow
def test_a_batch_of_torch_geometric_comes_in():
    data = pytest.importorskip("torch_geometric.data")
    parts = [to_geometric(Graph(torch.ones(n, 2), Edges(torch.tensor([0]), torch.tensor([n - 1]), nodes=n), labels=torch.tensor([n]))) for n in (3, 2)]  # fmt: skip
    found = from_geometric(data.Batch.from_data_list(parts))
    assert found.batch.tolist() == [0, 0, 0, 1, 1] and found.labels.tolist() == [3, 2]
    assert found.edges.source.tolist() == [0, 3] and found.edges.target.tolist() == [2, 4]


def test_torch_geometric_without_features_or_with_sparse_ones():
    data = pytest.importorskip("torch_geometric.data")
    index = torch.tensor([[0, 1], [1, 2]])
    bare = from_geometric(data.Data(edge_index=index, num_nodes=4, edge_attr=torch.tensor([0.5, 1.5])))
    assert torch.equal(bare.features.dense(), torch.eye(4)) and bare.edges.features.tolist() == [[0.5], [1.5]]
    sparse = from_geometric(data.Data(x=torch.eye(3).to_sparse_coo(), edge_index=index))
    assert isinstance(sparse.features, SparseFeatures) and torch.equal(to_geometric(sparse).x, torch.eye(3))


def test_what_is_missing_is_told():
    networkx, data = pytest.importorskip("networkx"), pytest.importorskip("torch_geometric.data")
    there = networkx.Graph([(0, 1)])
    there.nodes[0]["club"] = "a"
    with pytest.raises(RegardError) as error:
        from_networkx(there, labels="club")
    assert str(error.value) == (
        "not all nodes of the graph have the attribute 'club'\n"
        "  got: 1 of 2 lack it, the first is number 1\n"
        "  fix: set it on all nodes, or name another attribute"
    )
    with pytest.raises(RegardError) as error:
        from_geometric(data.Data(x=torch.eye(2)))
    assert str(error.value) == (
        "a graph from torch_geometric needs its edges as edge_index\n"
        "  got: Data without it\n"
        "  fix: pass Data(x=..., edge_index=...); for other forms, build Edges yourself"
    )


def test_without_networkx_the_remedy_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(RegardError) as error:
        to_networkx(graph())
    assert str(error.value) == (
        "this needs networkx\n"
        "  got: import of networkx halted; None in sys.modules\n"
        "  fix: pip install regard[graphs]"
    )


@pytest.mark.slow
def test_neither_is_loaded_before_it_is_asked_for():
    check = "import sys, regard.models.graph.convert; assert not {'networkx', 'torch_geometric'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", check], check=True)
