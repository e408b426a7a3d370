"""Figures of autoencoders and what to see in them: loss, probe accuracy, reconstructions, codes, blocks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from regard.experiments.unsupervised.autoencoders.training import CORRUPTIONS, FEW, GridCell, Points, Trials
from regard.experiments.unsupervised.linear_autoencoder import expected_accuracy
from regard.lab.book.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PALETTE,
    log_ticks,
    mark_height,
    panels,
    plot_means,
    plot_runs,
    show_image,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CURVES = {
    (
        "linear",
        "synthetic points",
    ): "the error per entry after each epoch, mean over the repeats (thin: each repeat), solid on the training points, "
    "dashed on fresh ones (a single epoch: a filled mark and an open one). Dotted: PCA with as many directions, fitted to the training points and measured on the fresh "
    "ones; where it is missing, k is at least the width and nothing need be lost. Look how near to that line each curve ends.",
    (
        "nonlinear",
        "synthetic points",
    ): "the same lines. The strong directions of these points are straight and equally strong, so that a bend has little to follow: look how near the curves come to PCA's, and whether one goes below it.",
    (
        "linear",
        "digits",
    ): "the same lines. Look how soon the curves come to PCA's, and how far those of fresh digits stay above those of learnt ones.",
    (
        "nonlinear",
        "digits",
    ): "the same lines. Look at which widths the curves go below PCA's, and at which they have not come to rest.",
}
"What is drawn of each part, and what to look for."
FAR = 1.2
"From so many times PCA's error on, a model is not near it."
ACCURACY = (
    "How often a linear classifier on the code is right; left with all labels, right with 200. Filled "
    "marks: linear models; open marks and dashed lines: nonlinear ones; bars: the smallest and the largest "
    "repeat. Dotted: 1 − arccos(√(k/20))/π, the accuracy of a code that holds k of the 20 strong "
    "directions at random. Marks that belong to one k stand side by side."
)
RECONSTRUCTIONS = (
    "Test digits and what comes back, one row for each model. Look for ghosts, strokes of several digits laid over each "
    "other, in the rows of narrow codes, and compare linear with nonlinear ones. In the last rows the input is corrupted "
    "first: look whether a model trained for it removes noise and fills in what was masked."
)
CODES = (
    "Test digits placed by a code of two numbers, each drawn as itself; the codes are turned and stretched to a round "
    "cloud, which changes nothing for a linear probe. The linear model can only look at digits from one side. If kinds of "
    "digits lie further apart on the right, the nonlinear model separates them, though nobody told it which is which."
)
BLOCKS = (
    "Accuracy of one and the same probe on each of the 50 blocks of 200 test digits. Berkeley HW6's loader "
    "starts anew at every call, so it measures the first block again and again (orange) and reports it as "
    "the accuracy on all 10,000 (the line across)."
)
COLOURS = dict(zip(CORRUPTIONS, (BLUE, ORANGE, GREEN), strict=True))
MARKS = dict(zip(CORRUPTIONS, ("o", "s", "^"), strict=True))
SHOWN = 10
"Digits in a row of reconstructions: one of each class."


def beside_pca(trials: Trials, bounds: Mapping[int, float]) -> str:
    """How the vanilla models compare with PCA, width by width."""
    told = [
        f"{trials[k, 'vanilla'].error / bound:.2f} at k = {k}" for k, bound in bounds.items() if bound > 1e-6
    ]
    wide = [f"{trials[k, 'vanilla'].error:.2g} at k = {k}" for k, bound in bounds.items() if bound <= 1e-6]
    parts = (
        [f"On fresh points the vanilla error is, as a multiple of PCA's, {', '.join(told)}."] if told else []
    )
    if wide:
        parts.append(f"Where PCA would lose nothing it is {', '.join(wide)}.")
    parts += [
        behind(k, trials[k, "vanilla"])
        for k, bound in bounds.items()
        if trials[k, "vanilla"].error > FAR * max(bound, 1e-6)
    ]
    return " ".join(parts)


def behind(k: int, trial: GridCell) -> str:
    """Of a model that ends well above PCA: whether more epochs would have helped it."""
    if len(trial.valid) < 2:
        return f"At k = {k} one epoch is too little to come near PCA."
    fall = 100 * (1 - (trial.valid[-1].mean() / trial.valid[-2].mean()).item())
    if fall >= 1:
        return f"At k = {k} it is not yet near PCA: its error was still falling when the training ended, by {fall:.0f} % in the last epoch."
    end = f"fell by no more than {fall:.1f} %" if fall >= 0 else f"rose by {-fall:.1f} %"
    return f"At k = {k} it has come to rest away from PCA: in the last epoch its error {end}."


def beside_vanilla(trials: Trials) -> str:
    """What noise and masks in training change, where they were tried."""
    parts = []
    for (k, name), trial in trials.items():
        if name != "vanilla":
            plain = trials[k, "vanilla"]
            error = 100 * (trial.error / plain.error - 1)
            points = 100 * (trial.correct.mean() - plain.correct.mean()).item()
            parts.append(
                f"{name} at k = {k}, {signed(error, 0)} % in error and {signed(points, 1)} points in probe accuracy"
            )
    return f"Beside vanilla: {'; '.join(parts)}." if parts else ""


def signed(value: float, digits: int) -> str:
    """A change with its sign; one that rounds to zero has none.

    >>> signed(-0.04, 1), signed(0.26, 1), signed(-3.4, 0)
    ('0.0', '+0.3', '−3')
    """
    told = f"{abs(value):.{digits}f}"
    return told if float(told) == 0 else f"{'−' if value < 0 else '+'}{told}"


def draw_curves(trials: Trials, bounds: Mapping[int, float]) -> "Figure":
    """Training and validation error by epoch, a panel for each bottleneck, with PCA's error as a line."""
    from matplotlib.ticker import MaxNLocator

    with style():
        figure, axes = panels(len(bounds), width=max(5.6, 2.5 * len(bounds)), height=3.0)
        for axis, (k, bound) in zip(axes, bounds.items(), strict=True):
            for (width, name), trial in trials.items():
                if width == k:
                    epochs = range(1, len(trial.train) + 1)
                    # A single epoch is no line: it has marks, the one on fresh points open.
                    look = {"color": COLOURS[name], "marker": "o" if len(epochs) == 1 else ""}
                    plot_runs(axis, epochs, trial.train.T, **look, label=name)
                    plot_runs(axis, epochs, trial.valid.T, **look, linestyle="--", fillstyle="none")
            if bound > 1e-6:
                mark_height(axis, bound)
            axis.set(title=f"k = {k}", xlabel="epoch")
            axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes[0].set_ylabel("error per entry")
        max(axes, key=lambda axis: len(axis.lines)).legend()
        return figure


