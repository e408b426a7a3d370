"""How costs grow with edges, nodes and workers; and, on paper, what ten billion edges would need.

    python bench/scale/growth.py        (two minutes on two quiet cores; --json for the figures)
    python bench/scale/growth.py --paper --write docs/scale.md   only the job on paper, put into the page

Costs of one process are CPU seconds, which other processes disturb less than the clock; those of several
workers are seconds of the clock, of runs that sleep: what is measured is the fan-out, not the cores. An
exponent is the slope of a line through the logarithms, by least squares, with a 95 % interval by Student's t;
the interval speaks of these sizes and this machine.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path

import numpy
import torch
from _page import put

from regard import GCN, Edges, Mean, NeighbourSampler, node_loss
from regard.data import open_graph, write_graph
from regard.data.formats.csr import GraphRows
from regard.data.formats.external_sort import COUNTERS
from regard.lab.fanout.dispatcher import Dispatcher, Task
from regard.lab.fanout.parcel import Parcel, land
from regard.lab.fanout.places import cores, opened
from regard.lab.fanout.seeds import SeedPlan
from regard.lab.registry import find
from regard.lab.statistics import student
from regard.lab.store.runs import Store

WIDTH, DEGREE, BATCH, FANOUT = 16, 10, 32, (10, 10)
SORTING, DRAWN, MACHINES = 1.7e-7, 9.2e-7, 100
"CPU seconds to sort an edge and for an edge that is drawn, as measured on 2026-11-18; machines of the job."


@dataclass(frozen=True)
class GrowthCurve:
    """A cost at several sizes, and the exponent fitted to it."""

    what: str
    against: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]
    exponent: float
    low: float
    high: float


def fitted(what: str, against: str, costs: dict[float, float]) -> GrowthCurve:
    """The exponent b of cost = a size^b, with its interval."""
    x, y = (numpy.log(list(one)) for one in (costs.keys(), costs.values()))
    apart = x - x.mean()
    slope = float(apart @ (y - y.mean()) / (apart @ apart))
    left = y - y.mean() - slope * apart
    error = sqrt(float(left @ left) / (len(x) - 2) / float(apart @ apart))
    half = student(len(x) - 2) * error
    return GrowthCurve(what, against, tuple(costs), tuple(costs.values()), slope, slope - half, slope + half)


def cpu(call: Callable[[], object], rounds: int = 5) -> float:
    """The least CPU seconds of a call: what disturbs it only adds."""
    call()
    samples = []
    for _ in range(rounds):
        began = time.process_time()
        call()
        samples.append(time.process_time() - began)
    return min(samples)


def pairs(nodes: int, edges: int) -> numpy.ndarray:
    return numpy.random.default_rng(0).integers(0, nodes, (edges, 2))


def graph(nodes: int, edges: int) -> Edges:
    both = torch.from_numpy(pairs(nodes, edges))
    return Edges(both[:, 0].contiguous(), both[:, 1].contiguous(), nodes=nodes, duplicates="keep")


def network() -> GCN:
    torch.manual_seed(0)
    return GCN(WIDTH, 32, 8, normalise=Mean(), self_connection=True, dropout=0.0)


def sorting(sizes: Sequence[int]) -> GrowthCurve:
    """The external sort against edges."""
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        for edges in sizes:
            file = Path(folder) / "edges.npy"
            numpy.save(file, pairs(edges // DEGREE, edges).astype(numpy.int32))
            costs[edges] = cpu(lambda: write_graph(file, file.with_suffix(".csr")), rounds=3)  # noqa: B023
    return fitted("sort an edge list into a file", "edges", costs)


def whole_step(sizes: Sequence[int]) -> GrowthCurve:
    """A step on all edges, against edges."""
    costs, model = {}, network()
    for edges in sizes:
        nodes = edges // DEGREE
        all_of_it, x, y = graph(nodes, edges), torch.randn(nodes, WIDTH), torch.arange(nodes) % 8
        loss = torch.nn.functional.cross_entropy
        costs[edges] = cpu(lambda: loss(model(x, all_of_it), y).backward(), rounds=3)  # noqa: B023
    return fitted("a training step on the whole graph", "edges", costs)


def rows_of(folder: Path, nodes: int) -> GraphRows:
    """A graph in a file."""
    numpy.save(folder / "edges.npy", pairs(nodes, DEGREE * nodes).astype(numpy.int32))
    return open_graph(write_graph(folder / "edges.npy", folder / f"{nodes}.csr"))


def sampled_step(folder: Path, sizes: Sequence[int]) -> GrowthCurve:
    """A step on sampled neighbourhoods from a file, against nodes: of graphs much larger than a batch."""
    costs = {nodes: cpu(step_on(rows_of(folder, nodes), BATCH)[0]) for nodes in sizes}
    return fitted(f"a training step on {BATCH} sampled neighbourhoods", "nodes of the graph", costs)


def batch_step(folder: Path, nodes: int, sizes: Sequence[int]) -> GrowthCurve:
    """The same on one graph, against the edges that are drawn."""
    rows, costs = rows_of(folder, nodes), {}
    for size in sizes:
        step, edges = step_on(rows, size)
        costs[edges] = cpu(step)
    return fitted("a training step on sampled neighbourhoods", "edges drawn", costs)


def step_on(rows: GraphRows, size: int) -> tuple[Callable[[], None], int]:
    """A step on fresh neighbourhoods each time it is called, and how many edges one of them has."""
    model, numbers = network(), iter(range(10**6))
    features, labels = torch.randn(rows.nodes, WIDTH), torch.arange(rows.nodes) % 8
    sampler = NeighbourSampler(rows, FANOUT, features=features, labels=labels)
    batches = sampler.batches(torch.arange(rows.nodes), size)
    return lambda: node_loss(model, batches(next(numbers))).backward(), batches(0).edges.count


ASLEEP = """
import time
from regard.lab.events import Metric
from regard.lab.experiment import Experiment

