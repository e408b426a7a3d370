"""Neighbour sampling: which edges are drawn, how often, and that a batch number says it all."""

from collections import Counter
from math import comb, sqrt

import pytest
import torch

from regard.core.edges import Edges
from regard.data import Network, load_cora
from regard.errors import RegardError
from regard.lab.statistics import difference, summarise
from regard.models.graph.layers import GCN
from regard.models.graph.sampled import node_loss
from regard.models.graph.sampler import NeighbourSampler, subsets


@pytest.fixture
def edges() -> Edges:
    draw = torch.Generator().manual_seed(0)
    return Edges(*torch.randint(40, (2, 300), generator=draw), nodes=40, duplicates="merge")


def hops(edges: Edges, nodes: list[int], depth: int) -> tuple[list[set[int]], set[tuple[int, int]]]:
    """The nodes by distance and all edges to those nearer than `depth`, by sets alone."""
    pairs = list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
    rings, seen, taken = [set(nodes)], set(nodes), set[tuple[int, int]]()
    for _ in range(depth):
        taken |= {(source, target) for source, target in pairs if target in rings[-1]}
        rings.append({source for source, target in pairs if target in rings[-1]} - seen)
        seen |= rings[-1]
    return rings, taken


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_full_fan_out_takes_every_edge_to_every_node_on_the_way(edges: Edges, depth: int) -> None:
    batch = NeighbourSampler(edges, (-1,) * depth).sample(torch.tensor([7, 3]))
    rings, taken = hops(edges, [7, 3], depth)
    names = batch.n_id.tolist()
    assert names[:2] == [7, 3] and set(names) == set().union(*rings) and len(set(names)) == len(names)
    drawn = [(names[source], names[target]) for source, target in batch.edge_index.T.tolist()]
    assert sorted(drawn) == sorted(taken)


def test_no_node_gets_more_edges_than_the_fan_out_of_its_hop_and_all_exist(edges: Edges) -> None:
    batch = NeighbourSampler(edges, (3, 2), seed=5).sample(torch.tensor([0, 1, 2]))
    names, there = batch.n_id.tolist(), set(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
    drawn = [(names[source], names[target]) for source, target in batch.edge_index.T.tolist()]
    assert len(set(drawn)) == len(drawn) and set(drawn) <= there
    counts, degree = Counter(target for _, target in drawn), Counter(edges.target.tolist())
    assert all(counts[node] == min(3, degree[node]) for node in (0, 1, 2))
    assert all(count <= 2 for node, count in counts.items() if node not in (0, 1, 2))
    assert sum(counts.values()) > 9, "nothing was drawn beyond the first hop"


def test_the_degrees_are_those_of_the_whole_graph(edges: Edges) -> None:
    batch = NeighbourSampler(edges, (2, 2)).sample(torch.tensor([0, 9]))
    into, out_of = Counter(edges.target.tolist()), Counter(edges.source.tolist())
    assert batch.edges.into.tolist() == [into[node] for node in batch.n_id.tolist()]
    assert batch.edges.out_of.tolist() == [out_of[node] for node in batch.n_id.tolist()]


def test_every_subset_is_equally_likely() -> None:
    times, size, count = 20_000, 5, 2
    drawn = subsets(torch.full((times,), size), count, torch.Generator().manual_seed(0))
    assert int(drawn.min()) == 0 and int(drawn.max()) == size - 1
    found = Counter(tuple(sorted(row)) for row in drawn.tolist())
    expected = times / comb(size, count)
    assert len(found) == comb(size, count), "a subset is missing, or a number was drawn twice"
    assert all(abs(times - expected) < 4.5 * sqrt(expected) for times in found.values())


def test_rows_of_different_sizes_stay_below_their_size() -> None:
    sizes = torch.tensor([4, 10, 1000])
    drawn = subsets(sizes, 3, torch.Generator().manual_seed(1))
    assert (drawn < sizes[:, None]).all() and all(len(set(row)) == 3 for row in drawn.tolist())


def test_a_batch_follows_from_its_number_and_an_epoch_takes_each_node_once(edges: Edges) -> None:
    nodes = torch.arange(5, 30)
    batches = NeighbourSampler(edges, (2, 2), seed=1).batches(nodes, 10)
    seen = [batches(number) for number in range(6)]
    for first in (0, 3):
        asked = torch.cat([one.n_id[: one.batch_size] for one in seen[first : first + 3]])
        assert sorted(asked.tolist()) == nodes.tolist()
    assert [one.batch_size for one in seen] == [10, 10, 5] * 2
    assert seen[0].n_id[:10].tolist() != seen[3].n_id[:10].tolist()
    again = batches(4)
    assert torch.equal(again.n_id, seen[4].n_id) and torch.equal(again.edge_index, seen[4].edge_index)
    other = NeighbourSampler(edges, (2, 2), seed=2).batches(nodes, 10)(4)
    assert not torch.equal(other.n_id, seen[4].n_id)


@pytest.mark.parametrize("fanout", [(), (0,), (-2,), (3, 1.5)])
def test_a_fan_out_that_is_none_is_told(edges: Edges, fanout) -> None:
    with pytest.raises((RegardError, TypeError)):
        NeighbourSampler(edges, fanout)


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        (torch.tensor([0, 0]), "0 to 0, 1 different of 2"),
        (torch.tensor([40]), "40 to 40, 1 different of 1"),
        (torch.tensor([-1, 3]), "-1 to 3, 2 different of 2"),
    ],
)
def test_nodes_that_are_none_or_come_twice_are_told(edges: Edges, nodes, said: str) -> None:
    with pytest.raises(RegardError) as caught:
        NeighbourSampler(edges, (2,)).sample(nodes)
    assert str(caught.value) == (
        f"the nodes of a batch are different ones, at least 0 and below 40\n  got: {said}\n  fix: give each node once"
    )