def draw_accuracies(parts: Mapping[str, tuple[Trials, Trials]], strong: int) -> "Figure":
    """Probe accuracy against the bottleneck, two panels for each kind of data: all labels and few."""
    with style():
        figure, axes = panels(2, len(parts), width=8.0, height=3.1)
        named = {}
        for row, (name, (linear, bent)) in enumerate(parts.items()):
            widths = sorted({k for k, _ in (*linear, *bent)})
            for axis, labels in zip(
                axes[2 * row : 2 * row + 2], ("all labels", f"{FEW} labels"), strict=True
            ):
                _accuracy_lines(axis, linear, labels == "all labels", filled=True)
                _accuracy_lines(axis, bent, labels == "all labels", filled=False)
                if row == 0:
                    wide = np.geomspace(widths[0], widths[-1], 200).tolist()
                    theory = [expected_accuracy(k, strong) for k in wide]
                    look: Any = {"color": BLACK, "marker": "", "linewidth": 1.0, "linestyle": ":"}
                    axis.plot(wide, theory, **look, label="theory")
                axis.set(title=f"{name}, {labels}", xlabel="bottleneck k")
                log_ticks(axis, widths)
                named |= dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
            pair = axes[2 * row : 2 * row + 2]
            pair[0].set_ylabel("probe accuracy")
            low, high = zip(*(axis.get_ylim() for axis in pair), strict=True)
            for axis in pair:
                axis.set_ylim(min(low), max(high))
        figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=4)
        return figure


def _accuracy_lines(axis: "Axes", trials: Trials, all_labels: bool, *, filled: bool) -> None:
    for number, name in enumerate(CORRUPTIONS):
        cells = {k: trial for (k, kind), trial in trials.items() if kind == name}
        if not cells:
            continue
        found = [(trial.correct if all_labels else trial.few).mean(1) for trial in cells.values()]
        # Marks of the same bottleneck stand side by side.
        places = np.array(list(cells)) * 1.03 ** (number - 1 if filled else number + 2)
        plot_means(
            axis, places, found, color=COLOURS[name], marker=MARKS[name],
            markerfacecolor=COLOURS[name] if filled else "white", linestyle="-" if filled else "--",
            label=f"{name}, {'linear' if filled else 'nonlinear'}",
        )  # fmt: skip


