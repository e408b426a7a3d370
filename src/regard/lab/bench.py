"""Benchmarks against peers: both sides timed in turn, memory in a fresh process, the floor beside each."""

import gc
import importlib.util
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from statistics import median, quantiles
from types import ModuleType
from typing import Any

from regard.claims import Claim
from regard.errors import RegardError


@dataclass(frozen=True)
class Reading:
    """A median with the quartiles of its samples.

    >>> Reading.of([3.0, 1.0, 2.0])
    Reading(median=2.0, low=1.5, high=2.5, unit='s')
    """

    median: float
    low: float
    high: float
    unit: str = "s"

    @classmethod
    def of(cls, samples: Sequence[float], unit: str = "s") -> "Reading":
        low, middle, high = (
            quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else [samples[0]] * 3
        )
        return cls(middle, low, high, unit)


@dataclass(frozen=True)
class Floor:
    """The least the work can cost: what must be moved and computed, at the rates of this machine."""

    bytes: float
    operations: float
    bandwidth: float
    "Bytes a second, read and written, of a large copy in the same run."
    rate: float
    "Operations a second of a large matrix product in the same run."

    @property
    def seconds(self) -> float:
        """The slower of the two, were they to overlap perfectly."""
        return max(self.bytes / self.bandwidth, self.operations / self.rate)


@dataclass(frozen=True, kw_only=True)
class BenchMetric:
    """One figure that a comparison yields; the bar of the same name judges it."""

    name: str
    value: Reading | None
    "None where it could not be measured; `reason` then says why."
    ours: Reading | None = None
    peer: Reading | None = None
    floor: Floor | None = None
    gap: float | None = None
    "The largest difference between the two sides' outputs, relative to the peer's largest."
    shapes: str = ""
    dtype: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A question about our cost beside a peer's, the bars to hold, and the function that measures."""

    question: str
    bars: tuple[Claim, ...]
    run: Callable[[], Iterable[BenchMetric]]
    peers: tuple[str, ...] = ()
    "Modules from the extra `bench` without which nothing can be compared."
    name: str = ""
    "The file's name with dashes; `load` sets it."


@dataclass(frozen=True)
class Machine:
    """Where a figure was measured."""

    processor: str
    cores: int
    system: str
    python: str
    torch: str
    accelerator: str = ""
    "The GPU's name, where there is one."


@dataclass(frozen=True, kw_only=True)
class Result(BenchMetric):
    """A figure with its bar and its machine; `dataclasses.asdict` gives plain JSON."""

    comparison: str
    bar: str
    "The band in words; empty for a figure that no bar judges."
    low: float | None
    high: float | None
    state: str
    "held, failed or not settled; empty without a bar."
    floor_seconds: float | None
    distance: float | None
    "Our median over the floor's seconds."
    threads: int
    machine: Machine


def interleave(
    calls: Mapping[str, Callable[[], object]], *, rounds: int = 20, warm: int = 2, repeats: int = 1
) -> dict[str, list[float]]:
    """Seconds per call of each, one sample per round, taken in turn; the first of a round rotates.

    `repeats` calls make one sample: for work too short for the clock.
    """
    names = list(calls)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for name in names * warm:
        calls[name]()
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds):
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                call, start = calls[name], time.perf_counter()
                for _ in range(repeats):
                    call()
                samples[name].append((time.perf_counter() - start) / repeats)
    finally:
        if collecting:
            gc.enable()
    return samples


def ratio(above: Sequence[float], below: Sequence[float]) -> Reading:
    """The ratio of the medians; its spread is the quartiles of the ratios round by round.

    >>> ratio([4.0, 6.0, 8.0], [2.0, 2.0, 2.0])
    Reading(median=3.0, low=2.5, high=3.5, unit='times')
    """
    spread = Reading.of([a / b for a, b in zip(above, below, strict=True)])
    return Reading(median(above) / median(below), spread.low, spread.high, "times")


def difference(above: Sequence[float], below: Sequence[float]) -> Reading:
    """The difference of the medians; its spread is the quartiles of the differences round by round."""
    spread = Reading.of([a - b for a, b in zip(above, below, strict=True)])
    return Reading(median(above) - median(below), spread.low, spread.high)


def agree(ours: object, peer: object, *, within: float) -> float:
    """The largest difference of two sides, relative to the peer's largest value; refused above `within`."""
    import torch

    pairs = list(zip(_tensors(ours), _tensors(peer), strict=True))
    assert pairs, "nothing to compare"
    gap = max(
        float((a.double() - b.double()).abs().max() / b.double().abs().max().clamp(min=1e-300))
        for a, b in pairs
    )
    if any(a.shape != b.shape or not torch.isfinite(a).all() for a, b in pairs) or not gap <= within:
        fix = "mend the comparison before timing it: only equal outputs may be compared"
        raise RegardError(
            "the two sides do not compute the same thing", f"a relative difference of {gap:.3g}", fix
        )
    return gap


def _tensors(value: Any) -> list[Any]:
    return (
        [part for each in value for part in _tensors(each)]
        if isinstance(value, tuple | list)
        else [value.detach()]
    )


