"""The figures of the experiment `padding`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from regard.experiments.images.padding.borders import STRIDE, unmet
from regard.experiments.images.padding.networks import BORDERS
from regard.experiments.images.padding.pictures import red_green
from regard.lab.book.style import BLACK, PALETTE, SIGNED, mark_height, mark_place, panels, show_image, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 7
"Side of the small picture on which filter elements are shown."


def draw_patterns() -> "Figure":
    """Two pictures of each class, as they are learnt and as they are tested."""
    learnt, tested = (red_green(4, seed=42, swapped=swapped)[0] for swapped in (False, True))
    with style():
        figure, axes = panels(4, 2, width=7.4, height=2.0)
        for row, (pictures, name) in enumerate(((learnt, "learnt"), (tested, "tested"))):
            for column, number in enumerate((0, 2, 1, 3)):
                panel = axes[4 * row + column]
                show_image(panel, 255 * pictures[number], f"{name}, class {number % 2}")
                mark_height(panel, 15.5, colour="white")
        return figure


def draw_unmet() -> "Figure":
    """Three types side by side, each as nine small pictures: one for each filter element."""
    with style():
        figure, axes = panels(3, width=7.8, height=3.2)
        for panel, name in zip(axes, ("valid", "sconv", "fconv"), strict=True):
            never = unmet(BORDERS[name], SHOWN)
            tiled = never.permute(0, 2, 1, 3).reshape(3 * SHOWN, 3 * SHOWN)
            show_image(panel, tiled, name, cmap="Greys", vmin=0, vmax=1.4)
            for line in range(4):
                panel.axhline(line * SHOWN - 0.5, color=BLACK, linewidth=1)
                panel.axvline(line * SHOWN - 0.5, color=BLACK, linewidth=1)
            for row in range(3):
                for column in range(3):
                    place = (column * SHOWN + SHOWN // 2, row * SHOWN + SHOWN // 2)
                    panel.text(*place, str(int(never[row, column].sum())), ha="center", va="center")
        return figure


def draw_maps(scores: Mapping[str, Tensor]) -> "Figure":
    """How much more a trained Net1 says 1 than 0 for one pattern, by the place of the pattern."""
    with style():
        figure, axes = panels(3, 2, width=7.6, height=3.3)
        image = None
        for panel, (name, score) in zip(axes, scores.items(), strict=True):
            image = panel.imshow((score / score.abs().max()).numpy(), cmap=SIGNED, vmin=-1, vmax=1)
            panel.set(title=name, xlabel="column of the pattern", ylabel="row of the pattern")
            panel.label_outer()
            panel.grid(False)
        assert image is not None, "at least one type was trained"
        bar = figure.colorbar(image, ax=axes, shrink=0.6, ticks=[-1, 0, 1])
        bar.ax.set_yticklabels(["says 0", "unsure", "says 1"])
        return figure


def draw_courses(courses: Mapping[str, Sequence[float]], published: Mapping[str, float]) -> "Figure":
    """Test accuracy after each epoch, and the published one at the right."""
    with style():
        figure, (panel,) = panels(1, width=6.8, height=3.6)
        last = max(map(len, courses.values()))
        for colour, (name, course) in zip(PALETTE, courses.items(), strict=False):
            panel.plot(range(1, len(course) + 1), course, color=colour, marker="", label=name)
            panel.plot([last + 1.5], [published[name]], color=colour, marker="D", markersize=5)
        mark_height(panel, 50)
        panel.set(xlabel="epoch", ylabel="test accuracy, %", ylim=(-3, 103), xlim=(0, last + 2.5))
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
        return figure


def draw_rows(scores: Mapping[str, Tensor], column: int = STRIDE) -> "Figure":
    """The same along one column: types that follow the height, and those that do not."""
    with style():
        figure, axes = panels(2, width=7.6, height=3.3)
        groups = (("valid", "sconv", "reflect"), ("fconv", "circular", "replicate"))
        for panel, names, title in zip(
            axes, groups, ("valid, sconv, reflect", "fconv, circular, replicate"), strict=True
        ):
            for name in names:
                line, colour = scores[name][:, column], PALETTE[list(BORDERS).index(name)]
                panel.plot(line / scores[name].abs().max(), color=colour, marker="", label=name)
            panel.axhline(0, color=BLACK, linewidth=0.8)
            for row in range(0, len(scores[names[0]]), STRIDE):
                mark_place(panel, row, colour="#bbbbbb")
            panel.set(title=title, xlabel="row of the pattern", ylim=(-1.05, 1.05))
            panel.legend()
        axes[0].set_ylabel("says 0   ←   score   →   says 1")
        return figure
