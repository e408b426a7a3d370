"""Relations: a GAT layer for each, summed; and a classifier of graphs that sees each graph alone."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from regard.core.edges import Edges
from regard.errors import RegardError
from regard.models.graph.aggregate import maxima, means, sums
from regard.models.graph.batch import Graph, union
from regard.models.graph.layers import GraphAttention
from regard.models.graph.relational import RelationalAttention, RelationalGAT, unfolded

KINDS, INPUTS = 3, 5


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Small graphs with three kinds of edges, which may join the same nodes."""
    n = draw(st.integers(1, 6))
    keys = draw(st.lists(st.integers(0, n * n * KINDS - 1), unique=True, max_size=23))
    key, seed = torch.tensor(keys, dtype=torch.long), draw(st.integers(0, 99))
    x = torch.randn(n, INPUTS, dtype=torch.double, generator=torch.Generator().manual_seed(seed))
    extras = torch.randn(len(keys), 2, dtype=torch.double, generator=torch.Generator().manual_seed(seed + 1))
    ends = key // KINDS
    return Graph(x, Edges(ends % n, ends // n, nodes=n, relation=key % KINDS, features=extras))


def random(module: nn.Module) -> nn.Module:
    torch.manual_seed(7)
    for parameter in module.double().eval().parameters():
        nn.init.normal_(parameter)
    return module


LAYER = random(RelationalAttention(INPUTS, 2, relations=KINDS, heads=2, features=2))
MODEL = random(
    RelationalGAT(INPUTS, 2, 4, relations=KINDS, heads=2, depth=3, features=2, readouts=(means, sums, maxima))
)


@pytest.mark.slow
@given(graph=graphs())
def test_a_layer_is_a_gat_layer_for_each_relation_summed(graph):
    x, edges = graph.features, graph.edges
    y, weights = LAYER(x, edges, weights=True)
    expected, each = x @ LAYER.own + LAYER.bias, torch.zeros_like(weights)
    for kind, weight in enumerate(LAYER.weight.view(INPUTS, KINDS, -1).unbind(1)):
        mine = edges.relation == kind
        alone = GraphAttention(INPUTS, 2, heads=2, features=2, bias=False).double()
        alone.load_state_dict(
            {"weight": weight, **{f"similarity.{k}": v for k, v in LAYER.similarity.state_dict().items()}}
        )
        own = Edges(edges.source[mine], edges.target[mine], nodes=len(x), features=edges.features[mine])
        part, each[:, mine] = alone(x, own, weights=True)
        expected = expected + part
    assert torch.allclose(y, expected, atol=1e-10) and torch.allclose(weights, each, atol=1e-10)
    assert torch.allclose(LAYER(x, edges), y, atol=1e-10)


@pytest.mark.slow
@given(left=graphs(), right=graphs())
def test_a_graph_in_a_batch_is_classified_as_if_alone(left, right):
    together = MODEL(union([left, right]))
    assert torch.allclose(together, torch.cat([MODEL(left), MODEL(right)]), atol=1e-9)


@pytest.mark.slow
@given(graph=graphs(), seed=st.integers(0, 99))
def test_renumbering_the_notes_changes_nothing(graph, seed):
    order = torch.randperm(graph.nodes, generator=torch.Generator().manual_seed(seed))
    place, edges = order.argsort(), graph.edges
    moved = Edges(
        place[edges.source],
        place[edges.target],
        nodes=graph.nodes,
        relation=edges.relation,
        features=edges.features,
    )
    assert torch.allclose(MODEL(graph), MODEL(Graph(graph.features[order], moved)), atol=1e-9)


@pytest.mark.slow
@given(graph=graphs())
def test_the_weights_of_each_relation_to_a_node_sum_to_one(graph):
    seen = MODEL.weights(graph)
    row = graph.edges.target * KINDS + graph.edges.relation
    assert len(seen) == 3
    for weights in seen:
        total = torch.zeros(2, graph.nodes * KINDS, dtype=torch.double).index_add(1, row, weights)
        assert torch.allclose(total[:, row], torch.ones_like(total[:, row]), atol=1e-12)


def test_gradients_reach_every_parameter():
    """Every node hears every node by every relation: where all scores of a row have one sign, some are truly zero."""
    torch.manual_seed(0)
    source, target, relation = torch.cartesian_prod(*map(torch.arange, (4, 4, KINDS))).T
    edges = Edges(source, target, nodes=4, relation=relation)
    model = RelationalGAT(INPUTS, 2, 4, relations=KINDS, heads=2)
    model(Graph(torch.randn(4, INPUTS), edges)).square().sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())


def test_dropout_is_for_training_alone():
    edges = Edges(torch.tensor([0, 1]), torch.tensor([1, 0]), nodes=2, relation=torch.tensor([0, 1]))
    model = RelationalGAT(INPUTS, 2, 4, relations=2, heads=2, dropout=0.5, attention_dropout=0.5)
    graph = Graph(torch.ones(2, INPUTS), edges)
    assert not torch.equal(model(graph), model(graph))
    model.eval()
    assert torch.equal(model(graph), model(graph))


def test_edges_are_unfolded_once_and_forgotten_with_them():
    edges = Edges(torch.tensor([0, 1]), torch.tensor([1, 0]), nodes=2, relation=torch.tensor([1, 0]))
    first = unfolded(edges, 2)
    assert unfolded(edges, 2) is first and unfolded(edges, 3) is not first
    assert first.source.tolist() == [1, 2] and first.target.tolist() == [3, 0]


def message(edges: Edges) -> str:
    with pytest.raises(RegardError) as error:
        unfolded(edges, 2)
    return str(error.value)


def test_relations_that_do_not_fit_are_told():
    ends = torch.tensor([0]), torch.tensor([0])
    assert message(Edges(*ends, nodes=1)) == (
        "relational attention needs the kind of every edge\n"
        "  got: Edges without relation\n"
        "  fix: pass Edges(source, target, relation=...)"
    )
    assert message(Edges(*ends, nodes=1, relation=torch.tensor([2]))) == (
        "the layer was built for 2 relations\n"
        "  got: relation 2\n"
        "  fix: number the relations from 0 to 1, or build the layer for more"
    )


@pytest.mark.filterwarnings("ignore")
def test_a_graph_of_torch_geometric_is_classified_as_ours() -> None:
    geometric = pytest.importorskip("torch_geometric.data")
    index, kinds, x = torch.tensor([[0, 1, 2], [1, 2, 0]]), torch.tensor([0, 1, 0]), torch.randn(3, 4)
    torch.manual_seed(0)
    model = RelationalGAT(4, 3, 2, relations=2, heads=2).eval()
    ours = Graph(x, Edges(index[0], index[1], nodes=3, relation=kinds))
    assert torch.allclose(model(geometric.Data(x=x, edge_index=index, edge_type=kinds)), model(ours))
