"""Attention in linear time: by a kernel, by low rank, by projection. About 15 s on a CPU.   regard run linear-attention"""

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
from regard.experiments.attention.linear_attention.forms import (
    FORMS,
    MATRICES,
    crossing,
    formula,
    kept,
    kept_formula,
    prepared,
    rootless,
    short_forms,
)
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
    rounds: int = 2
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
        "gap of the feature map without √2 on its linear terms",
        ((rootless(q) @ rootless(k).mT) - kernel).abs().max().item() / kernel.max().item(),
    )
    yield Metric(
        "difference between the number of features and (D + 1)(D + 2)/2",
        polynomial(q).shape[-1] - comb(settings.width + 2, 2),
    )
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
        "share of rows with a negative denominator under the plain product q·k",
        (sums < 0).double().mean().item(),
    )
    weights = elu_plus_one(q) @ elu_plus_one(k).mT
    averaged = weights @ v / weights.sum(-1, keepdim=True)
    yield Metric(
        "largest output / largest value under elu + 1", (averaged.abs().max() / v.abs().max()).item()
    )
    yield Metric("largest output / largest value under the plain product q·k", blown / v.abs().max().item())
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
    for name, found in counted.items():
        yield Metric(f"exponent of the operations in N, {name}", log(found[-1] / found[-3]) / span)
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
    yield from _kept(settings)
    yield from _memory(settings)
    yield FigureEvent("cost", draw_cost(settings.lengths, counted, seconds, settings.width), COST)


def _kept(settings: Settings) -> Iterator[Event]:
    """Numbers that must be kept for backpropagation, counted and by the formulas."""
    rows, off = [], 0.0
    counted: dict[str, list[int]] = {name: [] for name in MATRICES}
    for name, form in MATRICES.items():
        for length in settings.lengths:
            counted[name].append(kept(form, length, settings.width))
            derived = kept_formula(length, settings.width)[name]
            off = max(off, abs(counted[name][-1] / derived - 1))
            rows.append((name, length, counted[name][-1], derived))
            yield Metric(f"numbers kept for backpropagation, {name}", counted[name][-1], at={"N": length})
        span = log(settings.lengths[-1] / settings.lengths[-2])
        yield Metric(
            f"exponent of the numbers kept in N, {name}", log(counted[name][-1] / counted[name][-2]) / span
        )
    yield Metric("largest share by which the numbers kept differ from the formula", off)
    yield TableEvent(
        "kept",
        ("form", "N", "numbers kept, counted", "by the formula"),
        rows,
        "What backpropagation needs, Q, K and V included: N² + N(2D + M) numbers for softmax attention, "
        "N(2D + 2C + 2M + 1) + C(M + 1) for linear attention with C features.",
    )


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
        "Memory that a call of `attend` takes beyond its inputs, without gradients: how far a process of its own grew, and where that was read.",
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
    used, errors = 0.0, []
    for sharpness in (0.3, 1.0, 3.0):
        p = (sharpness * q @ k.T / sqrt(d)).softmax(-1)
        left, values, right = torch.linalg.svd(p)
        spectra[sharpness] = values
        short = left[:, :rank] @ (values[:rank, None] * (right[:rank] @ v))
        error = torch.linalg.matrix_norm(p @ v - short, 2) / torch.linalg.matrix_norm(v, 2)
        used = max(used, (error / values[rank]).item())
        errors.append(error.item())
        yield Metric(f"relative error of rank {rank}", error.item(), at={"sharpness": sharpness})
        yield Metric(
            "singular values for 99 % of the squares",
            int((values.square().cumsum(0) / values.square().sum() < 0.99).sum()) + 1,
            at={"sharpness": sharpness},
        )
    yield Metric("largest error of the low-rank form / first discarded singular value", used)
    yield Metric("relative error of the low-rank form, softest attention", errors[0])
    yield Metric("relative error of the low-rank form, sharpest attention", errors[-1])
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
        counts = {}
        for name, form in short_forms(n, rank, width).items():
            with FlopCounterMode(display=False) as counter:
                form()
            counts[name] = counter.get_total_flops()
            yield Metric(f"operations, {name}", counts[name], at={"N": n})
        rows.append((n, *counts.values()))
    columns = ("N", "PV: 2N²D", f"U(S(WᵀV)), rank {rank}: 4NkD", "keys and values projected: 8NkD")
    yield TableEvent(
        "short",
        columns,
        rows,
        "Operations counted, by length: the product PV itself, its low-rank form with the factors at hand, and the projected form; N tokens, width D, rank or projected length k.",
    )
    first, last = rows[0], rows[-1]
    for place, name in ((2, "low rank"), (3, "projected")):
        yield Metric(
            f"exponent of the operations in N, {name}",
            log(last[place] / first[place]) / log(last[0] / first[0]),
        )


