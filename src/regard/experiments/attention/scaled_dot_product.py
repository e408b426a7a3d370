"""Why attention divides by the square root of the width. About 3 s on a CPU.   regard run scaled-dot-product"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log, sqrt
from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from regard.claims import Claim
from regard.lab.book.style import BLACK, mark_height, panels, plot_means, show_image, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Range

SCALES = {"no scale": lambda d: 1.0, "1/√d": lambda d: d**-0.5, "1/d": lambda d: 1 / d}


@dataclass(frozen=True, kw_only=True)
class Settings:
    widths: tuple[int, ...] = (4, 16, 64, 256, 1024)
    "Widths d of queries and keys."
    means: tuple[float, ...] = (0.0, 0.5, 1.0)
    "Means μ of every entry."
    sigmas: Annotated[tuple[float, ...], Range(above=0, high=1000)] = (0.5, 1.0, 2.0)
    "Standard deviations σ of every entry."
    draws: Annotated[int, Range(2, 10**7)] = 2000
    "Independent pairs (q, k) at each width."
    keys: Annotated[int, Range(2, 10**5)] = 64
    "Keys that a query chooses among, for entropy and gradient."
    queries: int = 256
    "Queries over which entropy and gradient are averaged."
    seeds: int = 12
    "Repeats, each with random numbers of its own."


def products(noise: Tensor, mean: float, sigma: float) -> Tensor:
    """q·k for each pair (q, k) = mean + sigma × noise."""
    q, k = mean + sigma * noise
    return torch.linalg.vecdot(q, k)


def predicted(width: float, mean: float, sigma: float) -> tuple[float, float]:
    """Mean and variance of q·k: dμ² and d(σ⁴ + 2σ²μ²)."""
    return width * mean**2, width * (sigma**4 + 2 * sigma**2 * mean**2)


def choice(scores: Tensor) -> tuple[Tensor, float, float]:
    """The softmax of scores, its mean entropy in nats, and the mean Frobenius norm of its Jacobian diag(p) − ppᵀ."""
    p = scores.softmax(-1)
    entropy = torch.special.entr(p).sum(-1).mean().item()
    square = (p**2).sum(-1)
    norm = (square - 2 * (p**3).sum(-1) + square**2).clamp(min=0).sqrt().mean().item()
    return p, entropy, norm


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Moments first, then what they do to the softmax."""
    cells = list(product(settings.means, settings.sigmas))
    moments: dict[tuple[int, float, float], list[tuple[float, float]]] = {
        (width, *cell): [] for width in settings.widths for cell in cells
    }
    curves: dict[tuple[str, int], list[tuple[float, float]]] = {
        key: [] for key in product(SCALES, settings.widths)
    }
    shown: dict[tuple[str, int], Tensor] = {}
    for step, (seed, width) in enumerate(product(range(settings.seeds), settings.widths)):
        yield ProgressEvent(
            f"q·k and its softmax at d = {width}, seed {seed}", step / (settings.seeds * len(settings.widths))
        )
        generator = torch.Generator().manual_seed(100_000 * context.seed + 1000 * seed + width)
        noise = torch.randn(2, settings.draws, width, generator=generator, dtype=torch.float64)
        for mean, sigma in cells:
            found = products(noise, mean, sigma)
            moments[width, mean, sigma].append((found.mean().item(), found.var().item()))
            at = {"d": width, "μ": mean, "σ": sigma}
            yield Metric("mean of q·k", found.mean().item(), seed, at)
            yield Metric("variance of q·k", found.var().item(), seed, at)
        q, k = noise[0, : settings.queries], noise[1, : settings.keys]
        for name, scale in SCALES.items():
            p, entropy, norm = choice(q @ k.T * scale(width))
            shown.setdefault((name, width), p[0].sort(descending=True).values)
            curves[name, width].append((entropy, norm))
            yield Metric(f"entropy, {name}", entropy, seed, {"d": width})
            yield Metric(f"softmax gradient, {name}", norm, seed, {"d": width})
    yield from _moments(settings, moments)
    yield from _softmax(settings, curves)
    yield FigureEvent("moments", _moment_figure(settings, moments), MOMENTS)
    yield FigureEvent("softmax", _softmax_figure(settings, curves), SOFTMAX)
    yield FigureEvent("weights", _weight_figure(settings, shown), WEIGHTS)


