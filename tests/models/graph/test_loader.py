"""Batches that torch_geometric's own loaders make are taken as they are, with its sampler and with ours."""

import pytest
import torch
from torch import nn

from regard.core.edges import Edges
from regard.core.normalise import Mean
from regard.models.graph.layers import GAT, GCN
from regard.models.graph.loader import geometric_sampler
from regard.models.graph.sampled import node_loss
from regard.models.graph.sampler import NeighbourSampler

geometric = pytest.importorskip("torch_geometric")
NODES = 60


@pytest.fixture
def data():
    draw = torch.Generator().manual_seed(0)
    index = torch.randint(NODES, (2, 150), generator=draw)
    x = torch.randn(NODES, 4, generator=draw, dtype=torch.float64)
    return geometric.data.Data(x=x, edge_index=index, y=torch.randint(3, (NODES,), generator=draw))


def loader(data, fanout):
    edges = Edges(*data.edge_index, nodes=NODES, duplicates="keep")
    return geometric.loader.NodeLoader(
        data,
        node_sampler=geometric_sampler(NeighbourSampler(edges, fanout)),
        input_nodes=torch.arange(0, NODES, 3),
        batch_size=6,
    )


MODELS = {
    "means": lambda: GCN(4, 8, 3, dropout=0.0, normalise=Mean(), self_connection=True),
    "GAT": lambda: GAT(4, 4, 3, heads=2, dropout=0.0, attention_dropout=0.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_loaders_batches_with_full_fan_out_give_the_full_batchs_loss_and_gradient(data, name: str) -> None:
    torch.manual_seed(0)
    model = MODELS[name]().double()
    whole = model(data)
    seen = 0
    for batch in loader(data, (-1, -1)):
        assert type(batch) is geometric.data.Data and batch.num_nodes < NODES
        nodes = batch.n_id[: batch.batch_size]
        wanted = nn.functional.cross_entropy(whole[nodes], data.y[nodes])
        found = node_loss(model, batch)
        assert abs(found - wanted) < 1e-10
        for one, other in zip(
            torch.autograd.grad(found, list(model.parameters())),
            torch.autograd.grad(wanted, list(model.parameters()), retain_graph=True),
            strict=True,
        ):
            assert (one - other).abs().max() < 1e-10
        seen += batch.batch_size
    assert seen == 20


def test_the_sampler_of_a_loader_draws_no_more_than_its_fan_out(data) -> None:
    for batch in loader(data, (2,)):
        counts = batch.edge_index[1].bincount(minlength=batch.num_nodes)
        assert int(counts[: batch.batch_size].max()) == 2 and not counts[batch.batch_size :].any()


def test_the_compiled_sampler_of_torch_geometric_where_it_is(data) -> None:
    from torch_geometric.typing import WITH_PYG_LIB, WITH_TORCH_SPARSE

    if not (WITH_PYG_LIB or WITH_TORCH_SPARSE):
        pytest.skip(
            "NeighborLoader needs pyg-lib or torch-sparse, which are compiled: pip install torch-sparse"
        )
    model = MODELS["GAT"]().double()
    whole = model(data)
    for batch in geometric.loader.NeighborLoader(data, num_neighbors=[-1, -1], batch_size=6):
        assert (model(batch)[: batch.batch_size] - whole[batch.n_id[: batch.batch_size]]).abs().max() < 1e-10


def of_all(model, batch, nodes=slice(None)):
    """The loss of some nodes of a batch, written apart."""
    return nn.functional.cross_entropy(model(batch.x, batch.edge_index)[nodes], batch.y[nodes])


def test_a_batch_of_graphs_is_about_all_their_nodes(data) -> None:
    """Its batch_size is how many graphs there are."""
    model = MODELS["GAT"]().double()
    (batch,) = geometric.loader.DataLoader([data, data], batch_size=2)
    assert batch.batch_size == 2 and len(batch.y) == 2 * NODES
    assert abs(node_loss(model, batch) - of_all(model, data)) < 1e-12
    assert abs(node_loss(model, batch) - of_all(model, batch, slice(2))) > 1e-3


def parts_by_chance(data):
    return geometric.loader.RandomNodeLoader(data, num_parts=3)


def parts_by_cluster(data):
    from torch_geometric.typing import WITH_METIS, WITH_TORCH_SPARSE

    if not (WITH_METIS or WITH_TORCH_SPARSE):
        pytest.skip("ClusterData needs pyg-lib or torch-sparse, which are compiled: pip install torch-sparse")
    return geometric.loader.ClusterLoader(geometric.loader.ClusterData(data, num_parts=3, log=False))


@pytest.mark.parametrize("parts", [parts_by_chance, parts_by_cluster])
def test_a_part_of_a_graph_is_about_all_its_nodes_or_those_of_its_train_mask(data, parts) -> None:
    model, seen = MODELS["GAT"]().double(), 0
    for batch in parts(data):
        assert abs(node_loss(model, batch) - of_all(model, batch)) < 1e-12
        seen += batch.num_nodes
    assert seen == NODES
    data.train_mask = torch.arange(NODES) % 2 == 0
    for batch in parts(data):
        assert abs(node_loss(model, batch) - of_all(model, batch, batch.train_mask)) < 1e-12


def test_a_part_without_a_node_to_learn_from_moves_nothing(data) -> None:
    model = MODELS["GAT"]().double()
    data.train_mask = torch.zeros(NODES, dtype=torch.bool)
    loss = node_loss(model, data)
    assert loss == 0
    assert not any(one.any() for one in torch.autograd.grad(loss, list(model.parameters())))


def test_nodes_that_were_asked_for_count_whatever_the_mask(data) -> None:
    model = MODELS["GAT"]().double()
    data.train_mask = torch.arange(NODES) % 2 == 0
    batch = next(iter(loader(data, (2, 2))))
    assert not batch.train_mask[:6].all()
    assert abs(node_loss(model, batch) - of_all(model, batch, slice(6))) < 1e-12


def given_with(**words):
    """A change of a graph by some attributes."""
    return lambda data: data.update(words)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (given_with(y=torch.tensor([1])), "60 rows of scores, 1 labels"),
        (given_with(y=torch.ones(NODES, 3)), r"one class for each of its nodes\n.*y=a tensor"),
        (given_with(train_mask=torch.ones(NODES, 10, dtype=torch.bool)), r"shape \(60, 10\) for 60 nodes"),
        (given_with(edge_label_index=torch.zeros(2, 4)), "this is the loss of nodes"),
    ],
)
def test_labels_that_are_not_one_for_each_node_are_told(data, change, told: str) -> None:
    from regard.errors import RegardError

    with pytest.raises(RegardError, match=told):
        node_loss(MODELS["GAT"]().double(), change(data))


def test_edges_are_not_sampled(data) -> None:
    from regard.errors import RegardError

    with pytest.raises(RegardError, match="this sampler draws the neighbourhoods of nodes"):
        geometric_sampler(
            NeighbourSampler(Edges(*data.edge_index, nodes=NODES, duplicates="keep"), (2,))
        ).sample_from_edges(None)
