"""Sampled graphs: full fan-out is the whole graph in value and gradient; fewer edges estimate it without bias."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from regard.core.edges import Edges
from regard.core.normalise import Mean, Symmetric
from regard.errors import RegardError
from regard.models.graph.layers import GAT, GCN, GraphAttention, GraphConvolution
from regard.models.graph.sampled import SampledEdges, SampledGraph, node_loss
from regard.models.graph.sampler import NeighbourSampler
from regard.training import PLAIN, Training

NODES, WIDTH, CLASSES = 60, 5, 3


@pytest.fixture
def edges() -> Edges:
    """A directed graph with hubs, nodes without edges, loops and edges given twice."""
    draw = torch.Generator().manual_seed(1)
    source = (torch.rand(400, generator=draw) ** 3 * NODES).long()
    target = (torch.rand(400, generator=draw) ** 2 * (NODES - 5)).long()
    return Edges(source, target, nodes=NODES, duplicates="keep")


@pytest.fixture
def features() -> Tensor:
    return torch.randn(NODES, WIDTH, generator=torch.Generator().manual_seed(2), dtype=torch.float64)


LABELS = torch.arange(NODES) % CLASSES
MODELS = {
    "GCN": lambda: GCN(WIDTH, 8, CLASSES, dropout=0.0),
    "GCN with means": lambda: GCN(WIDTH, 8, CLASSES, dropout=0.0, normalise=Mean(), self_connection=True),
    "GAT": lambda: GAT(WIDTH, 4, CLASSES, heads=2, dropout=0.0, attention_dropout=0.0),
}


@pytest.mark.parametrize("name", MODELS)
def test_full_fan_out_equals_the_full_batch_in_loss_and_gradient(
    name: str, edges: Edges, features: Tensor
) -> None:
    torch.manual_seed(0)
    model, nodes = MODELS[name]().double(), torch.tensor([50, 3, 17, 0, 58])
    whole = nn.functional.cross_entropy(model(features, edges)[nodes], LABELS[nodes])
    wanted = torch.autograd.grad(whole, list(model.parameters()))
    batch = NeighbourSampler(edges, (-1, -1), features=features, labels=LABELS).sample(nodes)
    assert batch.nodes < NODES, "the neighbourhood is the whole graph: the test shows nothing"
    found = node_loss(model, batch)
    assert abs(found - whole) < 1e-10
    for one, other in zip(torch.autograd.grad(found, list(model.parameters())), wanted, strict=True):
        assert (one - other).abs().max() < 1e-10


def test_with_the_degrees_of_the_drawn_edges_alone_it_would_not(edges: Edges, features: Tensor) -> None:
    """What the degrees of the larger graph are for."""
    nodes = torch.tensor([50, 3, 17, 0, 58])
    layer = GraphConvolution(WIDTH, 2, normalise=Symmetric()).double()
    batch = NeighbourSampler(edges, (-1,), features=features).sample(nodes)
    bare = Edges(batch.edges.source, batch.edges.target, nodes=batch.nodes, duplicates="keep")
    wanted = layer(features, edges)[nodes]
    assert (layer(batch)[:5] - wanted).abs().max() < 1e-12
    assert (layer(batch.x, bare)[:5] - wanted).abs().max() > 1e-2


@pytest.mark.parametrize("normalise", [Symmetric(), Mean()])
def test_fewer_edges_estimate_the_layer_without_bias(normalise, edges: Edges, features: Tensor) -> None:
    torch.manual_seed(0)
    nodes, layer = torch.tensor([0, 1, 2]), GraphConvolution(WIDTH, 2, normalise=normalise).double()
    sampler, wanted = NeighbourSampler(edges, (2,), features=features), layer(features, edges)[nodes]
    with torch.no_grad():
        drawn = torch.stack([layer(sampler.sample(nodes, number=number))[:3] for number in range(400)])
    error = drawn.std(0) / len(drawn) ** 0.5
    assert drawn.std(0).min() > 1e-3, "nothing was left to chance"
    assert ((drawn.mean(0) - wanted).abs() < 4.5 * error).all()


def test_a_batch_has_the_names_of_a_neighbor_loaders(edges: Edges, features: Tensor) -> None:
    batch = NeighbourSampler(edges, (3, 3), features=features, labels=LABELS).sample(torch.tensor([4, 2]))
    assert isinstance(batch, SampledGraph) and batch.batch_size == 2
    assert batch.n_id is not None and batch.n_id[:2].tolist() == [4, 2]
    assert torch.equal(batch.x, features[batch.n_id]) and torch.equal(batch.y, LABELS[batch.n_id])
    assert torch.equal(batch.edge_index[1], batch.edges.target)


def test_sampled_edges_move_with_their_degrees(edges: Edges) -> None:
    moved = NeighbourSampler(edges, (2,)).sample(torch.tensor([0])).edges.to("cpu")
    assert isinstance(moved, SampledEdges) and moved.into.tolist()[0] == int((edges.target == 0).sum())


def test_the_training_loop_takes_batches_as_they_are(edges: Edges, features: Tensor) -> None:
    torch.manual_seed(0)
    labels = (features[:, 0] > 0).long()
    sampler = NeighbourSampler(edges.with_loops(), (4, 4), features=features.float(), labels=labels)
    model = GCN(WIDTH, 16, 2, dropout=0.0, self_connection=True)
    steps = list(
        Training(
            model,
            sampler.batches(torch.arange(NODES), 20),
            node_loss,
            replace(PLAIN, steps=90, learning_rate=0.02),
        )
    )
    assert sum(one.loss for one in steps[-9:]) < 0.5 * sum(one.loss for one in steps[:9])


def test_attention_weights_of_a_sampled_graph_sum_to_one(edges: Edges, features: Tensor) -> None:
    batch = NeighbourSampler(edges, (3,), features=features).sample(torch.tensor([0, 1]))
    _, weights = GraphAttention(WIDTH, 2, heads=1).double()(batch.x, batch.edges, weights=True)
    assert weights[0, batch.edges.target == 0].sum().item() == pytest.approx(1.0)


@pytest.mark.parametrize("batch", [None, "labels", torch.zeros(3)])
def test_what_is_no_batch_is_told(batch, edges: Edges, features: Tensor) -> None:
    given = (
        NeighbourSampler(edges, (2,), features=features).sample(torch.tensor([0]))
        if batch == "labels"
        else batch
    )
    with pytest.raises(RegardError, match="the loss needs the labels of a batch"):
        node_loss(nn.Linear(1, 1), given)
