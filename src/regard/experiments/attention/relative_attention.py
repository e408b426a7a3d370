"""Attention with relative positions as a convolution and as max pooling. About 2 s on a CPU.   regard run relative-attention"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import e, log10
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.claims import Claim
from regard.core.attend import attend
from regard.core.position import Relative
from regard.core.similarity import Dot
from regard.errors import RegardError
from regard.lab.book.style import BLACK, BLUE, GREEN, ORANGE, RED, mark_place, panels, style
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Range


@dataclass(frozen=True, kw_only=True)
class Settings:
    length: Annotated[int, Range(5, 10**4)] = 64
    "Length of the sequences."
    sequences: int = 200
    "Random sequences of each kind."
    reach: Annotated[int, Range(1, 100)] = 2
    "Max pooling looks k places to each side."
    betas: Annotated[tuple[float, ...], Range(above=0, high=10**9)] = (
        1.0,
        3.0,
        10.0,
        30.0,
        100.0,
        300.0,
        1000.0,
        3000.0,
    )
    "Sharpness of the softmax in max pooling."

    def __post_init__(self) -> None:
        if self.length <= 2 * self.reach:
            raise RegardError(
                "max pooling looks beyond the sequence",
                f"{self.reach} places to each side of {self.length}",
                "choose a longer length, or a shorter reach",
            )


def layer(x: Tensor, query: float, key: float, value: float, p: Tensor) -> Tensor:
    """RelAttnLayer(x; W_Q, W_K, W_V, p) of Toronto A4 for sequences of scalars (rows of x)."""
    q, k, v = (weight * x[:, None, :, None] for weight in (query, key, value))
    return attend(q, k, v, similarity=Dot(1.0), position=Relative(p)).output[:, 0, :, 0]


def convolution(kernel: Tensor) -> tuple[float, Tensor]:
    """W_V and p that make the layer a convolution with a kernel that is nowhere negative: p_(-j) = log(w_j / sum w)."""
    total = kernel.sum()
    return float(total), (kernel / total).log().flip(0)


def pooled(x: Tensor, beta: float, reach: int) -> Tensor:
    """Max pooling over 2·reach + 1 places by a softmax of sharpness beta."""
    return layer(x, beta**0.5, beta**0.5, 1.0, torch.zeros(2 * reach + 1, dtype=x.dtype))


def windows(x: Tensor, reach: int) -> Tensor:
    """The 2·reach + 1 places around each place inside."""
    return x.unfold(1, 2 * reach + 1, 1)


def bounds(x: Tensor, beta: float, reach: int) -> tuple[Tensor, Tensor]:
    """Two bounds on the error of `pooled` at each place inside: by the gap to the runner-up, and without it."""
    inside, around = x[:, reach:-reach], windows(x, reach)
    top = around.topk(2, -1).values
    by_gap = 2 * reach * top[..., 0] * torch.exp(-beta * inside * (top[..., 0] - top[..., 1]))
    return by_gap, 2 * reach / (e * beta * inside)


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Toronto A4's kernel, random kernels, a kernel that cannot be had, then max pooling."""
    generator = torch.Generator().manual_seed(context.seed)
    shape = (settings.sequences, settings.length)
    yield ProgressEvent("convolutions", 0.1)
    yield from _convolutions(
        settings, generator, torch.randn(shape, generator=generator, dtype=torch.float64)
    )
    yield ProgressEvent("max pooling", 0.5)
    yield from _pooling(settings, 0.05 + torch.rand(shape, generator=generator, dtype=torch.float64))
    yield FigureEvent("pooling", _picture(settings, generator), PICTURE)