def _moments(settings: Settings, moments: dict) -> Iterator[Event]:
    """How far the measured moments are from the formulas, in the worst cell."""
    rows, deviations, ratios = [], [], []
    for (width, mean, sigma), found in moments.items():
        expected, variance = predicted(width, mean, sigma)
        average, measured = (sum(one[part] for one in found) / len(found) for part in (0, 1))
        deviations.append(abs(average - expected) / sqrt(variance / (settings.draws * len(found))))
        ratios.append(measured / variance)
        rows.append((width, mean, sigma, expected, average, variance, measured))
    yield Metric("largest gap of the mean of q·k, in standard errors", max(deviations))
    yield Metric("smallest variance of q·k / d(σ⁴ + 2σ²μ²)", min(ratios))
    yield Metric("largest variance of q·k / d(σ⁴ + 2σ²μ²)", max(ratios))
    if (0.0, 1.0) in product(settings.means, settings.sigmas):
        for seed in range(settings.seeds):
            yield Metric(
                "variance of q·k/√d at μ = 0, σ = 1, largest d",
                moments[settings.widths[-1], 0.0, 1.0][seed][1] / settings.widths[-1],
                seed,
            )
    columns = ("d", "μ", "σ", "mean: dμ²", "measured", "variance: d(σ⁴ + 2σ²μ²)", "measured")
    widest = [row for row in rows if row[0] == settings.widths[-1]]
    yield TableEvent(
        "moments",
        columns,
        widest,
        f"Predicted and measured mean and variance of q·k at d = {settings.widths[-1]}, for each mean μ and standard deviation σ of the entries.",
    )


def _softmax(settings: Settings, curves: dict) -> Iterator[Event]:
    """What the scale saves at the largest width, seed by seed."""
    first, last = settings.widths[0], settings.widths[-1]
    for seed in range(settings.seeds):
        share = {name: curves[name, last][seed][0] / log(settings.keys) for name in SCALES}
        yield Metric(
            "entropy at the largest d without a scale, as a share of uniform", share["no scale"], seed
        )
        yield Metric("entropy at the largest d with 1/√d, as a share of uniform", share["1/√d"], seed)
        yield Metric("entropy at the largest d with 1/d, as a share of uniform", share["1/d"], seed)
        change = (curves["1/√d", last][seed][0] - curves["1/√d", first][seed][0]) / log(settings.keys)
        yield Metric(
            "change of the entropy from the smallest d to the largest with 1/√d, as a share of uniform",
            change,
            seed,
        )
    norms = {name: dict(enumerate(norm for _, norm in curves[name, last])) for name in SCALES}
    yield PairedMetric(
        "softmax gradient at the largest d, 1/√d minus no scale",
        ("1/√d", "no scale"),
        norms["1/√d"],
        norms["no scale"],
    )
    for name in ("1/√d", "no scale"):
        yield Metric(
            f"softmax gradient at the largest d, {name}, mean", sum(norms[name].values()) / settings.seeds
        )
    ratios = [_left(curves, width) for width in settings.widths]
    yield Metric("softmax gradient at the largest d, no scale / 1/√d", ratios[-1])
    if smaller := smaller_from(settings.widths, ratios):
        yield Metric("d from which on the softmax gradient is smaller without a scale", smaller)


def _left(curves: dict, width: int) -> float:
    """The size of the Jacobian without a scale, as a share of that with 1/√d."""
    plain, scaled = (sum(norm for _, norm in curves[name, width]) for name in ("no scale", "1/√d"))
    return plain / scaled


def smaller_from(widths: Sequence[int], ratios: Sequence[float]) -> int | None:
    """The smallest width from which on all ratios are below 1; none if the last is not.

    >>> smaller_from((4, 16, 64), (0.9, 1.2, 0.5)), smaller_from((4, 16), (0.9, 1.0))
    (64, None)
    """
    found = None
    for width, ratio in zip(reversed(widths), reversed(ratios), strict=True):
        if ratio >= 1:
            break
        found = width
    return found