def draw_reconstructions(task: Points, linear: Trials, bent: Trials) -> "Figure":
    """One digit of each class, as it is, as every vanilla model returns it, and corrupted and restored."""
    labels = task.labels["test"]
    chosen = torch.stack([(labels == digit).nonzero()[3, 0] for digit in range(SHOWN)])
    x = task.points["test"][chosen]
    rows = [("as it is", x)]
    for kind, trials in (("linear", linear), ("nonlinear", bent)):
        vanilla = {k: trial for (k, name), trial in trials.items() if name == "vanilla"}
        rows += [(f"{kind}, k = {k}", _returned(trial, x)) for k, trial in vanilla.items()]
    for name in ("denoising", "masked"):
        fitting = [k for k, kind in bent if kind == name and k <= 100]
        if fitting:
            seen = CORRUPTIONS[name](x, torch.Generator().manual_seed(0))
            rows += [
                ("with noise" if name == "denoising" else "masked", seen),
                (f"{name}, k = {max(fitting)}", _returned(bent[max(fitting), name], seen)),
            ]
    side = round(task.width**0.5)
    strips = [pictures.view(SHOWN, side, side).permute(1, 0, 2).flatten(1) for _, pictures in rows]
    with style():
        figure, (axis,) = panels(1, width=6.4, height=0.5 * len(rows))
        show_image(axis, torch.cat(strips), cmap="gray_r", vmin=0, vmax=1)
        axis.set_yticks([side * (row + 0.5) for row in range(len(rows))], [name for name, _ in rows])
        axis.tick_params(length=0)
        axis.grid(False)
        axis.spines[:].set_visible(False)
        return figure


@torch.no_grad()
def _returned(trial: GridCell, x: Tensor) -> Tensor:
    return trial.model(x)[0]


def draw_latent(task: Points, linear: Trials, bent: Trials, count: int = 1500) -> "Figure":
    """The codes of test digits under models with two numbers in the middle, each digit drawn as itself."""
    with style():
        figure, axes = panels(2, width=9.0, height=4.4)
        x, labels = task.points["test"][:count], task.labels["test"][:count]
        for axis, kind, trials in zip(axes, ("linear", "nonlinear"), (linear, bent), strict=True):
            (trial,) = trials.values()
            codes = _round(trial.model.codes(x)[0]).numpy()
            for digit in range(task.classes):
                here = codes[labels.numpy() == digit]
                colour = (*PALETTE, BLACK, "#8a6d3b", "#777777", "#7a0177")[digit]
                axis.scatter(here[:, 0], here[:, 1], marker=f"${digit}$", s=22, color=colour, linewidth=0.2)
            low, high = np.quantile(codes, (0.005, 0.995), axis=0)
            axis.set(
                title=f"{kind}, probe accuracy {trial.correct.mean():.2f}", xticks=[], yticks=[],
                xlim=(low[0], high[0]), ylim=(low[1], high[1]),
            )  # fmt: skip
        return figure


def _round(codes: Tensor) -> Tensor:
    """The codes centred, turned and stretched to the same spread along every axis."""
    centred = codes - codes.mean(0)
    values, vectors = torch.linalg.eigh(centred.mT @ centred / len(codes))
    return centred @ (vectors / values.clamp(min=1e-12).sqrt()).flip(1)


def draw_blocks(blocks: Tensor, whole: float) -> "Figure":
    """Accuracy on each block of test points, the first one marked, and that on all of them."""
    with style():
        figure, (axis,) = panels(1, width=6.4, height=2.8)
        numbers = range(1, len(blocks) + 1)
        axis.plot(numbers, blocks.numpy(), linestyle="", color=BLUE, label=f"a block of {FEW}")
        first: Any = {"linestyle": "", "color": ORANGE, "marker": "D", "markersize": 9}
        axis.plot(1, blocks[0].item(), **first, label="what Berkeley HW6 measures")
        axis.axhline(whole, color=BLACK, linewidth=1.0, label="all test digits")
        axis.set(xlabel="block of test digits", ylabel="accuracy")
        axis.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.2))
        return figure