def floor(*, bytes: float, operations: float) -> Floor:
    """The floor of this much work, at the rates of a copy of as many bytes and of a matrix product now."""
    import torch

    # Work that fits a cache is held against a copy that fits it too.
    source, side = torch.ones(min(max(int(bytes) // 8, 1 << 12), 1 << 25)), 1024
    target, square, product = torch.empty_like(source), torch.ones(side, side), torch.empty(side, side)
    calls = {"copy": lambda: target.copy_(source), "product": lambda: torch.mm(square, square, out=product)}
    times, moved = interleave(calls, rounds=9), 2 * source.numel() * source.element_size()
    return Floor(bytes, operations, moved / median(times["copy"]), 2 * side**3 / median(times["product"]))


@dataclass(frozen=True)
class Growth:
    """How far a process grew above its size before the calls."""

    bytes: int | None
    how: str
    "What was read: the kernel's high-water mark, or the coarser ru_maxrss."


def growth(prepare: Callable[..., Callable[[], object]], *arguments: str | float, calls: int = 3) -> Growth:
    """Growth of a fresh process over a few calls of `prepare(*arguments)()`, `prepare` at the top of a file.

    What `prepare` itself allocates is not counted.
    """
    order = json.dumps([prepare.__code__.co_filename, prepare.__name__, arguments, calls])
    command = [sys.executable, "-c", "from regard.lab.bench import _child; _child()"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(command, input=order, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RegardError(
            f"'{prepare.__name__}' failed in its own process", last, "call it here to see the whole trace"
        )
    return Growth(*json.loads(done.stdout.splitlines()[-1]))


def _child() -> None:
    file, name, arguments, calls = json.load(sys.stdin)
    call = getattr(_module(Path(file)), name)(*arguments)
    gc.collect()
    how, before = _peak(reset=True)
    for _ in range(calls):
        call()
    _, after = _peak(reset=False)
    sys.stdout.write("\n" + json.dumps([None if before is None or after is None else after - before, how]))


def _peak(*, reset: bool) -> tuple[str, int | None]:
    """Where the high-water mark comes from, and its bytes; a reset lowers it to the size of now."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        status = Path("/proc/self/status").read_text()
        return "VmHWM", 1024 * int(status.split("VmHWM:")[1].split()[0])
    except (OSError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return "not measurable here: neither VmHWM nor ru_maxrss", None
    unit = 1 if sys.platform == "darwin" else 1024
    return "ru_maxrss, blind below the earlier peak", unit * resource.getrusage(
        resource.RUSAGE_SELF
    ).ru_maxrss


def load(folder: Path) -> dict[str, Comparison]:
    """The comparisons of a folder, one file each, by file name with dashes."""
    found: dict[str, Comparison] = {}
    for file in sorted(Path(folder).glob("[!_]*.py")):
        comparison, name = (getattr(_module(file), "COMPARISON", None), file.stem.replace("_", "-"))
        if not isinstance(comparison, Comparison):
            fix = "end the file with COMPARISON = Comparison(question=..., bars=..., run=...)"
            raise RegardError(f"'{file.name}' defines no comparison", repr(comparison), fix)
        found[name] = replace(comparison, name=name)
    return found


def _module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(comparison: Comparison) -> list[Result]:
    """Run a comparison and settle its bars; a bar for which nothing was measured is not settled."""
    missing = [peer for peer in comparison.peers if importlib.util.find_spec(peer) is None]
    if missing:
        what = f"comparison '{comparison.name}' needs its peers"
        raise RegardError(what, f"not installed: {', '.join(missing)}", "pip install regard[bench]")
    import torch

    accelerator = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    versions = platform.python_version(), torch.__version__
    machine = Machine(_processor(), _cores(), platform.system(), *versions, accelerator)
    before = dict(os.environ)
    try:
        measured = list(comparison.run())
    finally:  # what one comparison switches off must not be off for the next
        os.environ.clear()
        os.environ.update(before)
    absent = {bar.name for bar in comparison.bars} - {each.name for each in measured}
    measured += [BenchMetric(name=bar.name, value=None) for bar in comparison.bars if bar.name in absent]
    return [_settle(comparison, each, torch.get_num_threads(), machine) for each in measured]


def _settle(comparison: Comparison, measured: BenchMetric, threads: int, machine: Machine) -> Result:
    bar = next((bar for bar in comparison.bars if bar.name == measured.name), None)
    value, least, ours = measured.value, measured.floor, measured.ours
    verdict = bar.settle(value.median if value else None, reason=measured.reason) if bar else None
    return Result(
        **vars(replace(measured, reason=verdict.reason if verdict else measured.reason)),
        comparison=comparison.name,
        bar=bar.band if bar else "",
        low=bar.low if bar and isfinite(bar.low) else None,
        high=bar.high if bar and isfinite(bar.high) else None,
        state=verdict.state if verdict else "",
        floor_seconds=least.seconds if least else None,
        distance=ours.median / least.seconds if ours and least else None,
        threads=threads,
        machine=machine,
    )


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
