"""The external sort against a sort in memory, in buckets of any size; and its memory."""

import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from regard.data.formats import external_sort
from regard.data.formats.csr import open_graph
from regard.data.formats.external_sort import write_graph
from regard.errors import RegardError

SOURCE = Path(__file__).parents[3] / "src"


def oracle(pairs: list[tuple[int, int]], both_ways: bool, loops: bool, merge: bool, nodes: int) -> list:
    """(target, source) in order, one after the other, by lists alone."""
    found = [(target, source) for source, target in pairs if not (loops and source == target)]
    if both_ways:
        found += [(source, target) for target, source in found if source != target]
    if loops:
        found += [(node, node) for node in range(nodes)]
    return sorted(set(found) if merge else found)


LOOPS = {"pairs": [(1, 1), (0, 1), (1, 1), (2, 2)], "more": 1, "both_ways": True, "bucket": 3, "ranges": 4}


@example(**LOOPS, loops=True, merge=False)
@example(**LOOPS, loops=False, merge=False)
@example(**LOOPS, loops=True, merge=True)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40),
    more=st.integers(0, 5),
    both_ways=st.booleans(),
    loops=st.booleans(),
    merge=st.booleans(),
    bucket=st.sampled_from([1, 3, 1000]),
    ranges=st.sampled_from([1, 4, 1000]),
)
def test_every_edge_stands_where_a_sort_in_memory_puts_it(
    tmp_path_factory, pairs, more, both_ways, loops, merge, bucket, ranges
) -> None:
    folder = tmp_path_factory.mktemp("sort")
    nodes = max([-1, *(max(pair) for pair in pairs)]) + 1 + more
    numpy.save(folder / "edges.npy", numpy.array(pairs, dtype=numpy.int64).reshape(-1, 2))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"BUCKET": bucket, "RANGES": ranges, "COUNTERS": 5, "EDGES": 7}.items():
            patch.setattr(external_sort, name, value)
        ways = {"both_ways": both_ways, "loops": loops, "merge": merge}
        graph = open_graph(write_graph(folder / "edges.npy", folder / "g.csr", nodes=nodes, **ways))
    graph.verify()
    wanted = oracle(pairs, both_ways, loops, merge, nodes)
    start = graph.start.tolist()
    rows = [
        (node, source)
        for node in range(nodes)
        for source in graph.other[start[node] : start[node + 1]].tolist()
    ]
    assert rows == wanted and start[-1] == len(wanted)
    assert graph.out_of.tolist() == [sum(source == node for _, source in wanted) for node in range(nodes)]
    assert sorted(path.name for path in folder.iterdir()) == ["edges.npy", "g.csr"]


def test_numbers_with_gaps_and_too_few_nodes_are_told_and_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 2999999999\n")
    with pytest.raises(RegardError, match="nodes are numbered from 0 without large gaps"):
        write_graph(tmp_path / "edges.txt", tmp_path / "out.csr")
    (tmp_path / "edges.txt").write_text("0 5\n")
    with pytest.raises(RegardError, match="node numbers are at least 0 and below 5"):
        write_graph(tmp_path / "edges.txt", tmp_path / "out.csr", nodes=5)
    with pytest.raises(RegardError, match="there is no such folder"):
        write_graph(tmp_path / "edges.txt", tmp_path / "nowhere" / "out.csr")
    assert [path.name for path in tmp_path.iterdir()] == ["edges.txt"]


MEMORY = """
import sys
from pathlib import Path
import torch
from regard import GCN, Mean, NeighbourSampler, node_loss
from regard.data import open_graph, write_graph
from regard.lab.bench import _peak

def train(graph, nodes):
    x = torch.randn(graph.nodes, 8)
    sampler = NeighbourSampler(graph, (5, 5), features=x, labels=(x[:, 0] > 0).long())
    model = GCN(8, 16, 2, normalise=Mean(), self_connection=True, dropout=0.0)
    optimiser, losses = torch.optim.Adam(model.parameters(), lr=0.01), []
    batches = sampler.batches(nodes, 64)
    for step in range(60):
        optimiser.zero_grad()
        loss = node_loss(model, batches(step))
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses

_, before = _peak(reset=True)
graph = open_graph(write_graph("edges.npy", "edges.csr"))
_, sorted_ = _peak(reset=False)
losses = train(graph, torch.arange(5000))
_, trained = _peak(reset=False)
print(sorted_ - before, trained - before, losses[0], sum(losses[-10:]) / 10)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process's memory is read from /proc")
def test_a_million_edges_are_sorted_and_trained_on_within_a_bound_of_memory(tmp_path: Path) -> None:
    """Edges in memory would take 8 bytes ten times over: source, target, order and both directions, sorted."""
    random = numpy.random.default_rng(0)
    numpy.save(tmp_path / "edges.npy", random.integers(0, 100_000, (1_000_000, 2), dtype=numpy.int32))
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False,
        env={"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sorting, training, first, last = map(float, done.stdout.split())
    assert sorting < 150e6 and training < 250e6, (sorting, training)
    assert last < 0.8 * first, "the training did not learn"