CLAIMS = (
    Claim("gap between φ(q)·φ(k) and (q·k + 1)²", high=1e-12,
          why="(1, √2 x_a, x_a², √2 x_a x_b) is the feature map", source="Berkeley HW6, 3b.ii, corrected", items=(27, 28),
          says="The quadratic kernel (q·k + 1)² is φ(q)·φ(k) with φ(x) = (1, √2 x_a, x_a², √2 x_a x_b for a < b), to within {value:.2g}.",
          otherwise="The product φ(q)·φ(k) is not the quadratic kernel (q·k + 1)²: it is off by {value:.2g}.",
          asks="whether φ is the feature map of the quadratic kernel"),
    Claim("gap of the feature map without √2 on its linear terms", low=0.001,
          why="the printed map gives another kernel", source="Berkeley HW6, 3b.ii", items=(28,),
          says="Without √2 on the linear terms, as the solution prints it, the map gives another kernel: off by {value:.1%} of its largest entry.",
          otherwise="Without √2 on the linear terms the map gives the same kernel, to within {value:.1%} of its largest entry.",
          asks="whether the linear terms need √2"),
    Claim("difference between the number of features and (D + 1)(D + 2)/2", low=0, high=0,
          why="1 + D + D + D(D − 1)/2", source="Berkeley HW6, 3b.ii", items=(28,),
          says="The feature map of (q·k + 1)² has (D + 1)(D + 2)/2 features, about D²/2.",
          otherwise="The feature map of (q·k + 1)² does not have (D + 1)(D + 2)/2 features: the number differs by {value}.",
          asks="how many features the map has"),
    Claim("gap between the linear form and the kernel form", high=1e-10,
          why="associativity", source="Berkeley HW6, 3b.iii; Toronto A4, 1.3.1", items=(29, 80),
          says="When its weights are a kernel φ(q)·φ(k): then keys and values can be summed before a query meets them, exactly (both ways of computing it agree to {value:.2g}); given up are the softmax's own weights.",
          otherwise="Summing keys and values first does not give the same output: the two ways differ by {value:.2g}.",
          asks="whether the linear form is exact"),
    Claim("share of rows with a negative denominator under the plain product q·k", low=0.3, high=0.7,
          why="the sum of q·k over keys has no preferred sign", source="Berkeley HW6, 3a, and Toronto A4, 1.3.1, corrected", items=(26, 80),
          says="The denominator must be positive, and a kernel alone does not make it so: under the plain product q·k it is negative in {value:.0%} of the rows.",
          otherwise="Under the plain product q·k the denominator is negative in {value:.0%} of the rows, where about half was expected.",
          asks="whether a kernel can have a negative denominator"),
    Claim("largest output / largest value under elu + 1", high=1 + 1e-9,
          why="weights that are positive and sum to 1 average the values", source="Berkeley HW6, 3a", items=(26,),
          says="With positive features the output is an average of the values: at most {value:.2f} of the largest value, where the plain product gives {of[largest output / largest value under the plain product q·k]:.0f} times it.",
          otherwise="Under elu + 1 an output is {value:.2f} times the largest value, so that it is no average of the values.",
          asks="whether positive features keep the output within the values"),
    Claim("largest share by which counted operations differ from the formula", high=0.05,
          why="2N²(D + M) and 4NC(M + 1)", source="Berkeley HW6, 3c", items=(30, 31),
          says="Counted operations are those derived, 2N²(D + M) for softmax and 4NC(M + 1) with C features, within {value:.1%}.",
          otherwise="Counted operations differ from the derived ones by {value:.1%}.",
          asks="whether the derived operations are those counted"),
    Claim("exponent of the operations in N, softmax", low=1.99, high=2.01,
          why="N² scores", source="Berkeley HW6, 3c.i", items=(30,),
          says="Operations of softmax attention grow with N to the power {value:.2f}.",
          otherwise="Operations of softmax attention grow with N to the power {value:.2f}, which is not 2.",
          asks="how the operations of softmax attention grow"),
    Claim("exponent of the operations in N, linear, elu + 1", low=0.99, high=1.01,
          why="N features, summed once", source="Berkeley HW6, 3c.ii", items=(31,),
          says="Operations of linear attention grow with N to the power {value:.2f}: linear in the length.",
          otherwise="Operations of linear attention grow with N to the power {value:.2f}, which is not linear.",
          asks="how the operations of linear attention grow"),
    Claim("length from which it needs fewer operations, linear, (q·k + 1)²", low=140, high=256,
          why="C(M + 1)/M = 163 with C = 153 features; the rule of thumb N > D² = 256 is on the safe side", source="Berkeley HW6, 3c.ii", items=(31,),
          says="What is paid is the number of features: the quadratic kernel at D = 16 needs fewer operations than softmax only from N = {value:.0f} on; N > D² = 256 is on the safe side.",
          otherwise="The quadratic kernel at D = 16 needs fewer operations from N = {value:.0f} on, not from 163 as the formulas say.",
          asks="from which length the quadratic kernel pays"),
    Claim("largest share by which the numbers kept differ from the formula", high=0.001,
          why="N² + N(2D + M) and N(2D + 2C + 2M + 1) + C(M + 1), Q, K and V included", source="Berkeley HW6, 3c, corrected", items=(30, 31),
          says="What must be kept for backpropagation is what the formulas say: N² + N(2D + M) numbers for softmax, N(2D + 2C + 2M + 1) + C(M + 1) for the linear form (largest difference {value:.2%}).",
          otherwise="What is kept for backpropagation differs from the formulas by {value:.2%}.",
          asks="whether the derived memory is that counted"),
    Claim("exponent of the numbers kept in N, softmax", low=1.9, high=2.01,
          why="N² weights, and a part that is linear in N", source="Berkeley HW6, 3c.i, corrected", items=(30,),
          says="The memory of softmax attention grows with N to the power {value:.2f} between the two largest lengths.",
          otherwise="The memory of softmax attention grows with N to the power {value:.2f}, away from 2.",
          asks="how the memory of softmax attention grows"),
    Claim("exponent of the numbers kept in N, linear, elu + 1", low=0.95, high=1.01,
          why="features and values, and a state that does not grow", source="Berkeley HW6, 3c.ii, corrected", items=(31,),
          says="The memory of linear attention grows with N to the power {value:.2f}.",
          otherwise="The memory of linear attention grows with N to the power {value:.2f}, away from 1.",
          asks="how the memory of linear attention grows"),
    Claim("memory at the larger N, softmax / linear", low=5,
          why="N² scores against N features", source="Berkeley HW6, 3c", items=(30, 31),
          says="A process that computes softmax attention at the larger length takes {value:.0f} times the memory of one that computes the linear form.",
          otherwise="A process that computes softmax attention takes only {value:.1f} times the memory of one that computes the linear form.",
          asks="what linear attention saves in memory"),
    Claim("largest error of the low-rank form / first discarded singular value", high=1.0,
          why="‖(P − P_k)V‖ ≤ s‖V‖ with s the first value cut", source="Toronto A4, 1.3.2", items=(81,),
          says="Low rank is an approximation: its error stays within the first singular value cut off (at most {value:.2f} of it); as a share of the values it is {of[relative error of the low-rank form, softest attention]:.2g} for the softest attention tried and {of[relative error of the low-rank form, sharpest attention]:.2g} for the sharpest.",
          otherwise="The error of the low-rank form exceeds the first singular value cut off, {value:.2f}-fold.",
          asks="whether the low-rank form keeps its bound"),
    Claim("exponent of the operations in N, low rank", low=0.99, high=1.01,
          why="4NkD operations with the factors at hand", source="Toronto A4, 1.3.2", items=(81,),
          says="With the factors at hand, operations of the low-rank form grow with N to the power {value:.2f}.",
          otherwise="Operations of the low-rank form grow with N to the power {value:.2f}, which is not linear.",
          asks="how the operations of the low-rank form grow"),
    Claim("exponent of the operations in N, projected", low=0.99, high=1.01,
          why="8NkD operations", source="Toronto A4, 1.3.3", items=(82,),
          says="Operations of the projected form grow with N to the power {value:.2f}.",
          otherwise="Operations of the projected form grow with N to the power {value:.2f}, which is not linear.",
          asks="how the operations of the projected form grow"),
    Claim("gap between QKᵀV and Q(CK)ᵀDV with C = D of the right singular vectors", high=1e-12,
          why="PWWᵀ = P when W spans the rows of P", source="Toronto A4, 1.3.3", items=(82,),
          says="Without the softmax, projected keys and values lose nothing if C = D are the right singular vectors of QKᵀ (gap {value:.2g}).",
          otherwise="With C = D the right singular vectors of QKᵀ, the projected form is off by {value:.2g}.",
          asks="whether projected keys and values can be exact"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="When can attention be computed in time linear in the length, and what is given up for it?",
    method=r"""Identities in float64: the quadratic kernel $(q \cdot k + 1)^2$ against its feature map; and the form
        $$\frac{\sum_j \phi(q_i) \cdot \phi(k_j) v_j}{\sum_j \phi(q_i) \cdot \phi(k_j)}$$
        computed directly and by associativity, its numerator as $\phi(q_i)$ times $\sum_j \phi(k_j) v_j^\top$.

        Cost: operations are counted while the call runs and held against $4 N^2 D$ for softmax and
        $4 N C (M + 1)$ for a map of $C$ features. Memory is what backpropagation has to keep, $Q$, $K$ and $V$
        included: counted while the matrices are computed, and derived. Softmax keeps $Q$, $K$, $V$ and the
        $N \times N$ weights. The linear form keeps $Q$, $K$ and $V$, the features of queries and keys ($2 N C$),
        the sums $\phi(K)^\top V$ and $\phi(K)^\top \mathbf{1}$ ($C (M + 1)$), and numerator and denominator
        ($N (M + 1)$). How far a process of its own grows is measured beside it, and the time of a call is drawn.

        Low rank: the attention matrix of random tokens is cut to its leading $k$ singular values, and the error
        of the output is held against the first value cut. Projection: $P = Q K^\top$ without softmax has rank at
        most the width, and with both projections $C = D$ the transposed right singular vectors, $Q (C K)^\top D V$
        is $P V$; here $C$ and $D$ are Toronto A4's matrices, not the number of features and the width.""",
    see="""Linear attention is another function than softmax attention: what is given up is the softmax's own
        weights, not exactness. The denominator is the catch: a kernel may be negative, and then the sum can be
        next to zero; a feature map that is positive everywhere makes it safe. Low rank keeps the softmax and
        approximates it; how well depends on how sharp it is. The algebra is derived in [[theory-kernel-attention]] and
        [[theory-low-rank]]. Exact softmax attention that stores no scores, and saves memory but no
        operations, is [[theory-flash-attention]].""",
    correction=r"""Berkeley HW6's feature map for the quadratic kernel lacks $\sqrt{2}$ on its linear terms. It
        also asks only that the similarity be not negative: the sum must be strictly positive. Its memory
        $O(N^2 M)$ for softmax attention counts every product $\exp(q_i \cdot k_j) v_j$; the matrices need
        $O(N^2 + N (D + M))$. Its $O(N M \max(C, D))$ for the linear form counts products in the same way:
        $O(N (C + D + M) + C M)$ is enough, with $C = O(D^2)$ for the quadratic kernel. Toronto A4 says that every
        kernel $\phi(x) \cdot \phi(y)$ is non-negative: the plain product, $\phi(x) = x$, is negative for opposite
        vectors.""",
    claims=CLAIMS,
    opens_with=("gap between the linear form and the kernel form", "exponent of the operations in N, linear, elu + 1"),
    presets={
        "quick": Settings(),
        "full": Settings(
            lengths=(128, 256, 512, 1024, 2048, 4096, 8192, 16384), rounds=20, memory=(2048, 8192)
        ),
    },
    seconds=15,
    run=run,
)  # fmt: skip
