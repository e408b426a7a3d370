"""How the cost of training grows, measured here; what a job on 1,000 GPUs needs, computed. Two minutes.

    python bench/scale/training.py                                 prints both tables
    python bench/scale/training.py --write docs/scale-training.md  puts them into the page, between its marks
    python bench/scale/training.py --paper --write docs/scale.md   the sentence that sums the second one up

Nothing in the page's tables is typed in: the first is timed on this machine, the second follows from the
formulas of `Job` and the assumptions in `Cluster`, each with its source.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import log, sqrt
from pathlib import Path
from statistics import median
from typing import Any

from _page import put

ROUNDS, WARM = 7, 2
"Timed calls of each step, of which the median counts, and calls before them."
WIDTHS, DEPTHS = (64, 128, 192, 256, 384, 512), 4
"Sizes of the models that are timed."
CONTEXT, ROWS = 128, 4
"Tokens in a window, and windows in a batch, where they are not what is varied."


@dataclass(frozen=True)
class Fit:
    """cost = factor × size^exponent, with the 95 % interval of the exponent."""

    exponent: float
    low: float
    high: float


def fit(sizes: Sequence[float], costs: Sequence[float]) -> Fit:
    """Least squares on the logarithms; the interval is Student's, of the slope."""
    from scipy.stats import linregress, t

    found: Any = linregress([log(one) for one in sizes], [log(one) for one in costs])
    half = float(t.ppf(0.975, len(sizes) - 2)) * float(found.stderr)
    return Fit(float(found.slope), float(found.slope) - half, float(found.slope) + half)


def step(
    width: int, context: int = CONTEXT, rows: int = ROWS, depth: int = DEPTHS
) -> tuple[Callable[[], None], int]:
    """A call that makes one step of training (AdamW), and the number of parameters of its model."""
    import torch

    from regard.models.gpt.config import GPTConfig
    from regard.models.gpt.model import GPT
    from regard.training import Plan, Training, cross_entropy

    torch.manual_seed(0)
    model = GPT(
        GPTConfig(vocabulary=256, context=context, depth=depth, heads=4, width=width, position="rotary")
    )
    ids = torch.randint(256, (rows, context + 1))
    training = Training(model, lambda index: (ids[:, :-1], ids[:, 1:]), cross_entropy, Plan(steps=10**6))
    steps = iter(training)
    return lambda: next(steps) and None, model.size


def seconds(calls: Sequence[Callable[[], None]]) -> list[float]:
    """The median time of each call; they take turns, so that a slow moment meets all of them."""
    taken: list[list[float]] = [[] for _ in calls]
    for number in range(WARM + ROUNDS):
        for call, times in zip(calls, taken, strict=True):
            began = time.perf_counter()
            call()
            if number >= WARM:
                times.append(time.perf_counter() - began)
    return [median(times) for times in taken]


