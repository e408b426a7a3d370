"""The fan-out at 1,000 workers: the real dispatcher driven by a simulated clock, landing measured.

    python bench/scale/fanout.py                        prints the table (some seconds; --json: the figures)
    python bench/scale/fanout.py --write docs/scale.md  puts it into the page, between its marks
    python bench/scale/fanout.py --measure              with landing as it is measured on this machine

The table follows from what is assumed here and in `Assumptions`: it is the same whenever it is made.
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

from _page import put

from regard.lab.events import Metric
from regard.lab.experiment import Context, Experiment
from regard.lab.fanout.dispatcher import Dispatcher, Task
from regard.lab.fanout.parcel import Parcel, folder_of, land
from regard.lab.fanout.simulated import Assumptions, SimulatedExecutor
from regard.lab.runner import run
from regard.lab.store.runs import Store

SECONDS = (
    75, 65, 50, 50, 49, 45, 45, 45, 35, 35, 29, 15, 15, 12, 10, 8, 7, 7, 6, 5, 4,
    3, 3, 3, 2, 2, 2, *4 * (1.5,), *7 * (1.0,), *4 * (0.5,),
)  # fmt: skip
"How long each of 42 experiments takes: what those of the lab book declared on 2026-11-18."
LANDING = 0.0028
"Seconds to land a run, checksums and fsync included: measured on 2026-11-18, two cores and a local disk."
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
    """The runs of all experiments under so many seeds."""
    return [
        Task(f"{number} {seed}", f"{number}, seed {seed}", json.dumps({"seconds": seconds}), seconds)
        for number, seconds in enumerate(SECONDS)
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


def table(found: list[Outcome]) -> str:
    """The outcomes in Markdown, and what follows from them."""
    heads = (
        "workers", "each fails once in", "landing", "makespan", "bound", "above it", "workers lost",
        "runs lost", "counted twice", "head's time in landing",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for one in found:
        often = (
            f"{one.mean_time_between_failures / 3600:.0f} h" if one.mean_time_between_failures else "never"
        )
        slow = " (a network's file system)" if one.land == SLOW_DISK else ""
        cells = (
            f"{one.workers:,}", often, f"{1000 * one.land:.3g} ms{slow}", f"{one.makespan:,.0f} s",
            f"{one.bound:,.0f} s", f"{100 * one.over_bound:.1f} %", str(one.workers_lost), str(one.runs_lost),
            str(one.runs_counted_twice), f"{100 * one.head_share:.1f} %",
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    fast, slow = found[2], found[-1]
    lost, twice = (sum(getattr(one, name) for one in found) for name in ("runs_lost", "runs_counted_twice"))
    above, more = 100 * fast.over_bound, 100 * slow.over_bound
    return "\n".join(lines) + (
        f"\n\nOf {fast.runs:,} runs {lost} are lost and {twice} counted twice. What limits it is the head, "
        f"one thread: it lands {1 / fast.land:,.0f} runs a second. The longest runs go\n"
        "out first, so that the short ones come at the end, all at once, and wait for it: "
        f"{above:.0f} % above the bound, {more:.0f} % on a slow disk. "
        "Workers beyond (mean seconds of a run) /\n"
        f"(landing + handing out) have nothing to gain: {useful(fast):,.0f} here, "
        f"{useful(slow):,.0f} on the slow disk.\n"
    )


def useful(one: Outcome) -> float:
    """How many workers a head keeps busy."""
    return sum(SECONDS) / len(SECONDS) / (one.land + Assumptions(workers=1).hand_out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--measure", action="store_true", help="land runs here, and assume what that takes")
    parser.add_argument("--write", type=Path, help="the page whose table is to be replaced")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    results = outcomes(asked.seeds, landing_seconds() if asked.measure else LANDING)
    if asked.json:
        print(json.dumps([asdict(one) for one in results]))
    elif asked.write is None:
        print(table(results))
    else:
        asked.write.write_text(put(asked.write.read_text("utf-8"), "simulated", table(results)), "utf-8")