def _convolutions(settings: Settings, generator: torch.Generator, x: Tensor) -> Iterator[Event]:
    rows = []
    for name, kernel in {"[2, 0, 1]": torch.tensor([2.0, 0.0, 1.0], dtype=torch.float64)}.items():
        value, p = convolution(kernel)
        gap = (
            (layer(x, 0.0, 0.0, value, p)[:, 1:-1] - F.conv1d(x[:, None], kernel[None, None])[:, 0])
            .abs()
            .max()
            .item()
        )
        yield Metric(f"gap to the convolution {name}", gap)
        rows.append((name, value, ", ".join(f"{one:.4g}" for one in p.tolist()), gap))
    worst = 0.0
    for _ in range(50):
        reach = int(torch.randint(1, 4, (), generator=generator))
        kernel = torch.rand(2 * reach + 1, generator=generator, dtype=torch.float64)
        value, p = convolution(kernel)
        found = layer(x, 0.0, 0.0, value, p)[:, reach:-reach]
        worst = max(worst, (found - F.conv1d(x[:, None], kernel[None, None])[:, 0]).abs().max().item())
    yield Metric("largest gap over 50 random kernels without negative entries", worst)
    yield Metric(
        "smallest distance of such a layer to the kernel [-1, 0, 1]",
        nearest_kernel(torch.tensor([-1.0, 0.0, 1.0], dtype=torch.float64)),
    )
    yield TableEvent(
        "kernels",
        ("kernel", "W_V", "p_-1, p_0, p_1", "largest gap"),
        rows,
        "The weights that make the layer Toronto A4's convolution: W_Q = W_K = 0, so that scores come from p alone; W_V and p as shown, p the logarithms of shares: a constant added to all of p changes nothing; the largest gap is over all sequences and all places inside.",
    )


def nearest_kernel(kernel: Tensor, tries: int = 200_000) -> float:
    """The smallest largest-entry distance to a kernel among what the layer can be: W_V times weights that sum to one."""
    generator = torch.Generator().manual_seed(0)
    weights = torch.rand(tries, len(kernel), generator=generator, dtype=torch.float64)
    weights = torch.cat([torch.eye(len(kernel), dtype=torch.float64), weights / weights.sum(1, keepdim=True)])
    values = torch.linspace(-3, 3, 61, dtype=torch.float64)
    return min((value * weights - kernel).abs().amax(1).min().item() for value in values)


def _pooling(settings: Settings, x: Tensor) -> Iterator[Event]:
    reach = settings.reach
    highest = windows(x, reach).amax(-1)
    rounding = 8 * torch.finfo(x.dtype).eps * highest
    used = 0.0
    for beta in settings.betas:
        error = highest - pooled(x, beta, reach)[:, reach:-reach]
        by_gap, anyhow = bounds(x, beta, reach)
        # Far apart, the bound is smaller than what a sum of float64 rounds away.
        used = max(used, *((error / (bound + rounding)).max().item() for bound in (by_gap, anyhow)))
        for name, value in (
            ("mean error", error.mean()),
            ("worst error", error.max()),
            ("bound without the gap, mean", anyhow.mean()),
        ):
            yield Metric(name, value.item(), at={"β": beta})
    yield Metric("max pooling: largest error / bound, over all places and both bounds", used)
    last = highest - pooled(x, settings.betas[-1], reach)[:, reach:-reach]
    yield Metric("max pooling: mean error at the largest β", last.mean().item())
    zero = x.clone()
    middle = settings.length // 2
    zero[:, middle] = 0.0
    found = pooled(zero, settings.betas[-1], reach)[:, middle]
    around = zero[:, middle - reach : middle + reach + 1]
    yield Metric(
        "max pooling where x_i = 0: gap to the mean of the window",
        (found - around.mean(1)).abs().max().item(),
    )
    yield Metric("max pooling where x_i = 0: mean error", (around.amax(1) - found).mean().item())


