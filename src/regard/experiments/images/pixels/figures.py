"""Figures of attention on pixels: accuracy under change, where heads look, what positions say, a filter."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.lab.book.style import RED, SIGNED, mark_place, panels, show_image, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_changes(
    shifts: Mapping[str, Mapping[int, float]], angles: Mapping[str, Mapping[int, float]], patch: int
) -> "Figure":
    """Accuracy against the shift and against the angle, a line for each model."""
    with style():
        figure, (left, right) = panels(2, width=7.8, height=3.3)
        for axis, curves in ((left, shifts), (right, angles)):
            for name, curve in curves.items():
                axis.plot(list(curve), list(curve.values()), label=name, markersize=4)
        most = max(max(curve) for curve in shifts.values())
        for whole in range(patch, most + 1, patch):
            mark_place(left, whole, colour=RED)
        left.set(title="accuracy, shifted", xlabel="pixels to the right", ylim=(0, 1.02))
        right.set(title="accuracy, turned", xlabel="degrees", ylim=(0, 1.02), xticks=range(0, 181, 45))
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=len(shifts))
        return figure


def draw_looks(picture: Tensor, looks: Sequence[Tensor], query: int, grid: tuple[int, int]) -> "Figure":
    """Where each head (column) of each layer (row) looks from one patch; the picture stands on the left."""
    heads = looks[0].shape[0]
    patch = picture.shape[-1] / grid[1]
    row, column = divmod(query, grid[1])
    with style():
        figure, axes = panels(heads + 1, len(looks), width=1.35 * (heads + 1), height=1.5)
        for layer, weights in enumerate(looks):
            line = axes[layer * (heads + 1) : (layer + 1) * (heads + 1)]
            show_image(line[0], picture, cmap="Greys")
            _mark(line[0], (column * patch - 0.5, row * patch - 0.5), patch)
            line[0].set_ylabel(f"layer {layer}", fontsize=9)
            for head, axis in enumerate(line[1:]):
                show_image(axis, weights[head, query].view(grid), "" if layer else f"head {head}", vmin=0)
                _mark(axis, (column - 0.5, row - 0.5), 1)
        return figure


def draw_places(places: Tensor, table: Tensor, grid: tuple[int, int]) -> "Figure":
    """How alike the vector of a place is to the others; then the numbers of each step, head by head."""
    alike = torch.nn.functional.normalize(places, dim=1)
    chosen = [0, grid[1] // 2, (grid[0] // 2) * grid[1] + grid[1] // 2, grid[0] * grid[1] - 1]
    high = float(table.abs().max())
    with style():
        columns = max(len(chosen), len(table))
        figure, axes = panels(columns, 2, width=1.7 * columns, height=1.8)
        for axis, place in zip(axes, chosen, strict=False):
            row, column = divmod(place, grid[1])
            likeness = (alike @ alike[place]).view(grid)
            show_image(axis, likeness, f"place {row}, {column}", cmap=SIGNED, vmin=-1, vmax=1)
            _mark(axis, (column - 0.5, row - 0.5), 1)
        for head, axis in enumerate(axes[columns : columns + len(table)]):
            show_image(axis, table[head], f"head {head}", cmap=SIGNED, vmin=-high, vmax=high)
        for axis in axes:
            axis.set_visible(bool(axis.images))
        figure.colorbar(axes[0].images[0], ax=axes[:columns], label="cosine", shrink=0.9)
        figure.colorbar(axes[columns].images[0], ax=axes[columns:], label="added to the score", shrink=0.9)
        return figure


def draw_filter(
    picture: Tensor, kernel: Tensor, heads: Tensor, ours: Tensor, theirs: Tensor, word: str = "digit"
) -> "Figure":
    """A picture, a filter, the nine heads' outputs weighed by it, and both ways to its map."""
    from matplotlib.figure import Figure

    high, top = float(kernel.abs().max()), float(max(heads.abs().max(), ours.abs().max()))
    with style():
        figure = Figure(figsize=(7.6, 2.6), layout="constrained")
        grid = figure.add_gridspec(3, 7, width_ratios=[1.6, 1.1, 1, 1, 1, 1.6, 1.6])
        parts: list[tuple[Any, Tensor, str, dict[str, Any]]] = [
            (grid[:, 0], picture, word, {"cmap": "Greys"}),
            (grid[:, 1], kernel, "filter", {"cmap": SIGNED, "vmin": -high, "vmax": high}),
            (grid[:, 5], ours, "sum of heads", {"cmap": SIGNED, "vmin": -top, "vmax": top}),
            (grid[:, 6], theirs, "convolution", {"cmap": SIGNED, "vmin": -top, "vmax": top}),
        ]
        for number, one in enumerate(heads):
            place = grid[number // 3, 2 + number % 3]
            parts.append((place, one, "", {"cmap": SIGNED, "vmin": -top, "vmax": top}))
        axes = []
        for place, values, title, options in parts:
            axis = figure.add_subplot(place)
            show_image(axis, values, title, **options)
            axes.append(axis)
        axes[5].set_title("nine heads", fontsize=9, loc="center")
        return figure


def _mark(axis: Any, corner: tuple[float, float], size: float) -> None:
    from matplotlib.patches import Rectangle

    axis.add_patch(Rectangle(corner, size, size, fill=False, edgecolor=RED, linewidth=1.5))
