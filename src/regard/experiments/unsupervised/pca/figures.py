"""The figures of the experiment `pca`, and what to see in them."""

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.experiments.unsupervised.pca.landscape import decay
from regard.lab.book.style import BLACK, BLUE, GREEN, ORANGE, SIGNED, mark_height, panels, show_image, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRAINING = (
    "Left: the loss of every training against the step; dotted are the losses with 0, 1, 2, ... principal directions "
    "learned. From small weights one expects stairs: the direction of the largest variance first, then the next, and a "
    "stay near a saddle in between. Right: the angle between the space that the decoder spans and the principal one, in "
    "every training; dashed is the slope that the curvature at the optimum predicts."
)
WEIGHTS = (
    "The first three: the decoders of two trainings and the principal directions (one column each). If they differ, the "
    "single directions are not what is learned. The last three: the products W₂W₁ of the same trainings, and the projector "
    "on the principal subspace. If they are equal, the subspace is what is learned."
)
LANDSCAPE_FIGURE = (
    "Every critical point of the loss, by its value and by the number of directions in which the loss falls from there. "
    "Numbers name the eigenvectors chosen, the area of a mark says how many random starts of the search ended there. A "
    "mark at 0 directions of descent is a minimum; all others are saddles, which can be left downhill."
)
Row = tuple[str, float, int, str, int]
"Eigenvectors, loss, descending directions predicted and found, starts that ended there."


def draw_training(
    at: Sequence[int],
    angles: Sequence[Tensor],
    losses: Sequence[Tensor],
    values: Tensor,
    *,
    bottleneck: int,
    rate: float,
) -> "Figure":
    """Loss and angle of every training, at the steps `at`; `values` are the covariance's eigenvalues."""
    with style():
        figure, (left, right) = panels(2, width=8.0, height=3.2)
        shown = next((step for step, one in zip(at, angles, strict=True) if one.max() < 20), at[-1]) * 2.3
        left.plot(at, torch.stack(list(losses)).numpy(), color=BLUE, marker="", linewidth=1.0, alpha=0.7)
        for size in range(bottleneck + 1):
            name = "nothing learned" if size == 0 else f"{size} learned"
            mark_height(left, values[size:].sum().item(), name)
        left.set(title="loss", xlabel="step", xlim=(0, shown))
        right.plot(at, torch.stack(list(angles)).numpy(), color=BLUE, marker="", linewidth=1.0, alpha=0.7)
        curvature = decay(values, bottleneck)
        start = next((i for i, one in enumerate(angles) if one.max() < 1), len(at) - 1)
        steps = torch.tensor(at[start:])
        line = angles[start].mean() * (1 - 2 * rate * curvature) ** (steps - steps[0])
        right.plot(steps, line, color=BLACK, linestyle="--", marker="", label="slope from the curvature")
        least = min(float(one[one > 0].min()) for one in angles if (one > 0).any())
        right.set(
            title="angle to the principal subspace (degrees)",
            xlabel="step",
            yscale="log",
            ylim=(min(1e-6, least / 3), 120),
        )
        right.legend(loc="upper right")
        return figure


def draw_weights(encoder: Tensor, decoder: Tensor, kept: Tensor) -> "Figure":
    """The decoders of two trainings beside the eigenvectors kept, and their products beside the projector."""
    with style():
        figure, axes = panels(6, width=8.2, height=2.5)
        shown = (
            ("W₂, seed 0", decoder[0]),
            ("W₂, seed 1", decoder[1]),
            ("$U_k$", kept),
            ("W₂W₁, seed 0", decoder[0] @ encoder[0]),
            ("W₂W₁, seed 1", decoder[1] @ encoder[1]),
            (r"$U_k U_k^\top$", kept @ kept.mT),
        )
        for axis, (name, matrix) in zip(axes, shown, strict=True):
            show_image(axis, matrix, name, cmap=SIGNED, vmin=-0.6, vmax=0.6, aspect="auto")
        figure.colorbar(axes[0].images[0], ax=axes, label="entry", shrink=0.8)
        return figure


def draw_landscape(rows: Sequence[Row], bottleneck: int) -> "Figure":
    """Critical points by loss and number of descending directions, each as large as it was found often."""
    with style():
        figure, (axis,) = panels(1, width=6.4, height=3.8)
        whole = [row for row in rows if row[0].count(",") == bottleneck - 1 and row[0] != "none"]
        fewer = [row for row in rows if row not in whole]
        for name, part, colour, marker in (
            (f"{bottleneck} eigenvectors", whole, BLUE, "o"),
            ("fewer", fewer, ORANGE, "s"),
        ):
            axis.scatter(
                [row[2] for row in part], [row[1] for row in part], s=[12 + 3 * row[4] for row in part],
                color=colour, marker=marker, alpha=0.6, label=name,
            )  # fmt: skip
        lowest = min(rows, key=lambda row: row[1])
        before: dict[int, float] = {}
        room = (max(row[1] for row in rows) - lowest[1]) / 24
        for row in sorted(whole, key=lambda row: row[1]):
            # Points of one column may lie close together: their names are moved up until they can be read.
            height = max(row[1], before.get(row[2], -inf) + room)
            before[row[2]] = height
            place = (row[2] + 0.12 + 0.002 * row[4], height)
            axis.annotate(row[0], (row[2], row[1]), xytext=place, va="center", fontsize=8)
        axis.annotate(
            "the minimum: principal components", (lowest[2], lowest[1]), xytext=(58, -4),
            textcoords="offset points", color=GREEN, fontsize=9,
        )  # fmt: skip
        axis.set(xlabel="directions of descent", ylabel="loss at the critical point")
        axis.legend(loc="lower right")
        return figure