def measured() -> Iterator[str]:
    """Time of a step against parameters, tokens and context; bytes of a checkpoint; the rate of its hash."""
    import torch

    threads = f"{torch.get_num_threads()} thread(s) of {os.cpu_count()} cores"
    yield f"{platform.machine()}, {threads}, torch {torch.__version__}, float32, AdamW, {DEPTHS} layers.\n\n"
    yield "| varied | from | to | time of a step | cost ∝ varied^b, 95 % interval |\n|---|---|---|---|---|\n"
    steps = [step(width) for width in WIDTHS]
    sizes = [size for _, size in steps]
    yield row("parameters", sizes, seconds([call for call, _ in steps]))
    yield row("parameters, the larger half", sizes[3:], seconds([call for call, _ in steps[3:]]))
    rows = (1, 2, 4, 8, 16)
    counts, calls = [one * CONTEXT for one in rows], [step(192, rows=one)[0] for one in rows]
    yield row(f"tokens in a batch (windows of {CONTEXT})", counts, seconds(calls))
    lengths = (64, 128, 256, 512, 1024)
    calls = [step(192, one, 1024 // one)[0] for one in lengths]
    yield row("length of a window, 1,024 tokens in all", lengths, seconds(calls))
    yield f"\nA checkpoint took {checkpoint_bytes():.2f} bytes a parameter (the formula says 12). "
    yield f"SHA-256 reads {hash_rate() / 1e9:.2f} GB/s here.\n"


def row(name: str, sizes: Sequence[float], times: Sequence[float]) -> str:
    """A line of the table."""
    found = fit(sizes, times)
    span = f"{1e3 * times[0]:.1f} to {1e3 * times[-1]:.1f} ms"
    slope = f"{found.exponent:.2f} ({found.low:.2f} to {found.high:.2f})"
    return f"| {name} | {sizes[0]:,} | {sizes[-1]:,} | {span} | {slope} |\n"


def checkpoint_bytes() -> float:
    """Bytes that a real checkpoint has for each parameter."""
    import tempfile

    import torch

    from regard.models.gpt.config import GPTConfig
    from regard.models.gpt.model import GPT
    from regard.training import Checkpoints, Plan, Training, cross_entropy

    model = GPT(GPTConfig(vocabulary=256, context=8, depth=2, heads=2, width=256))
    ids = torch.zeros(1, 8, dtype=torch.int64)
    training = Training(model, lambda index: (ids, ids), cross_entropy, Plan(steps=1))
    list(training)
    with tempfile.TemporaryDirectory() as folder:
        Checkpoints(Path(folder)).save(training.state())
        return sum(one.stat().st_size for one in Path(folder).iterdir()) / model.size


def hash_rate() -> float:
    """Bytes a second that SHA-256 reads on one core."""
    content = bytes(2**26)
    began = time.perf_counter()
    sha256(content).digest()
    return len(content) / (time.perf_counter() - began)


@dataclass(frozen=True)
class Cluster:
    """What is assumed of the machines; none of it was measured here."""

    gpus: int = 1000
    beside: int = 8
    "GPUs of a host."
    memory: float = 80e9
    "Bytes of a GPU (H100)."
    flops: float = 4e14
    "Operations a second that a GPU reaches in bfloat16: two fifths of an H100's 989e12."
    wire: float = 50e9
    "Bytes a second that a GPU receives from other hosts: one 400 Gbit/s adapter each."
    disk: float = 0.5e9
    "Bytes a second that a GPU's process writes to a shared file system: 500 GB/s over 1,000."
    digest: float = 1e9
    "Bytes a second that a process hashes."
    failure: float = 16384 * 54 * 24 * 3600 / 419
    "Seconds of a GPU between failures: 419 in 54 days of 16,384 (Grattafiori et al. 2024, The Llama 3 Herd)."
    restart: float = 300
    "Seconds from a failure until all processes compute again."


@dataclass(frozen=True)
class Job:
    """A training by FSDP2 as this package does it: float32 parameters, AdamW, activations kept."""

    name: str
    depth: int
    width: int
    vocabulary: int = 50_257
    tokens: int = 4096
    "Tokens of a GPU in a step."
    total: float = 0.0
    "Tokens of the whole training; 0: twenty a parameter (Hoffmann et al. 2022)."

    @property
    def parameters(self) -> float:
        return 12 * self.depth * self.width**2 + self.vocabulary * self.width

    def state(self, c: Cluster) -> float:
        """Parameters, gradients and two moments, 4 bytes each, parted."""
        return 16 * self.parameters / c.gpus

    def gathered(self) -> float:
        """Two blocks, one computing and one on its way, and the token table, with gradients, in float32."""
        return 2 * 4 * (2 * 12 * self.width**2 + self.vocabulary * self.width)

    def activations(self) -> float:
        """34 bytes for each token, channel and layer in half precision (Korthikanti et al. 2022)."""
        return 34 * self.tokens * self.width * self.depth

    def memory(self, c: Cluster) -> float:
        return self.state(c) + self.gathered() + self.activations()

    def replica(self) -> float:
        """What a GPU holds that has the whole model."""
        return 16 * self.parameters + self.activations()

    def host(self, c: Cluster) -> float:
        """At its beginning every process of a host makes the whole model."""
        return 4 * self.parameters * c.beside

    def sent(self, c: Cluster) -> float:
        """Parameters gathered forward and backward, gradients scattered once: three times 4 bytes each."""
        return 12 * self.parameters * (c.gpus - 1) / c.gpus

    def replicated(self, c: Cluster) -> float:
        """The same where each has the whole model: one all-reduce, twice 4 bytes."""
        return 8 * self.parameters * (c.gpus - 1) / c.gpus

    def compute(self, c: Cluster) -> float:
        """Six operations for each parameter and token."""
        return 6 * self.parameters * self.tokens / c.flops

    def step(self, c: Cluster) -> float:
        """Computing hides what is sent, or is hidden by it."""
        return max(self.compute(c), self.sent(c) / c.wire)

    def steps(self, c: Cluster) -> float:
        return (self.total or 20 * self.parameters) / (self.tokens * c.gpus)

    def checkpoint(self) -> float:
        """Parameters and two moments."""
        return 12 * self.parameters

    def saving(self, c: Cluster) -> float:
        """Every process writes and hashes its part."""
        return self.checkpoint() / c.gpus * (1 / c.disk + 1 / c.digest)

    def interval(self, c: Cluster) -> float:
        """The best time between checkpoints, √(2 × time of one × time between failures) (Young 1974)."""
        return sqrt(2 * self.saving(c) * between(c))

    def lost(self, c: Cluster, interval: float) -> float:
        """The share of time that checkpoints, work done again and restarts take."""
        return self.saving(c) / interval + (interval / 2 + c.restart) / between(c)


def between(c: Cluster) -> float:
    """Seconds between failures of a job in which any GPU's failure is one of all."""
    return c.failure / c.gpus


def told(number: float, unit: str = "B") -> str:
    """A number with a prefix of a thousand."""
    for size, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {prefix}{unit}"
    return f"{number:.3g} {unit}"


def room(need: float, c: Cluster) -> str:
    """Bytes, and whether a GPU has them."""
    return told(need) + ("" if need < c.memory else ": **too much**")


def duration(value: float) -> str:
    """Seconds, minutes, hours or days."""
    for size, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if value >= 2 * size:
            return f"{value / size:.3g} {name}"
    return f"{value:.3g} s"


JOBS = (
    Job("0.1 B", depth=12, width=768, total=1e11),
    Job("7 B", depth=32, width=4096),
    Job("70 B", depth=80, width=8192, tokens=2048),
)


def computed(c: Cluster) -> Iterator[str]:
    """What each job needs, by its formulas."""
    yield f"| {c.gpus:,} GPUs | formula | " + " | ".join(job.name for job in JOBS) + " |\n"
    yield "|---|---|" + "---|" * len(JOBS) + "\n"
    lines: list[tuple[str, str, Callable[[Job], str]]] = [
        ("parameters P", "12 l d² + v d", lambda j: told(j.parameters, "")),
        ("tokens of a GPU in a step, t", "chosen", lambda j: f"{j.tokens:,}"),
        ("state of a GPU", "16 P / N", lambda j: told(j.state(c))),
        ("gathered, with gradients", "8 (24 d² + v d)", lambda j: told(j.gathered())),
        ("activations", "34 t d l", lambda j: told(j.activations())),
        ("memory of a GPU", "their sum", lambda j: room(j.memory(c), c)),
        ("the same without FSDP2", "16 P + activations", lambda j: room(j.replica(), c)),
        ("memory of a host at the start", f"4 P × {c.beside}", lambda j: told(j.host(c))),
        ("received by a GPU in a step", "12 P (N − 1) / N", lambda j: told(j.sent(c))),
        ("the same without FSDP2", "8 P (N − 1) / N", lambda j: told(j.replicated(c))),
        ("time of computing a step", "6 P t / F", lambda j: duration(j.compute(c))),
        ("time on the wire", "received / B", lambda j: duration(j.sent(c) / c.wire)),
        ("t that would hide the wire", "2 F / B", lambda j: f"{2 * c.flops / c.wire:,.0f}"),
        (
            "tokens of the training, T",
            "20 P; 10¹¹ for 0.1 B",
            lambda j: told(j.steps(c) * j.tokens * c.gpus, ""),
        ),
        ("steps", "T / (t N)", lambda j: f"{j.steps(c):,.0f}"),
        (
            "time without failures",
            "steps × the longer of the two",
            lambda j: duration(j.steps(c) * j.step(c)),
        ),
        ("checkpoint", "12 P", lambda j: told(j.checkpoint())),
        ("time to save it, δ", "12 P / N (1 / disk + 1 / hash)", lambda j: duration(j.saving(c))),
        ("time between failures, M", "m / N", lambda j: duration(between(c))),
        ("failures in the training", "time / M", lambda j: f"{j.steps(c) * j.step(c) / between(c):.1f}"),
        ("best interval τ", "√(2 δ M)", lambda j: duration(j.interval(c))),
        (
            "work lost by a failure, with restart",
            "τ / 2 + R",
            lambda j: duration(j.interval(c) / 2 + c.restart),
        ),
        (
            "share of time lost at τ",
            "δ / τ + (τ / 2 + R) / M",
            lambda j: f"{100 * j.lost(c, j.interval(c)):.2f} %",
        ),
        ("the same at 60 s, as here", "with τ = 60 s", lambda j: f"{100 * j.lost(c, 60):.2f} %"),
    ]
    for name, formula, value in lines:
        yield f"| {name} | {formula} | " + " | ".join(value(job) for job in JOBS) + " |\n"


def summary(c: Cluster) -> str:
    """The largest job in a sentence."""
    job = JOBS[-1]
    time, tokens = job.steps(c) * job.step(c), job.steps(c) * job.tokens * c.gpus
    return (
        f"**{c.gpus:,} GPUs on paper**: {job.name} parameters take {told(job.memory(c))} on each of "
        f"{c.gpus:,} GPUs ({told(job.replica())} without FSDP2) and {duration(time)} for "
        f"{told(tokens, '')} tokens;\nof a step {duration(job.compute(c))} are computing and "
        f"{duration(job.sent(c) / c.wire)} the wire. A failure every {duration(between(c))} costs, with "
        f"checkpoints of {told(job.checkpoint())} every {duration(job.interval(c))}, "
        f"{100 * job.lost(c, job.interval(c)):.2f} % of the time: [formulas](scale-training.md).\n"
    )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--write", type=Path, help="the page whose tables are to be replaced")
    words.add_argument("--gpus", type=int, default=Cluster.gpus)
    words.add_argument("--paper", action="store_true", help="only what is computed")
    asked = words.parse_args()
    cluster = replace(Cluster(), gpus=asked.gpus)
    tables = {"computed": "".join(computed(cluster)), "gpus": summary(cluster)}
    if not asked.paper:
        tables["measured"] = "".join(measured())
    for name, text in tables.items():
        if asked.write is None:
            print(text)
        elif f"<!-- {name} -->" in (page := asked.write.read_text("utf-8")):
            asked.write.write_text(put(page, name, text), "utf-8")


if __name__ == "__main__":
    main()
