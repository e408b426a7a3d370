"""Graphs side by side: numbered on, joined by nothing; what does not fit is told."""

import pytest
import torch

from regard.core.edges import Edges
from regard.errors import RegardError
from regard.models.graph.batch import Graph, union
from regard.models.graph.sparse import SparseFeatures


def graph(nodes: int, **options) -> Graph:
    """A path with features of its own."""
    x = torch.randn(nodes, 3, generator=torch.Generator().manual_seed(nodes))
    return Graph(x, Edges(torch.arange(nodes - 1), torch.arange(1, nodes), nodes=nodes), **options)


def test_a_union_numbers_nodes_and_graphs_on():
    parts = [
        graph(3, labels=torch.tensor([1])),
        graph(1, labels=torch.tensor([0])),
        graph(2, labels=torch.tensor([2])),
    ]
    both = union([union(parts[:2]), parts[2]])
    assert both.graphs == 3 and both.nodes == 6 and both.batch.tolist() == [0, 0, 0, 1, 2, 2]
    assert both.edges.source.tolist() == [0, 1, 4] and both.edges.target.tolist() == [1, 2, 5]
    assert both.labels.tolist() == [1, 0, 2]
    assert torch.equal(both.features, torch.cat([part.features for part in parts]))


def test_relations_and_features_of_edges_come_along():
    parts = [
        Graph(torch.ones(2, 1), Edges(torch.tensor([1]), torch.tensor([0]), nodes=2, relation=torch.tensor([r]), features=torch.tensor([[f]])))
        for r, f in ((4, 0.5), (7, 0.25))
    ]  # fmt: skip
    edges = union(parts).edges
    assert edges.relation.tolist() == [4, 7] and edges.features.tolist() == [[0.5], [0.25]]


def test_what_a_graph_keeps_twice_a_union_keeps_and_both_say_so():
    twice = Edges(torch.tensor([0, 0]), torch.tensor([1, 1]), nodes=2, duplicates="keep")
    one = Graph(torch.ones(2, 3), twice)
    assert union([one, one]).edges.count == 4
    said = "Graph(2 nodes, 3 features, Edges(2 edges, 2 targets, 2 sources, 1 given again and kept))"
    assert repr(one) == said


def test_bags_come_along():
    parts = [graph(3), graph(2)]
    sparse = union([Graph(SparseFeatures.of(part.features), part.edges) for part in parts])
    assert torch.equal(sparse.features.dense(), union(parts).features)


def test_one_graph_is_its_own_batch():
    assert graph(3).group.tolist() == [0, 0, 0] and graph(3).to("cpu").nodes == 3


def message(make) -> str:
    with pytest.raises(RegardError) as error:
        make()
    return str(error.value)


PAIR = Edges(torch.tensor([0]), torch.tensor([1]), nodes=2)
LABELS = "labels are one whole number per node, or one per graph\n  got: {}\n  fix: give one class per node or per graph, as a tensor of integers with one axis"
BATCH = (
    "batch is one number from 0 to 1 per node: that of its graph\n  got: {}\n  fix: let union([...]) make it"
)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Graph(torch.ones(0, 3), Edges(torch.tensor([], dtype=torch.long), torch.tensor([], dtype=torch.long), nodes=0)),
         "a graph has at least one node\n  got: none\n  fix: leave empty graphs out"),
        (lambda: Graph(torch.ones(3, 1), PAIR),
         "features are one row per node of the graph\n  got: 3 rows, edges of sizes (2, 2)\n  fix: give every node its row; nodes without edges have one too"),
        (lambda: Graph(torch.ones(2, 1), PAIR, labels=torch.tensor([0, 3]), classes=3),
         "a label is the number of a class, at least 0 and below 3\n  got: 3 at 1\n  fix: number the classes from 0, and say how many there are: classes=..."),
        (lambda: Graph(torch.ones(2, 1), PAIR, labels=torch.tensor([-1, 3])),
         "a label is the number of a class, at least 0\n  got: -1 at 0\n  fix: number the classes from 0, and say how many there are: classes=..."),
        (lambda: Graph(torch.ones(2, 1), PAIR, labels=torch.tensor([0, 1, 1])), LABELS.format("(3,) of torch.int64 for 2 nodes in 1 graphs")),
        (lambda: Graph(torch.ones(2, 1), PAIR, labels=torch.ones(2)), LABELS.format("(2,) of torch.float32 for 2 nodes in 1 graphs")),
        (lambda: Graph(torch.ones(2, 1), PAIR, graphs=2), BATCH.format("None")),
        (lambda: Graph(torch.ones(2, 1), PAIR, graphs=2, batch=torch.tensor([0, 2])), BATCH.format("(2,), [0, 2]")),
        (lambda: union([]), "a union needs graphs\n  got: none\n  fix: pass at least one graph"),
        (lambda: union([graph(2), Graph(torch.ones(2, 4), PAIR)]),
         "the graphs of a union have features of one kind and width\n  got: widths [3, 4], 0 as bags and 2 dense\n  fix: give every graph the same features"),
        (lambda: union([graph(2), graph(2, labels=torch.tensor([0]))]),
         "either all graphs of a union have labels or none\n  got: 1 of 2 have\n  fix: give the others labels, or drop them"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told(make, text):
    assert message(make) == text
