"""Attention in linear time: by a kernel, by low rank, by projection. About 25 s on a CPU.   regard run linear-attention"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb, log, sqrt
from typing import Annotated

import torch
from torch.utils.flop_counter import FlopCounterMode

from regard.claims import Claim
from regard.core.attend import attend
from regard.core.normalise import Divide
from regard.core.similarity import Kernel, elu_plus_one, polynomial
from regard.experiments.attention.linear_attention.figures import COST, RANK, draw_cost, draw_rank
from regard.experiments.attention.linear_attention.forms import FORMS, crossing, formula, prepared, rootless
from regard.lab.bench import growth, interleave
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Distinct


@dataclass(frozen=True, kw_only=True)
class Settings:
    width: int = 16
    "Width D of queries and keys, and M of values."
    lengths: Annotated[tuple[int, ...], Distinct(3)] = (128, 256, 512, 1024, 2048, 4096)
    "Lengths N."
    rounds: int = 5
    "Timed repeats, the forms taken in turn."
    memory: Annotated[tuple[int, ...], Distinct(2)] = (1024, 4096)
    "Lengths at which memory is measured, each in a process of its own."
    rank: int = 8
    "Rank k of the low-rank form."


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Identities first, then cost, then low rank and projection."""
    generator = torch.Generator().manual_seed(context.seed)
    yield from _identities(settings, generator)
    yield from _cost(settings)
    yield from _rank(settings, generator)


def _identities(settings: Settings, generator: torch.Generator) -> Iterator[Event]:
    """The kernel is its feature map's inner product; the linear form is the kernel form; the denominator must be positive."""
    yield ProgressEvent("kernels and feature maps", 0.02)
    q, k, v = (
        torch.randn(1, 2, 97, settings.width, generator=generator, dtype=torch.float64) for _ in range(3)
    )
    kernel = (q @ k.mT + 1).square()
    yield Metric(
        "gap between φ(q)·φ(k) and (q·k + 1)²",
        ((polynomial(q) @ polynomial(k).mT) - kernel).abs().max().item() / kernel.max().item(),
    )
    yield Metric(
        "the same without √2 on the linear terms",
        ((rootless(q) @ rootless(k).mT) - kernel).abs().max().item() / kernel.max().item(),
    )
    yield Metric("features less (D + 1)(D + 2)/2", polynomial(q).shape[-1] - comb(settings.width + 2, 2))
    worst = 0.0
    for phi in (elu_plus_one, polynomial):
        linear, direct = (
            attend(q, k, v, similarity=Kernel(phi), normalise=Divide(), backend=name).output
            for name in ("linear", "reference")
        )
        worst = max(worst, (linear - direct).abs().max().item())
    yield Metric("gap between the linear form and the kernel form", worst)
    sums = (q @ k.mT).sum(-1)
    i = sums.abs().flatten().argmin()
    query = q.flatten(0, 2)[i]
    blown = ((q @ k.mT) @ v / sums[..., None]).flatten(0, 2)[i].abs().max().item()
    yield Metric(
        "share of rows whose denominator is negative under the plain product q·k",
        (sums < 0).double().mean().item(),
    )
    yield Metric(
        "smallest denominator under elu + 1", (elu_plus_one(q) @ elu_plus_one(k).mT).sum(-1).min().item()
    )
    yield TextEvent("A denominator near zero", f"q·k is a kernel, and its sum over {k.shape[2]} keys is {sums.flatten()[i]:.4f} for the query\n({', '.join(f'{x:.2f}' for x in query[:6])}, …): "
               f"dividing by it gives an output of size {blown:.0f}, from values of size {v.abs().max():.1f}.")  # fmt: skip


def _cost(settings: Settings) -> Iterator[Event]:
    """Operations, seconds and memory against the length."""
    counted: dict[str, list[int]] = {name: [] for name in FORMS}
    seconds: dict[str, list[float]] = {name: [] for name in FORMS}
    off = 0.0
    for place, length in enumerate(settings.lengths):
        yield ProgressEvent(f"time at length {length}", 0.05 + 0.5 * place / len(settings.lengths))
        x = torch.randn(1, 1, length, settings.width)
        for name, form in FORMS.items():
            with FlopCounterMode(display=False) as counter:
                form(x)
            counted[name].append(counter.get_total_flops())
            off = max(off, abs(counted[name][-1] / formula(length, settings.width)[name] - 1))
            yield Metric(f"operations, {name}", counted[name][-1], at={"N": length})
        times = interleave(
            {name: (lambda form=form, x=x: form(x)) for name, form in FORMS.items()}, rounds=settings.rounds
        )
        for name, found in times.items():
            seconds[name].append(min(found))
            yield Metric(f"seconds, {name}", seconds[name][-1], at={"N": length})
    yield Metric("largest share by which counted operations differ from the formula", off)
    span = log(settings.lengths[-1] / settings.lengths[-3])
    for name, found in seconds.items():
        yield Metric(f"exponent of the time in N, {name}", log(found[-1] / found[-3]) / span)
    features = comb(settings.width + 2, 2)
    for name, size in (("linear, elu + 1", settings.width), ("linear, (q·k + 1)²", features)):
        meeting = crossing(settings.lengths, seconds["softmax"], seconds[name])
        yield Metric(f"length from which it is faster than softmax, {name}", meeting)
        yield Metric(
            f"length from which it needs fewer operations, {name}",
            crossing(settings.lengths, counted["softmax"], counted[name])
            if counted[name][0] > counted["softmax"][0]
            else float(size),
        )
    yield from _memory(settings)
    yield FigureEvent("cost", draw_cost(settings.lengths, counted, seconds, settings.width), COST)


