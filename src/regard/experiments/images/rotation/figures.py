"""The figures of the experiment `rotation`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from regard.data.sets.images import Pictures
from regard.experiments.images.rotate import SAMPLINGS, rotate
from regard.lab.book.style import BLACK, mark_place, panels, plot_runs, show_image, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_first(pictures: Pictures) -> "Figure":
    """The first 25 pictures to be tried on, with the names of their classes."""
    with style():
        figure, axes = panels(5, 5, width=5.6, height=1.3)
        for panel in axes[len(pictures.test) :]:
            panel.set_axis_off()
        for number, panel in enumerate(axes[: len(pictures.test)]):
            _show(panel, pictures.test[number], pictures.classes[pictures.test_labels[number]])
        return figure


def draw_turned(pictures: Pictures, angles: Sequence[int] = (0, 30, 45, 90, 180)) -> "Figure":
    """One picture at some angles: by the nearest pixel, and by four pixels weighed."""
    picture = pictures.test[:1].float()
    with style():
        figure, axes = panels(len(angles), 2, width=7.2, height=1.6)
        for row, sampling in enumerate(SAMPLINGS):
            for column, angle in enumerate(angles):
                panel = axes[row * len(angles) + column]
                _show(panel, rotate(picture, angle, sampling=sampling)[0].round().byte(), f"{angle}°")
            axes[row * len(angles)].set_ylabel(sampling)
        return figure


def draw_curves(
    curves: Mapping[str, Tensor], angles: Sequence[int], published: Mapping[str, Sequence[float]]
) -> "Figure":
    """Accuracy by angle: the mean over the seeds, and each seed as a thin line."""
    with style():
        figure, (panel,) = panels(1, width=6.6, height=3.8)
        for name, accuracy in curves.items():
            plot_runs(panel, angles, accuracy, label=name)
        for values in published.values():
            panel.plot(angles, values, color=BLACK, linewidth=1, linestyle="--", marker="")
        if published:
            panel.plot([], [], color=BLACK, linewidth=1, linestyle="--", marker="", label="Amsterdam A2")
        for turn in (90, 180, 270):
            mark_place(panel, turn, colour="#bbbbbb")
        panel.set(xlabel="angle of the test pictures, degrees", ylabel="accuracy, %", ylim=(0, 101))
        panel.set_xticks(range(0, 361, 60))
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
        return figure


def draw_classes(curves: Mapping[str, Tensor], classes: Sequence[str], angles: Sequence[int]) -> "Figure":
    """Accuracy by class and angle, one panel for each training."""
    with style():
        figure, axes = panels(len(curves), width=2.9 * len(curves), height=3.4)
        for panel, (name, accuracy) in zip(axes, curves.items(), strict=True):
            show_image(panel, accuracy, name, vmin=0, vmax=100, aspect="auto")
            panel.set_xticks(range(0, len(angles), 3), [str(angles[at]) for at in range(0, len(angles), 3)])
            panel.set_yticks(range(len(classes)), classes)
            panel.set_xlabel("angle, degrees")
            panel.label_outer()
            panel.grid(False)
        figure.colorbar(axes[0].images[0], ax=axes, shrink=0.8, label="accuracy, %")
        return figure


def _show(panel: "Axes", picture: Tensor, title: str) -> None:
    grey = len(picture) == 1
    show_image(panel, picture[0] if grey else picture, title, cmap="gray", vmin=0, vmax=255)