def _picture(settings: Settings, generator: torch.Generator):
    x = 0.05 + torch.rand(1, 40, generator=generator, dtype=torch.float64)
    x[0, 22] = 0.0
    reach = settings.reach
    with style():
        figure, (left, right) = panels(2, width=7.6, height=3.2)
        inside = range(reach, 40 - reach)
        left.plot(range(40), x[0], color="#bbbbbb", marker=".", linewidth=0.8, label="x")
        left.plot(inside, windows(x, reach).amax(-1)[0], color=BLACK, marker="", label="max pooling")
        for beta, colour in ((10.0, ORANGE), (1000.0, BLUE)):
            found = pooled(x, beta, reach)[0, reach:-reach]
            left.plot(inside, found, color=colour, marker="", label=f"β = {beta:g}")
        mark_place(left, 22, "x = 0: the mean", colour=RED, at=0.07)
        left.set(title="attention as max pooling", xlabel="place", ylim=(0, 1.45))
        left.legend(ncols=2, loc="upper left")
        many = 0.05 + torch.rand(
            settings.sequences, settings.length, generator=generator, dtype=torch.float64
        )
        errors = [
            windows(many, reach).amax(-1) - pooled(many, beta, reach)[:, reach:-reach]
            for beta in settings.betas
        ]
        fine = torch.logspace(log10(min(settings.betas)), log10(max(settings.betas)), 60).tolist()
        limits = [bounds(many, beta, reach)[1] for beta in fine]
        for colour, label, part in ((BLUE, "mean", Tensor.mean), (GREEN, "largest", Tensor.max)):
            error, bound = ([part(one) for one in found] for found in (errors, limits))
            right.plot(settings.betas, error, color=colour, label=f"{label} error")
            right.plot(fine, bound, color=colour, marker="", linestyle=":", label=f"{label} bound")
        right.set(title="error against β", xlabel="β", xscale="log", yscale="log")
        right.legend()
        return figure


PICTURE = (
    "Left: a random positive sequence, its max pooling over five places, and the attention layer at two values of β; look at the marked place, where x is 0. "
    "Right: mean and largest error over many sequences against β, and the bound 2k/(eβx_i), which falls as 1/β and needs no gap between the largest and the runner-up: if it is a bound, each solid curve stays below its dotted one."
)