def _memory(settings: Settings) -> Iterator[Event]:
    rows = []
    grown: dict[tuple[str, int], float] = {}
    for name in ("softmax", "linear, elu + 1"):
        for length in settings.memory:
            yield ProgressEvent(f"memory of {name} at length {length}", 0.6)
            found = growth(prepared, name, length, settings.width)
            if found.bytes is not None:
                grown[name, length] = found.bytes
                yield Metric(f"bytes, {name}", found.bytes, at={"N": length})
            rows.append((name, length, None if found.bytes is None else found.bytes / 2**20, found.how))
    yield TableEvent(
        "memory",
        ("form", "N", "MiB above the start", "read from"),
        rows,
        "Memory that a call takes beyond its inputs, in a process of its own.",
    )
    if len(grown) == 4:
        low, high = settings.memory
        yield Metric(
            "memory of softmax at the larger N / at the smaller",
            grown["softmax", high] / grown["softmax", low],
        )
        yield Metric(
            "memory at the larger N, softmax / linear",
            grown["softmax", high] / max(grown["linear, elu + 1", high], 2**16),
        )


def _rank(settings: Settings, generator: torch.Generator) -> Iterator[Event]:
    """softmax(QKᵀ/√d) by its leading singular values, and QKᵀ by projection."""
    yield ProgressEvent("low rank and projection", 0.9)
    n, d, rank = 256, settings.width, settings.rank
    q, k, v = (torch.randn(n, d, generator=generator, dtype=torch.float64) for _ in range(3))
    spectra = {}
    used = 0.0
    for sharpness in (0.3, 1.0, 3.0):
        p = (sharpness * q @ k.T / sqrt(d)).softmax(-1)
        left, values, right = torch.linalg.svd(p)
        spectra[sharpness] = values
        short = left[:, :rank] @ (values[:rank, None] * (right[:rank] @ v))
        error = torch.linalg.matrix_norm(p @ v - short, 2) / torch.linalg.matrix_norm(v, 2)
        used = max(used, (error / values[rank]).item())
        yield Metric(f"relative error of rank {rank}", error.item(), at={"sharpness": sharpness})
        yield Metric(
            "singular values for 99 % of the squares",
            int((values.square().cumsum(0) / values.square().sum() < 0.99).sum()) + 1,
            at={"sharpness": sharpness},
        )
    yield Metric("error of the low-rank form / first discarded singular value, largest", used)
    yield from _short_costs(settings)
    p = q @ k.T
    w = torch.linalg.svd(p)[2][:d]
    projected = q @ (w @ k).T @ (w @ v)
    yield Metric(
        "gap between QKᵀV and Q(CK)ᵀDV with C = D of the right singular vectors",
        (p @ v - projected).abs().max().item() / (p @ v).abs().max().item(),
    )
    yield FigureEvent("rank", draw_rank(spectra, rank), RANK)


def _short_costs(settings: Settings) -> Iterator[Event]:
    """Operations of PV, of its low-rank form with the factors at hand, and of the projected form, by length."""
    rank, width, rows = settings.rank, settings.width, []
    for n in settings.lengths:
        p, v, left, right = (
            torch.zeros(n, n),
            torch.zeros(n, width),
            torch.zeros(n, rank),
            torch.zeros(rank, n),
        )
        forms = {
            "PV": lambda p=p, v=v: p @ v,
            "low rank": lambda left=left, right=right, v=v: left @ (right @ v),
            "projected": lambda right=right, v=v: v @ (right @ v).T @ (right @ v),
        }
        counts = {}
        for name, form in forms.items():
            with FlopCounterMode(display=False) as counter:
                form()
            counts[name] = counter.get_total_flops()
            yield Metric(f"operations, {name}", counts[name], at={"N": n})
        rows.append((n, *counts.values()))
    columns = ("N", "PV: 2N²D", f"U(S(WᵀV)), rank {rank}: 4NkD", "Q(CK)ᵀDV: 8NkD")
    yield TableEvent(
        "short", columns, rows, "Operations counted: the product itself, and its two short forms."
    )
    first, last = rows[0], rows[-1]
    for place, name in ((2, "low rank"), (3, "projected")):
        yield Metric(
            f"exponent of the operations in N, {name}",
            log(last[place] / first[place]) / log(last[0] / first[0]),
        )


