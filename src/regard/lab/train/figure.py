"""The loss curve of a training: what it learned from, what was held out, and what guessing costs."""

from collections.abc import Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from regard.lab.book.style import mark_height, panels, style
from regard.lab.events import Metric

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRAINED, HELD = "training loss", "held-out loss"
JUDGED = "held-out loss of the best checkpoint"
"The best model of a training, judged by all that was held out."
LOSS = "The loss on batches of training and on held-out text, by step. Dotted: what guessing costs."


def losses_of(measured: Sequence[Metric]) -> dict[str, list[tuple[int, float]]]:
    """The two curves that a log holds, in order of step.

    >>> losses_of([Metric("held-out loss", loss, at={"step": step}) for step, loss in ((5, 2.0), (0, 4.0))])
    {'training loss': [], 'held-out loss': [(0, 4.0), (5, 2.0)]}
    """
    return {
        name: sorted(
            (step, one.value)
            for one in measured
            if one.name == name and isinstance(step := one.at.get("step"), int)
        )
        for name in (TRAINED, HELD)
    }


def draw_losses(curves: Mapping[str, Sequence[tuple[int, float]]], vocabulary: int) -> "Figure":
    """Both curves, and the loss of knowing nothing."""
    with style():
        figure, (axis,) = panels(height=3.0)
        for name, curve in curves.items():
            if curve:
                axis.plot(*zip(*curve, strict=True), marker="", label=name)
        mark_height(axis, log(vocabulary), f"ln {vocabulary}", at=0.04)
        axis.set(xlabel="step", ylabel="loss (nats a token)")
        if any(curves.values()):
            axis.legend()
        return figure