CLAIMS = (
    Claim("gap to the convolution [2, 0, 1]", high=1e-12,
          why="W_V = 3, p_1 = log 2, p_-1 = 0, p_0 = −∞ give weights 2/3 and 1/3 exactly", source="Toronto A4, 1.4.1", items=(83,),
          says="It can be a convolution, exactly: with W_V = 3, p_1 = log 2, p_-1 = 0 and p_0 = −∞, up to a constant in p that the softmax does not see, it is the kernel [2, 0, 1] (largest gap {value:.2g}).",
          otherwise="With W_V = 3, p_1 = log 2, p_-1 = 0 and p_0 = −∞ it misses the convolution [2, 0, 1] by up to {value:.2g}.",
          asks="whether the layer can be the convolution [2, 0, 1]"),
    Claim("largest gap over 50 random kernels without negative entries", high=1e-12,
          why="the same construction", source="this experiment", items=(83,),
          says="The construction by logarithms of shares gives every one of 50 random kernels without negative entries (largest gap {value:.2g}).",
          otherwise="For random kernels without negative entries the construction is off by up to {value:.2g}.",
          asks="whether every kernel without negative entries can be had"),
    Claim("smallest distance of such a layer to the kernel [-1, 0, 1]", low=0.95, high=1.0,
          why="entries of W_V·w have one sign, so one of ±1 is missed by 1", source="this experiment", items=(83,),
          says="A kernel with both signs cannot be had: the layer nearest to [-1, 0, 1] misses one of its entries by {value:.2f}, as the zero kernel does.",
          otherwise="A layer within {value:.2f} of the kernel [-1, 0, 1] was found, although it has entries of both signs.",
          asks="whether a kernel with both signs can be had"),
    Claim("max pooling: largest error / bound, over all places and both bounds", high=1.0,
          why="both bounds hold at every place", source="Toronto A4, 1.4.2, and this experiment", items=(84,),
          says="At every place the error of max pooling is within both bounds (at most {value:.2f} of the bound).",
          otherwise="Somewhere the error of max pooling exceeds its bound, {value:.2f}-fold.",
          asks="whether the bounds on the error of max pooling hold"),
    Claim("max pooling: mean error at the largest β", high=0.005,
          why="the bound 2k/(eβx_i) goes to zero with 1/β", source="Toronto A4, 1.4.2", items=(84,),
          says="It can come as near to max pooling as wanted: with W_Q = W_K = √β the mean error is {value:.2g} at the largest β tried, on values from 0.05 to 1.05.",
          otherwise="At the largest β tried the mean error of max pooling is still {value:.2g}.",
          asks="whether the layer comes near to max pooling"),
    Claim("max pooling where x_i = 0: gap to the mean of the window", high=1e-12,
          why="all scores of the place are equal", source="this experiment", items=(84,),
          says="Where x_i is 0 the layer gives the mean of the window, whatever β (gap {value:.2g}).",
          otherwise="Where x_i is 0 the layer is not the mean of the window: it differs by {value:.2g}.",
          asks="what the layer gives where x_i is 0"),
    Claim("max pooling where x_i = 0: mean error", low=0.2,
          why="the mean of four values from 0.05 to 1.05 and a zero is 0.44, their largest 0.85", source="this experiment", items=(84,),
          says="At x_i = 0 the layer is not max pooling: the error there is {value:.2f} in the mean.",
          otherwise="Even at x_i = 0 the error of max pooling is only {value:.2f} in the mean.",
          asks="whether max pooling needs x_i > 0"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Can attention with relative positions be a convolution, and can it be max pooling?",
    method=r"""The layer weighs by $\mathrm{softmax}(q_i k_j + p_{i-j})$ over a sequence of scalars, with three
        scalar weights $W_Q, W_K, W_V$ and a sequence $p$; `attend` with `Relative(p)`.

        Convolution: $W_Q = W_K = 0$ leaves $p$ alone to decide, and $p_m$ the logarithm of the kernel's share
        makes the weights that share; $W_V$ is the sum of the kernel. It is tried on Toronto A4's kernel
        $[2, 0, 1]$, on random kernels without negative entries, and, by search over all such layers, on
        $[-1, 0, 1]$.

        Max pooling: $W_Q = W_K = \sqrt{\beta}$, $W_V = 1$, $p = 0$ within $k$ places and $-\infty$ outside. The
        error is measured at every place of random positive sequences and held against two bounds. One is
        $2 k M \exp(-\beta x_i g)$, with $M$ the largest of the window and $g$ the gap between it and the second
        largest. The other, $\frac{2 k}{e \beta x_i}$, needs no gap, because $t \exp(-\beta x_i t)$ is at most
        $\frac{1}{e \beta x_i}$.""",
    see=r"""The convolution needs no limit. Softmax weights are positive and share one $W_V$, so a kernel that
        is to be had this way has entries of one sign. Max pooling is a limit in $\beta$, not an equality, and
        the bound $\frac{2 k}{e \beta x_i}$ has $x_i$ in its divisor. Both constructions are derived in
        [[theory-relative-attention]]; the convolution is also a row of [[one-operator]].""",
    correction=r"""Toronto A4 asks for $x_i \ge 0$ in question 1.4. At $x_i = 0$ every score of place $i$ is 0,
        and the layer gives the mean of the window for every $\beta$: it needs $x_i > 0$. Its change log says
        that the first edition asked for the kernel $[-1, 0, 1]$, which has entries of both signs.""",
    claims=CLAIMS,
    opens_with=("gap to the convolution [2, 0, 1]", "max pooling: mean error at the largest β"),
    presets={"quick": Settings(), "full": Settings(length=512, sequences=1000)},
    seconds=2,
    run=run,
)