CLAIMS = (
    Claim("gap between φ(q)·φ(k) and (q·k + 1)²", high=1e-12,
          why="(1, √2 x_a, x_a², √2 x_a x_b) is the feature map", source="Berkeley HW6, 3b.ii, corrected"),
    Claim("the same without √2 on the linear terms", low=0.001,
          why="the printed map gives another kernel", source="Berkeley HW6, 3b.ii"),
    Claim("features less (D + 1)(D + 2)/2", low=0, high=0,
          why="1 + D + D + D(D − 1)/2", source="Berkeley HW6, 3b.ii"),
    Claim("gap between the linear form and the kernel form", high=1e-10,
          why="associativity", source="Berkeley HW6, 3b.iii; Toronto A4, 1.3.1"),
    Claim("share of rows whose denominator is negative under the plain product q·k", low=0.3, high=0.7,
          why="the sum of q·k over keys has no preferred sign", source="Berkeley HW6, 3a, and Toronto A4, 1.3.1, corrected"),
    Claim("smallest denominator under elu + 1", low=1e-6,
          why="every feature is positive", source="Berkeley HW6, 3a"),
    Claim("largest share by which counted operations differ from the formula", high=0.05,
          why="2N²(D + M) and 4NC(M + 1)", source="Berkeley HW6, 3c"),
    Claim("exponent of the time in N, softmax", low=1.5, high=2.5,
          why="N² scores", source="Berkeley HW6, 3c.i"),
    Claim("exponent of the time in N, linear, elu + 1", high=1.4,
          why="N features, summed once; at short lengths the fixed cost of a call flattens it further", source="Berkeley HW6, 3c.ii"),
    Claim("length from which it needs fewer operations, linear, (q·k + 1)²", low=128, high=512,
          why="C ≈ D²/2 features: N > D² is on the safe side", source="Berkeley HW6, 3c.ii"),
    Claim("memory at the larger N, softmax / linear", low=5,
          why="N² scores against N features", source="Berkeley HW6, 3c"),
    Claim("error of the low-rank form / first discarded singular value, largest", high=1.0,
          why="‖(P − P_k)V‖ ≤ s‖V‖ with s the first value cut", source="Toronto A4, 1.3.2"),
    Claim("exponent of the operations in N, low rank", low=0.99, high=1.01,
          why="4NkD operations with the factors at hand", source="Toronto A4, 1.3.2"),
    Claim("exponent of the operations in N, projected", low=0.99, high=1.01,
          why="8NkD operations", source="Toronto A4, 1.3.3"),
    Claim("gap between QKᵀV and Q(CK)ᵀDV with C = D of the right singular vectors", high=1e-12,
          why="PWWᵀ = P when W spans the rows of P", source="Toronto A4, 1.3.3"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="When can attention be computed in time linear in the length, and what is given up for it?",
    answers=(26, 27, 28, 29, 30, 31, 80, 81, 82),
    method="""Identities in float64: the quadratic kernel (q·k + 1)² against its feature map; the form Σ
        φ(q_i)·φ(k_j) v_j / Σ φ(q_i)·φ(k_j) computed directly and by associativity, φ(q_i)·(Σ φ(k_j) v_j).

        Cost: operations are counted while the call runs and held against 4N²D for softmax and 4NC(M + 1) for
        a map of C features; time is the fastest of calls taken in turn; memory is read from the kernel for a
        process of its own.

        Low rank: the attention matrix of random tokens is cut to its leading k singular values, and the error
        of the output is held against the first value cut. Projection: P = QKᵀ without softmax has rank at
        most D, and with C = D the transposed right singular vectors, Q(CK)ᵀDV is PV.""",
    see="""Linear attention is another function than softmax attention, but an exact one: both ways to compute
        it agree. It is cheaper from a length on that depends on the number of features: at once for elu + 1,
        from about D² for the quadratic kernel. Low rank is an approximation that is good where attention is
        smooth. The denominator is the catch: a kernel may be negative, and then the sum can be next to zero;
        a feature map that is positive everywhere makes it safe.""",
    correction="""Berkeley HW6's feature map for the quadratic kernel lacks √2 on its linear terms; with the
        map as printed the kernel is off by the share measured here. It also asks only that the similarity be
        not negative: the sum must be strictly positive. Its memory O(N²M) for softmax attention counts every
        product; the matrices need O(N² + N(D + M)). Toronto A4 says that every kernel φ(x)·φ(y) is
        non-negative: the plain product is the counterexample, with a negative denominator in about half of
        the rows.""",
    claims=CLAIMS,
    presets={
        "quick": Settings(),
        "full": Settings(
            lengths=(128, 256, 512, 1024, 2048, 4096, 8192, 16384), rounds=20, memory=(2048, 8192)
        ),
    },
    seconds=25,
    run=run,
)