def run(settings, context):
    time.sleep(1.0)
    yield Metric("done", 1.0)

EXPERIMENT = Experiment(question="How long do many runs take?", run=run)
"""


def fan_out(folder: Path, counts: Sequence[int], runs: int) -> GrowthCurve:
    """Seconds of the clock for each of many runs that sleep for one, once so many processes have begun."""
    (folder / "asleep.py").write_text(ASLEEP)
    experiment, source = find(str(folder / "asleep.py"))
    costs = {}
    for count in counts:
        store = Store(folder / f"runs-{count}")
        plan = SeedPlan(
            experiment=experiment, source=source, settings=experiment.presets["quick"], preset="quick",
            changes=[], seeds=range(count + runs),
        )  # fmt: skip
        tasks = plan.missing(store)

        def keep(task: Task, data: bytes) -> str:
            parcel = Parcel.unpack(data)
            land(store, parcel, task.key)  # noqa: B023
            return parcel.problem

        with opened(str(count)) as executor:
            Dispatcher(tasks[:count], executor, keep).run()
            began = time.perf_counter()
            Dispatcher(tasks[count:], executor, keep).run()
            costs[count] = (time.perf_counter() - began) / runs
        assert len(store.runs()) == count + runs
    return fitted("a run that sleeps for a second, fanned out", "processes", costs)


@dataclass(frozen=True)
class OnPaper:
    """What a training on ten billion edges would need; each figure is a formula of the assumptions."""

    edges: float = 1e10
    nodes: float = 1e9
    width: int = 128
    "Features of a node, in float16."
    hops: tuple[int, ...] = (10, 10)
    batch: int = 1024
    taught: float = 1e8
    "Nodes that an epoch takes."
    disk: float = 2e9
    "Bytes a second of an NVMe disk, reading or writing a stream."
    reads: float = 5e5
    "Random reads of a page that the disk makes in a second."
    page: int = 4096

    def needs(self, sort_second: float, step_second: float, workers: int) -> dict[str, float]:
        """`sort_second`: CPU seconds for an edge; `step_second`: for an edge of a batch, as measured here."""
        touched = self.batch * (1 + self.hops[0] + self.hops[0] * self.hops[1])
        file = 4096 + 16 * self.nodes + 4 * self.edges
        features = 2 * self.width * self.nodes
        steps = self.taught / self.batch
        # The list; a copy written and read twice; keys written and read; sources written, read for the
        # checksum, and read as often as it takes to count them in parts.
        streamed = 8 + 3 * 16 + 2 * 8 + 4 + 4 + 4 * -(-self.nodes // COUNTERS)
        pages = touched * (1 + -(-2 * self.width // self.page)) + self.batch * (1 + self.hops[0])
        cpu_step, disk_step = touched * step_second, pages / self.reads
        return {
            "graph file, GB": file / 1e9,
            "features, GB": features / 1e9,
            "disk while sorting, GB": (24 * self.edges + file) / 1e9,
            "sort: CPU hours": self.edges * sort_second / 3600,
            "sort: bytes of the disk for an edge": streamed,
            "sort: parts in which sources are counted": -(-self.nodes // COUNTERS),
            "sort: hours of the disk": streamed * self.edges / self.disk / 3600,
            "steps in an epoch": steps,
            "nodes of a batch, at most": touched,
            "step: CPU seconds": cpu_step,
            "step: seconds of random reads, nothing cached": disk_step,
            "epoch: CPU hours": steps * cpu_step / 3600,
            "epoch: hours on one machine": steps * max(cpu_step, disk_step) / 3600,
            f"epoch: hours on {workers} workers, if each has its copy of file and features": (
                steps * max(cpu_step, disk_step) / workers / 3600
            ),
        }


def measured(small: bool) -> tuple[list[GrowthCurve], dict[str, float]]:
    """All curves, and what they say of ten billion edges."""
    scale = 1 if small else 4
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        curves = [
            sorting([scale * size for size in (50_000, 100_000, 200_000, 400_000, 800_000)]),
            whole_step([scale * size for size in (25_000, 50_000, 100_000, 200_000, 400_000)]),
            sampled_step(folder, [scale * size for size in (15_000, 30_000, 60_000, 120_000)]),
            batch_step(folder, scale * 120_000, (32, 64, 128, 256, 512)),
            fan_out(folder, (1, 2, 4, 8), 16 if small else 32),
        ]
    sort_second = curves[0].seconds[-1] / curves[0].sizes[-1]
    step_second = curves[3].seconds[-1] / curves[3].sizes[-1]
    return curves, OnPaper().needs(sort_second, step_second, workers=MACHINES)


def paper() -> str:
    """What ten billion edges need, in Markdown."""
    n = OnPaper().needs(SORTING, DRAWN, workers=MACHINES)
    alone, several = n["epoch: hours on one machine"], list(n.values())[-1]
    limit = "disk" if alone > n["epoch: CPU hours"] else "CPU"
    parts, streamed = (
        n["sort: parts in which sources are counted"],
        n["sort: bytes of the disk for an edge"],
    )
    rows = {
        "graph file": f"16 bytes a node + 4 bytes an edge = {n['graph file, GB']:.0f} GB",
        "features": f"{n['features, GB']:.0f} GB",
        "disk while sorting": f"24 bytes an edge + the file = {n['disk while sorting, GB']:.0f} GB",
        "sorting": f"{n['sort: CPU hours']:.2f} CPU hours; {n['sort: hours of the disk']:.2f} hours of the "
        f"disk ({streamed:.0f} bytes an edge, {4 * parts:.0f} of them to count sources in {parts:.0f} parts)",
        "a step": f"at most {n['nodes of a batch, at most']:,} nodes: {n['step: CPU seconds']:.2f} CPU s; "
        f"{n['step: seconds of random reads, nothing cached']:.2f} s of random reads with nothing cached",
        f"an epoch of {n['steps in an epoch']:,.0f} steps": f"{n['epoch: CPU hours']:.1f} CPU hours; the "
        f"{limit} is what limits it: {alone:.0f} hours on one machine, {several:.2f} on {MACHINES} that have "
        "a copy each, gradients' travel not counted",
    }
    return "| what | how much |\n|---|---|\n" + "".join(
        f"| {name} | {told} |\n" for name, told in rows.items()
    )


def show(curves: list[GrowthCurve], needs: dict[str, float]) -> None:
    """Two tables in Markdown."""
    print("| cost | against | from … to | seconds | exponent (95 % interval) |\n|---|---|---|---|---|")
    for one in curves:
        ends = f"{one.sizes[0]:,.0f} … {one.sizes[-1]:,.0f} | {one.seconds[0]:.3g} … {one.seconds[-1]:.3g}"
        print(
            f"| {one.what} | {one.against} | {ends} | {one.exponent:.2f} ({one.low:.2f} to {one.high:.2f}) |"
        )
    print(f"\n{cores()} cores, load {os.getloadavg()[0]:.1f}, torch {torch.__version__}")
    print(f"\nassumed: {asdict(OnPaper())}\n\n| ten billion edges need | |\n|---|---|")
    for what, value in needs.items():
        print(f"| {what} | {value:,.3g} |" if value < 1000 else f"| {what} | {value:,.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a quarter of the sizes")
    parser.add_argument("--paper", action="store_true", help="only ten billion edges, with what was measured")
    parser.add_argument("--write", type=Path, help="with --paper: the page whose table is to be replaced")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.paper:
        if asked.write is None:
            print(paper())
        else:
            asked.write.write_text(put(asked.write.read_text("utf-8"), "on paper", paper()), "utf-8")
        raise SystemExit
    torch.set_num_threads(1)
    found = measured(asked.small)
    if asked.json:
        print(json.dumps({"curves": [asdict(one) for one in found[0]], "needs": found[1]}))
    else:
        show(*found)
