"""The figures of the experiment `karate`, and what to see in them."""

from itertools import cycle
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.experiments.graphs.karate.club import LEAK, Club, Story
from regard.lab.book.style import BLACK, BLUE, ORANGE, RED, panels, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = ("white", "black")
"The colour of a node's number: on blue, and on orange."
SHOWN = 8
"Nodes in red rings that are named in the embedding, at most."
ROOM, SMALL = 1.08, 0.5
"Half a side of a panel that shows all, and the extent below which a cloud gets a scale of its own."
LEARNED = (
    "The two numbers per node that the softmax layer sees (the two channels of the second layer's output, between −1 and 1), as training goes "
    "on, for the first seed, trained with all labels as in Berkeley HW6's notebook. A panel whose points lie close together is enlarged, as its heading says."
)


def said_of_embedding(members: Club) -> str:
    """The caption of `draw_embedding`: what colours and rings mean."""
    if not members.labelled:
        return f"{LEARNED} Colours show the communities. Look whether they lie apart before any training (epoch 0)."
    return (
        f"{LEARNED} Colours show the labels that nodes have, red "
        "rings are around those whose label is not their community's. Look for two things: whether the colours lie apart "
        "before any training (epoch 0), and in whose cloud the red rings end. In the other colour's cloud they are counted "
        "as right all the same, since the network is judged by communities."
    )


def said_of_members(members: Club) -> str:
    """The caption of `draw_members`: what is drawn, and who changes colour."""
    squares = f"Squares are the {int(members.test.sum())} tested nodes."
    if not members.labelled:
        return f"Your graph. Its file has no labels: colours show the two communities found from the edges alone (orange: the largest; blue: all others). {squares}"
    odd = (members.joined != members.community).nonzero().flatten().tolist()
    named = ", ".join(map(str, odd[:SHOWN])) + (", …" if len(odd) > SHOWN else "")
    what = (
        "Your graph twice" if members.said else "The club: an edge joins two members who met outside training"
    )
    return (
        f"{what}. Left, colours show the labels (blue: {members.sides[0]}, orange: {members.sides[1]}); right, the "
        f"communities found from the edges alone. {squares} Red rings are around those whose "
        f"colour changes from left to right: {named or 'none'}."
    )


def said_of_training(members: Club, story: Story) -> str:
    """The caption of `draw_training`, with the tested nodes that the repaired trainings get wrong in the end."""
    seeds = story.right.shape[1] // 2
    wrong = (story.wrong[-1, seeds:] & members.test).sum(0)
    lost = ", ".join(f"{node} ({int(wrong[node])} of {seeds})" for node in wrong.nonzero().flatten().tolist())
    return (
        "Every line is one training from its own first weights, on the communities as labels; dotted is the loss of the "
        "nodes that train, solid that of the tested ones. Orange: the tested labels take part in the training, as in Berkeley HW6's "
        "notebook. Blue: they do not. If the solid blue lines stop falling while the dotted ones go on, the network learns "
        f"what does not carry over. Tested nodes that the repaired trainings get wrong after the last epoch: {lost or 'none'}."
    )


def _draw(axis: "Axes", members: Club, labels: Tensor, title: str) -> None:
    x, y = members.places.T
    ends = torch.stack([members.edges.source, members.edges.target])
    axis.plot(x[ends], y[ends], color="#cccccc", linewidth=0.6, marker="", zorder=1)
    for label, colour in ((0, BLUE), (1, ORANGE)):
        for tested, shape in ((False, "o"), (True, "s")):
            some = (labels == label) & (members.test == tested)
            axis.scatter(x[some], y[some], color=colour, marker=shape, s=60, zorder=2)
    for node in range(len(x)):
        odd = members.joined[node] != members.community[node]
        axis.annotate(
            str(node), (x[node], y[node]), ha="center", va="center", fontsize=5.5, color=INK[int(labels[node])], zorder=3
        )  # fmt: skip
        if odd:
            axis.scatter(x[node], y[node], s=150, facecolors="none", edgecolors=RED, linewidths=1.4, zorder=4)
    axis.set(title=title, xticks=[], yticks=[])
    axis.grid(False)