def test_features_of_another_number_of_nodes_are_told(edges: Edges) -> None:
    with pytest.raises(RegardError, match="features are one row per node of the graph"):
        NeighbourSampler(edges, (2,), features=torch.zeros(39, 2))
    with pytest.raises(RegardError, match="a batch has at least one of the nodes and at most all"):
        NeighbourSampler(edges, (2,)).batches(torch.arange(3), 4)


def accuracy(network: Network, seed: int, sampled: bool) -> float:
    """Test accuracy of Kipf and Welling's GCN after 200 steps, on all edges or on up to 10 to each node."""
    torch.manual_seed(seed)
    x = network.features / network.features.sum(1, keepdim=True).clamp(min=1.0)
    edges = Edges(network.source, network.target, nodes=network.nodes).with_loops()
    sampler = NeighbourSampler(edges, (10, 10), features=x, labels=network.labels, seed=seed)
    model, nodes = GCN(x.shape[1], 16, len(network.classes)), network.train.nonzero().flatten()
    groups = [
        {"params": model.first.parameters(), "weight_decay": 5e-4},
        {"params": model.second.parameters()},
    ]
    optimiser, batches = torch.optim.Adam(groups, lr=0.01), sampler.batches(nodes, len(nodes))
    for step in range(200):
        optimiser.zero_grad()
        if sampled:
            loss = node_loss(model, batches(step))
        else:
            loss = torch.nn.functional.cross_entropy(model(x, edges)[nodes], network.labels[nodes])
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        right = model.eval()(x, edges).argmax(1) == network.labels
    return 100 * right[network.test].float().mean().item()


@pytest.mark.proof
def test_cora_is_learned_from_sampled_neighbourhoods_as_well_as_from_all_edges() -> None:
    network = load_cora()
    full, drawn = ({seed: accuracy(network, seed, way) for seed in range(100, 108)} for way in (False, True))
    apart = difference(drawn, full)
    print(f"full {full}\nsampled {drawn}\ndifference {apart}")
    assert 80.0 < summarise(list(full.values())).mean < 83.0
    # Set in advance: three times the spread of half a point between seeds of the full batch.
    assert apart.low > -1.5 and apart.high < 1.5
