"""A graph of 100 million edges: made, sorted into a file, and trained on from there.

    python bench/scale/large_graph.py --folder /where/6/GB/are/free        (--edges 1e6 for a quick look)

Node i has the class i mod 8; its features are weak evidence of it, and most edges join nodes of one class:
a network that reads its neighbours says more than one that does not. Prints a line of JSON: seconds, peak
memory, accuracy.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy
import torch

from regard import GCN, Edges, Mean, NeighbourSampler, node_loss
from regard.data import open_graph, write_graph

CLASSES, WIDTH, BLOCK = 8, 16, 1 << 21
SAME, SIGNAL = 0.6, 0.5
"Share of edges within a class, and the length of a class's mean beside noise of deviation 1."


def write_edges(path: Path, nodes: int, edges: int) -> None:
    """An edge list in .npy, block by block."""
    random = numpy.random.default_rng(0)
    with open(path, "wb") as file:
        shape = {"descr": "<i4", "fortran_order": False, "shape": (edges, 2)}
        numpy.lib.format.write_array_header_1_0(file, shape)
        for first in range(0, edges, BLOCK):
            count = min(BLOCK, edges - first)
            pairs = random.integers(0, nodes, (count, 2), dtype=numpy.int32)
            same = random.random(count) < SAME
            pairs[same, 0] += (pairs[same, 1] - pairs[same, 0]) % CLASSES
            pairs[:, 0] %= nodes
            file.write(pairs.tobytes())


def write_features(path: Path, nodes: int) -> torch.Tensor:
    """A row for each node, mapped from a file."""
    random = numpy.random.default_rng(1)
    with open(path, "wb") as file:
        for first in range(0, nodes, BLOCK):
            count = min(BLOCK, nodes - first)
            rows = random.standard_normal((count, WIDTH), dtype=numpy.float32)
            rows[numpy.arange(count), (first + numpy.arange(count)) % CLASSES] += SIGNAL
            file.write(rows.tobytes())
    return torch.from_numpy(numpy.memmap(path, numpy.float32, "c", shape=(nodes, WIDTH)))


def peak() -> float:
    """The largest memory that this process has had, in GB."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0]) / 1e9


def train(sampler: NeighbourSampler, nodes: int, steps: int) -> tuple[float, float]:
    """Accuracy on held-out nodes after so many steps, and the CPU seconds of a step."""
    torch.manual_seed(0)
    model = GCN(WIDTH, 32, CLASSES, normalise=Mean(), self_connection=True, dropout=0.0)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    held_out, taught = torch.arange(0, 4096), torch.arange(4096, min(nodes, 4096 + 1_000_000))
    batches, began = sampler.batches(taught, 1024), time.process_time()
    for step in range(steps):
        optimiser.zero_grad()
        node_loss(model, batches(step)).backward()
        optimiser.step()
    seconds = (time.process_time() - began) / steps
    with torch.no_grad():
        right = [
            (model(batch)[: batch.batch_size].argmax(1) == batch.y[: batch.batch_size]).float().mean().item()
            for batch in (sampler.sample(part, number=i) for i, part in enumerate(held_out.split(1024)))
        ]
    return sum(right) / len(right), seconds


def run(folder: Path, nodes: int, edges: int, steps: int) -> dict[str, float]:
    """All of it; what was made is removed."""
    found: dict[str, float] = {"nodes": nodes, "edges": edges, "steps": steps}
    with tempfile.TemporaryDirectory(dir=folder) as place:
        there = Path(place)
        write_edges(there / "edges.npy", nodes, edges)
        x, labels = write_features(there / "features", nodes), torch.arange(nodes) % CLASSES
        wall, cpu = time.perf_counter(), time.process_time()
        graph = open_graph(write_graph(there / "edges.npy", there / "graph.csr", nodes=nodes))
        found["sort_seconds"] = time.perf_counter() - wall
        found["sort_cpu_seconds"] = time.process_time() - cpu
        found["file_gb"] = graph.path.stat().st_size / 1e9
        found["peak_gb_after_sort"] = peak()
        wall = time.perf_counter()
        sampler = NeighbourSampler(graph, (10, 10), features=x, labels=labels)
        found["accuracy"], found["step_cpu_seconds"] = train(sampler, nodes, steps)
        found["train_seconds"] = time.perf_counter() - wall
        found["peak_gb"] = peak()
        few = min(nodes, 100_000)
        alone = torch.arange(few)
        lonely = NeighbourSampler(
            Edges(alone, alone, nodes=few), (1, 1), features=x[:few], labels=labels[:few]
        )
        found["accuracy_without_edges"], _ = train(lonely, few, steps)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path())
    parser.add_argument("--edges", type=float, default=1e8)
    parser.add_argument("--nodes", type=float, help="default: a tenth of the edges")
    parser.add_argument("--steps", type=int, default=300)
    asked = parser.parse_args()
    print(json.dumps(run(asked.folder, int(asked.nodes or asked.edges / 10), int(asked.edges), asked.steps)))