def _moment_figure(settings: Settings, moments: dict):
    with style():
        figure, (left, right) = panels(2, height=3.2)
        chosen = [
            (mean, sigma)
            for mean, sigma in ((0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (0.0, 2.0))
            if (settings.widths[0], mean, sigma) in moments
        ]
        for mean, sigma in chosen:
            fine = np.geomspace(settings.widths[0], settings.widths[-1], 200).tolist()
            theory = [predicted(width, mean, sigma) for width in fine]
            for axis, part in ((left, 0), (right, 1)):
                found = [[one[part] for one in moments[width, mean, sigma]] for width in settings.widths]
                line = [pair[part] for pair in theory]
                axis.plot(fine, line, color=BLACK, linewidth=0.8, marker="")
                label = f"μ = {mean:g}, σ = {sigma:g}"
                plot_means(axis, settings.widths, found, linestyle="", label=label)
        left.set(title="mean of q·k", xlabel="width d", xscale="log", yscale="symlog")
        right.set(title="variance of q·k", xlabel="width d", xscale="log", yscale="log")
        right.legend(loc="upper left")
        return figure


def _softmax_figure(settings: Settings, curves: dict):
    with style():
        figure, (left, right) = panels(2, height=3.2)
        for name in SCALES:
            for axis, part in ((left, 0), (right, 1)):
                values = [[one[part] for one in curves[name, width]] for width in settings.widths]
                plot_means(axis, settings.widths, values, label=name)
        mark_height(left, log(settings.keys), "uniform: log m")
        left.set(title="entropy of the weights (nats)", xlabel="width d", xscale="log")
        left.set_ylim(0, 1.15 * log(settings.keys))
        right.set(title="size of the softmax's gradient", xlabel="width d", xscale="log", ylim=(0, None))
        right.legend()
        return figure


def _weight_figure(settings: Settings, shown: dict):
    from matplotlib.colors import PowerNorm

    with style():
        figure, axes = panels(3, width=7.4, height=2.4)
        for axis, name in zip(axes, SCALES, strict=True):
            rows = torch.stack([shown[name, width][:12] for width in settings.widths])
            show_image(axis, rows, name, norm=PowerNorm(0.5, 0, 1), aspect="auto")
            axis.set_xlabel("key, heaviest first")
            axis.set_yticks(range(len(settings.widths)), map(str, settings.widths))
            axis.grid(False)
        axes[0].set_ylabel("width d")
        figure.colorbar(axes[0].images[0], ax=axes, label="weight")
        return figure


MOMENTS = (
    "Mean and variance of q·k against the width. Points: measured, with bars from the smallest to the largest seed; thin lines: the formulas dμ² and d(σ⁴ + 2σ²μ²). Both are proportional to d, "
    "so that by the formula the standard deviation grows as √d: see whether the points lie on the lines."
)
SOFTMAX = (
    "What the scale does to a softmax over random keys, against the width (bars: smallest and largest seed). Left: the entropy of the weights, between 0 (one key has all the weight) and log m (dotted: all keys have the same). "
    "Right: the size of the softmax's Jacobian with respect to the scores, through which the gradient to queries and keys goes. A level curve says that the width does not matter, not that keys are told apart: read the two panels together."
)
WEIGHTS = "The twelve heaviest weights of one query at each width, by scale: one bright cell in a row means that one key has all the weight, an even row that the keys are not told apart."

SOURCE = "Berkeley HW6, question 2"
CLAIMS = (
    Claim("largest gap of the mean of q·k, in standard errors", high=4.5,
          why="E[q·k] = dμ² in every cell; the largest of 45 standard normal gaps stays below 4.5 in all but one of 3,000 runs", source=SOURCE + "a", items=(23,),
          says="The mean of q·k is dμ² in every case tried (at most {value:.1f} standard errors off).",
          otherwise="The mean of q·k is not dμ² in every case: one is {value:.1f} standard errors off.",
          asks="whether the mean of q·k is dμ²"),
    Claim("smallest variance of q·k / d(σ⁴ + 2σ²μ²)", low=0.93,
          why="Var[q·k] = d(σ⁴ + 2σ²μ²), within the sampling error of 24,000 pairs", source=SOURCE + "b", items=(24,),
          says="The variance of q·k is never much below d(σ⁴ + 2σ²μ²): {value:.1%} of it at least.",
          otherwise="The variance of q·k falls to {value:.1%} of d(σ⁴ + 2σ²μ²) in one case.",
          asks="whether the variance of q·k reaches d(σ⁴ + 2σ²μ²)"),
    Claim("largest variance of q·k / d(σ⁴ + 2σ²μ²)", high=1.07, why="the same from above", source=SOURCE + "b", items=(24,),
          says="The variance of q·k is {value:.1%} of d(σ⁴ + 2σ²μ²) at most, so that it grows in proportion to d.",
          otherwise="The variance of q·k rises to {value:.1%} of d(σ⁴ + 2σ²μ²) in one case.",
          asks="whether the variance of q·k stays within d(σ⁴ + 2σ²μ²)"),
    Claim("variance of q·k/√d at μ = 0, σ = 1, largest d", low=0.95, high=1.05,
          why="division by √d divides the variance by d", source=SOURCE + "c", items=(25,),
          says="Because q·k has variance d where entries have mean 0 and variance 1: divided by √d, such scores have variance {value:.3f} at the largest width.",
          otherwise="Divided by √d, scores of entries of mean 0 and variance 1 have variance {value:.3f} at the largest width, not 1.",
          asks="whether dividing by √d brings the variance of scores to 1"),
    Claim("entropy at the largest d without a scale, as a share of uniform", high=0.1,
          why="scores of standard deviation √d = 32 leave the softmax next to one-hot", source="this experiment", items=(25,),
          says="If it does not, one key takes next to all the weight in a wide layer: the entropy of the weights is {value:.1%} of that of uniform weights.",
          otherwise="Without a scale the weights of a wide layer still have {value:.1%} of the entropy of uniform weights: no collapse onto one key.",
          asks="whether weights collapse onto one key without a scale"),
    Claim("change of the entropy from the smallest d to the largest with 1/√d, as a share of uniform", low=-0.08, high=0.08,
          why="scaled scores have the same variance at every width", source="this experiment", items=(25,),
          says="Divided by √d, the entropy of the weights hardly depends on the width: it changes by {value:+.1%} of that of uniform weights from the smallest to the largest.",
          otherwise="Even divided by √d, the entropy of the weights changes by {value:+.1%} of that of uniform weights from the smallest width to the largest.",
          asks="whether the entropy is the same at every width with 1/√d"),
    Claim("entropy at the largest d with 1/d, as a share of uniform", low=0.99,
          why="scores of standard deviation 1/√d are next to equal", source="this experiment", items=(25,),
          says="Divided by d in place of √d, a wide layer does not choose at all: its weights have {value:.1%} of the entropy of uniform ones.",
          otherwise="Divided by d, the weights of a wide layer have {value:.1%} of the entropy of uniform ones: some choice is left.",
          asks="whether weights go to uniform with 1/d"),
    Claim("softmax gradient at the largest d, 1/√d minus no scale", low=0.02,
          why="a one-hot softmax passes no gradient; a scaled one does", source="this experiment", items=(25,),
          says="In wide layers the gradient through the softmax shrinks too: from d = {of[d from which on the softmax gradient is smaller without a scale]} on its Jacobian is smaller without a scale than with 1/√d, and at the largest width {of[softmax gradient at the largest d, no scale / 1/√d]:.0%} of it is left ({of[softmax gradient at the largest d, no scale, mean]:.3f} and {of[softmax gradient at the largest d, 1/√d, mean]:.3f}).",
          otherwise="The scale does not save the gradient: its size at the largest width is {of[softmax gradient at the largest d, no scale, mean]:.3f} without a scale and {of[softmax gradient at the largest d, 1/√d, mean]:.3f} with 1/√d.",
          asks="whether 1/√d keeps the gradient through the softmax"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Why does attention divide q·k by √d, and what happens if it does not?",
    method=r"""Queries and keys are drawn with independent entries of mean $\mu$ and standard deviation
        $\sigma$. For each width $d$ the mean and variance of $q \cdot k$ over many independent pairs are held
        against $d \mu^2$ and $d (\sigma^4 + 2 \sigma^2 \mu^2)$.

        Then a query chooses among keys by softmax, with the scores as they are, divided by $\sqrt{d}$, and
        divided by $d$. Two numbers say what the choice is worth for learning: the entropy of the weights, and
        the size (Frobenius norm) of the softmax's Jacobian with respect to the scores, $\mathrm{diag}(p) - p p^\top$,
        through which every gradient to queries and keys must pass; what comes after it on that way, the scale
        and the other vector, is not counted. The same seeds serve all three scales.""",
    see=r"""The score $q \cdot k$ is a sum of $d$ independent terms, so its variance is $d$ times that of one
        term, $\sigma^4 + 2 \sigma^2 \mu^2$; dividing by $\sqrt{d}$ divides it by $d$: 1 where entries have mean
        0 and variance 1. For one-hot weights $p$ the Jacobian $\mathrm{diag}(p) - p p^\top$ is zero: a model
        whose weights start one-hot gets no gradient to look elsewhere.

        The mean and the variance are derived in [[theory-dot-product]].""",
    correction=r"""Berkeley HW6's solution to 2(c) says that the variance is $d^2$; its own part (b) gives $d$.
        It needs $q$ and $k$ to be independent of each other, and the variance after scaling is $\sigma^4$ (for
        mean zero), which is 1 only for $\sigma = 1$. The answer to Amsterdam A2, 2.1(c), takes zero mean from
        "i.i.d."; zero mean is an assumption of its own: with $\mu \ne 0$ the variance has the term
        $2 \sigma^2 \mu^2$ more.""",
    claims=CLAIMS,
    opens_with=("variance of q·k/√d at μ = 0, σ = 1, largest d", "entropy at the largest d without a scale, as a share of uniform"),
    presets={"quick": Settings(), "full": Settings(draws=20_000, seeds=20, queries=1024)},
    seconds=3,
    run=run,
)  # fmt: skip
