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


def test_edges_are_not_sampled(data) -> None:
    from regard.errors import RegardError

    with pytest.raises(RegardError, match="this sampler draws the neighbourhoods of nodes"):
        geometric_sampler(
            NeighbourSampler(Edges(*data.edge_index, nodes=NODES, duplicates="keep"), (2,))
        ).sample_from_edges(None)
