"""The fan-out at 1,000 workers: the real dispatcher driven by a simulated clock, landing measured.

    python bench/scale/fanout.py        (a minute; --json for the figures)

The runs are those of the lab book, each under so many seeds, with the seconds that experiments declare.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

from regard.lab import registry
from regard.lab.events import Metric
from regard.lab.experiment import Context, Experiment
from regard.lab.fanout.dispatcher import Dispatcher, Task
from regard.lab.fanout.parcel import Parcel, folder_of, land
from regard.lab.fanout.simulated import Assumptions, SimulatedExecutor
from regard.lab.runner import run
from regard.lab.store.runs import Store

SEEDS = 1000
SLOW_DISK = 0.02
"Seconds to land a run where every write goes through a network's file system: an assumption."


@dataclass(frozen=True)
class Outcome:
    """What came of one simulation."""

    workers: int
    mean_time_between_failures: float
    land: float
    runs: int
    makespan: float
    bound: float
    "No schedule is faster: the work over the workers, the longest run, the head's landing of all runs."
    over_bound: float
    workers_lost: int
    answers_again: int
    runs_lost: int
    runs_counted_twice: int
    head_share: float
    "Share of the makespan in which the head lands runs."
    simulated_in: float
    "Seconds that the simulation took."


def landing_seconds(times: int = 20) -> float:
    """How long it takes to land a run with a hundred measurements, checksums and disk included."""

    def measure(settings: object, context: Context) -> Iterator[Metric]:
        for step in range(100):
            yield Metric("loss", 1.0 / (step + 1), at={"step": step})

    experiment = Experiment(name="landing", question="How long?", run=measure)
    with tempfile.TemporaryDirectory() as folder:
        far, near = Store(Path(folder) / "far"), Store(Path(folder) / "near")
        made = run(experiment, experiment.presets["quick"], far, source=Path(__file__), preset="quick")
        key, samples = made.request["key"], []
        for number in range(times):
            id = f"{made.id[:-6]}{number:06x}"
            data = Parcel(key, id, "", folder_of(made)).pack()
            began = time.perf_counter()
            land(near, Parcel.unpack(data), key)
            samples.append(time.perf_counter() - began)
        assert len(near.runs()) == times
    return median(samples)


def tasks(seeds: int) -> list[Task]:
    """The runs of the book under so many seeds."""
    every = [(one.name, one.seconds) for one in registry.everything()]
    return [
        Task(f"{name} {seed}", f"{name}, seed {seed}", json.dumps({"seconds": seconds}), seconds)
        for name, seconds in every
        for seed in range(seeds)
    ]


def simulate(cluster: Assumptions, work: list[Task]) -> Outcome:
    """Run the real dispatcher on a simulated cluster."""
    executor, landed, began = SimulatedExecutor(cluster), Counter[str](), time.perf_counter()

    def keep(task: Task, data: bytes) -> str:
        landed[task.key] += 1
        return ""

    dispatcher = Dispatcher(work, executor, executor.landed(keep))
    tally = dispatcher.run()
    seconds = [task.seconds for task in work]
    bound = cluster.begin + max(
        sum(seconds) / cluster.workers, max(seconds), cluster.land * len(work) + cluster.hand_out * len(work)
    )
    return Outcome(
        workers=cluster.workers,
        mean_time_between_failures=cluster.failure,
        land=cluster.land,
        runs=len(work),
        makespan=executor.clock,
        bound=bound,
        over_bound=executor.clock / bound - 1,
        workers_lost=tally.lost,
        answers_again=tally.again,
        runs_lost=len(work) - len(landed),
        runs_counted_twice=sum(count > 1 for count in landed.values()),
        head_share=executor.landing / executor.clock,
        simulated_in=time.perf_counter() - began,
    )


def outcomes(seeds: int, land_seconds: float) -> list[Outcome]:
    """10, 100 and 1,000 workers that do not fail; 1,000 that do; 1,000 before a slow disk."""
    work = tasks(seeds)
    steady = Assumptions(workers=1000, land=land_seconds)
    rough = replace(steady, false_alarm=0.1)
    return [
        *(simulate(replace(steady, workers=workers), work) for workers in (10, 100, 1000)),
        *(simulate(replace(rough, failure=failure), work) for failure in (24 * 3600.0, 3600.0)),
        simulate(replace(steady, land=SLOW_DISK), work),
    ]


def show(found: list[Outcome], land_seconds: float) -> None:
    """A table in Markdown."""
    heads = (
        "workers", "one fails every", "landing, ms", "runs", "makespan, s", "bound, s", "above it",
        "workers lost", "runs lost", "counted twice", "head's time in landing",
    )  # fmt: skip
    print(f"landing one run, measured: {1000 * land_seconds:.1f} ms\n")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for one in found:
        often = (
            f"{one.mean_time_between_failures / 3600:.0f} h" if one.mean_time_between_failures else "never"
        )
        cells = (
            f"{one.workers:,}", often, f"{1000 * one.land:.1f}", f"{one.runs:,}", f"{one.makespan:,.0f}",
            f"{one.bound:,.0f}", f"{100 * one.over_bound:.1f} %", str(one.workers_lost), str(one.runs_lost),
            str(one.runs_counted_twice), f"{100 * one.head_share:.1f} %",
        )  # fmt: skip
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--land", type=float, help="seconds to land a run (default: measured)")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    cost = landing_seconds() if asked.land is None else asked.land
    results = outcomes(asked.seeds, cost)
    print(json.dumps([asdict(one) for one in results])) if asked.json else show(results, cost)
