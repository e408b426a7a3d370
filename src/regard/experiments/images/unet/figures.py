"""Figures of segmentations: curves, pictures beside truth and error, what skips carry, what shifts do."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.data.sets.masks import Segmented
from regard.lab.book.style import (
    BLACK,
    BLUE,
    ORANGE,
    ORDERED,
    RED,
    mark_height,
    mark_place,
    panels,
    show_image,
    style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMOOTH = 10
"Steps over which a training loss is averaged for the eye."


def draw_curves(
    losses: Mapping[str, Sequence[Sequence[float]]],
    rises: Mapping[str, Sequence[Sequence[tuple[int, float]]]],
    alone: float,
) -> "Figure":
    """Training loss and test Dice against the step: a line for each seed, a colour for each network."""
    from matplotlib.ticker import FixedLocator

    with style():
        figure, (left, right) = panels(2, width=7.4, height=3.1)
        for colour, name in zip((BLUE, ORANGE), losses, strict=True):
            for seed, values in enumerate(losses[name]):
                window = min(SMOOTH, len(values))
                smooth = torch.tensor(values).unfold(0, window, 1).mean(-1)
                label = name if seed == 0 else None
                left.plot(range(window, len(values) + 1), smooth, color=colour, marker="", label=label)
                steps, dice = zip(*rises[name][seed], strict=True)
                right.plot(steps, dice, color=colour, marker="o", markersize=3.5, label=label)
        mark_height(right, alone, "brightness alone")
        left.set(title=f"training loss, {SMOOTH} steps averaged", xlabel="step", yscale="log")
        left.yaxis.set_major_locator(FixedLocator((0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)))
        left.yaxis.set_major_formatter("{x:g}")
        left.yaxis.set_minor_formatter("")
        right.set(title="Dice on the test pictures", xlabel="step", xlim=(0, None), ylim=(None, 1.05))
        left.legend()
        return figure


def draw_segmentations(pictures: Segmented, found: Mapping[str, Tensor], numbers: Sequence[int]) -> "Figure":
    """Test pictures, their masks, what each network says, and where it is wrong."""
    images, masks = pictures.whole("test")
    titles = ["picture", "truth", *(part for name in found for part in (name, "wrong"))]
    top = len(pictures.classes) - 1
    with style():
        height = 1.3 * images.shape[2] / images.shape[3] + 0.15
        figure, axes = panels(len(titles), len(numbers), width=1.3 * len(titles), height=height)
        for row, number in enumerate(numbers):
            shown: list[Tensor] = [images[number].mean(0), masks[number]]
            for labels in found.values():
                shown += [labels[number], labels[number] != masks[number]]
            for column, part in enumerate(shown):
                axis = axes[row * len(titles) + column]
                wrong = titles[column] == "wrong"
                high = 1 if wrong else top if column else None
                cmap = "Greys" if wrong else "gray" if column == 0 else ORDERED
                show_image(axis, part, titles[column] if row == 0 else "", cmap=cmap, vmax=high)
        return figure


def draw_skips(lost: Mapping[int, Sequence[tuple[float, float]]], names: tuple[str, str]) -> "Figure":
    """What is lost by cutting each skip: a bar for the mean, a point for each seed."""
    with style():
        figure, axes = panels(2, width=6.6, height=2.7)
        for axis, part, colour in ((axes[0], 0, BLUE), (axes[1], 1, ORANGE)):
            values = {level: [one[part] for one in pairs] for level, pairs in lost.items()}
            axis.bar(
                list(values), [sum(one) / len(one) for one in values.values()], 0.6, color=colour, alpha=0.5
            )
            for level, one in values.items():
                axis.plot([level] * len(one), one, linestyle="", marker="o", markersize=4, color=colour)
            axis.axhline(0, color=BLACK, linewidth=0.8)
            for level, one in values.items():
                mean = sum(one) / len(one)
                top = max(*one, mean)
                axis.annotate(f"{mean:.3f}", (level, top), (0, 6), textcoords="offset points", ha="center")
            axis.set(title=f"{names[part]} lost", xlabel="level of the skip that is cut")
            axis.set_xticks(list(lost), [f"{level}\n{_size(level)}" for level in lost])
            axis.margins(y=0.15)
        return figure


def draw_shifts(
    curves: Mapping[str, Mapping[int, Sequence[float]]], maps: Mapping[tuple[str, int], Tensor], period: int
) -> "Figure":
    """How much the answer changes with the shift, and where it changes, network by network."""
    from matplotlib.colors import PowerNorm
    from matplotlib.figure import Figure

    shifts = list(dict.fromkeys(shift for _, shift in maps))
    with style():
        figure = Figure(figsize=(7.8, 4.2), layout="constrained")
        grid = figure.add_gridspec(2, len(shifts) + 2, width_ratios=[1.0, 1.0] + [0.95] * len(shifts))
        left = figure.add_subplot(grid[:, :2])
        for colour, (name, curve) in zip((BLUE, ORANGE), curves.items(), strict=True):
            drawn = {shift: values[0] for shift, values in curve.items() if values}
            left.plot(list(drawn), list(drawn.values()), color=colour, label=name)
        mark_place(left, period, colour=RED)
        most = max(values[0] for curve in curves.values() for values in curve.values() if values)
        left.set(title="probability that changes class", xlabel="shift in pixels", ylim=(0, 1.2 * most))
        left.set_xticks(range(0, max(max(curve) for curve in curves.values()) + 1, 2))
        left.legend(loc="upper left", ncols=2, fontsize=8.5, columnspacing=1.0)
        norm = PowerNorm(0.5, 0, max(float(one.max()) for one in maps.values()))
        pictures = []
        for (name, shift), change in maps.items():
            row, column = list(curves).index(name), shifts.index(shift)
            axis = figure.add_subplot(grid[row, 2 + column])
            show_image(axis, change, f"shifted by {shift}" if row == 0 else "", norm=norm)
            if column == 0:
                axis.set_ylabel(name, fontsize=9)
            pictures.append(axis)
        figure.colorbar(pictures[0].images[0], ax=pictures, shrink=0.8, label="change")
        return figure


def _size(level: int) -> str:
    return f"1/{2**level} size" if level else "full size"