def draw_members(members: Club) -> "Figure":
    """The club twice, coloured by what each joined and by what the graph suggests; by that alone without labels."""
    with style():
        if not members.labelled:
            figure, (only,) = panels(1, width=4.6, height=4.0)
            _draw(only, members, members.community, "the communities that the graph suggests")
            return figure
        figure, (left, right) = panels(2, width=8.4, height=4.0)
        _draw(left, members, members.joined, "the labels" if members.said else "the club that each joined")
        _draw(right, members, members.community, "the community that the graph suggests")
        return figure


def draw_training(members: Club, story: Story) -> "Figure":
    """Losses and accuracies by epoch; the first half of the runs had all labels, the second was repaired."""
    seeds, epochs = story.right.shape[1] // 2, range(1, len(story.right))
    with style():
        figure, (left, right) = panels(2, width=8.4, height=3.2)
        for name, runs, colour in (
            (LEAK, range(seeds), ORANGE),
            (members.repaired, range(seeds, 2 * seeds), BLUE),
        ):
            look: Any = {"color": colour, "marker": "", "linewidth": 1.2}
            for run in runs:
                label = name if run == runs[0] else None
                for losses, dash in ((story.train_loss, ":"), (story.test_loss, "-")):
                    part = f"{label}, {'test' if dash == '-' else 'training'}" if label else None
                    left.plot(epochs, losses[1:, run].log10(), **look, linestyle=dash, label=part)
                right.plot(epochs, story.right[1:, run], **look, label=label)
        left.set(title="loss", xlabel="epoch", ylabel="log₁₀ of the mean −log p(label)", xscale="log")
        title = members.say("accuracy on the {tested} tested {members}")
        right.set(title=title, xlabel="epoch", xscale="log", ylim=(0, 1.05))
        left.legend(fontsize=7.5, loc="lower left")
        right.legend(loc="lower right")
        return figure


def window(points: Tensor) -> tuple[tuple[float, float], tuple[float, float]]:
    """The borders within which points are drawn: all that a tanh gives, or a square around a small cloud."""
    low, high = points.amin(0), points.amax(0)
    side = float((high - low).max())
    if side > SMALL:
        return (-ROOM, ROOM), (-ROOM, ROOM)
    half = 0.6 * max(side, 1e-6)
    x, y = ((low + high) / 2).tolist()
    return (x - half, x + half), (y - half, y + half)


def draw_embedding(members: Club, story: Story) -> "Figure":
    """What the softmax layer sees of every member in the first run, at six epochs."""
    epochs = sorted(story.embeddings)
    epochs = [epochs[round(i * (len(epochs) - 1) / 5)] for i in range(6)]
    with style():
        figure, axes = panels(3, 2, width=8.4, height=2.9)
        for axis, epoch in zip(axes, epochs, strict=True):
            x, y = story.embeddings[epoch][0].T
            for label, colour in ((0, BLUE), (1, ORANGE)):
                some = members.joined == label
                axis.scatter(x[some], y[some], color=colour, s=18, alpha=0.8)
            odd = (members.joined != members.community).nonzero().flatten().tolist()
            for node, side in zip(odd[:SHOWN], cycle((-12, 6)), strict=False):
                axis.scatter(x[node], y[node], s=90, facecolors="none", edgecolors=RED, linewidths=1.4)
                look: Any = {"textcoords": "offset points", "color": RED, "fontsize": 9}
                axis.annotate(str(node), (x[node], y[node]), (side, 4), **look)
            (left, right), (low, high) = window(story.embeddings[epoch][0])
            narrow = right - left < 2
            axis.set(xlim=(left, right), ylim=(low, high))
            if not narrow:
                axis.axhline(0, color=BLACK, linewidth=0.4, marker="")
                axis.axvline(0, color=BLACK, linewidth=0.4, marker="")
            axis.set_title(
                f"epoch {epoch}, {1 / (right - left) * 2 * ROOM:.0f} times enlarged"
                if narrow
                else f"epoch {epoch}"
            )
            axis.set(xlabel="first channel", ylabel="second channel")
        return figure
