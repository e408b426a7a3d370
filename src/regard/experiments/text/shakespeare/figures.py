"""The figures of the experiment `shakespeare`, and what to see in them."""

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.core.trace import trace
from regard.experiments.text.corpus import Corpus
from regard.lab.book.style import mark_height, panels, show_image, style
from regard.models.gpt.model import GPT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPOCHS = (
    "Jerusalem ex. 5's model: loss over all characters of a window, and how often the character after the "
    "window is the most probable one, by epoch; training and test apart, so that learning by heart would show as a gap. The training loss is the mean during an epoch, "
    "the test loss that at its end, when the model has learned more. How much harder or easier the test text itself is stands in the section “Training and test text”."
)
LOSS = (
    "Duke HW3's model: the loss of each training batch, and on text that was held out. Dotted: the loss "
    "of guessing among all characters."
)
ATTENTION = (
    "Where each character (down) of a line of 32 looks among those before it (across), in every head of "
    "Duke HW3's trained model; square roots, so that small weights are seen. A bright line beside the diagonal is a "
    "head that looks at the characters just before, a bright column one that looks back to one place."
)
Epoch = tuple[float, float, float, float, float]
"The epoch, loss in training and test, accuracy in training and test."


def draw_epochs(curve: Sequence[Epoch]) -> "Figure":
    """Losses on the left, accuracies on the right, by epoch."""
    epochs, *columns = zip(*curve, strict=True)
    with style():
        figure, (left, right) = panels(2, height=3.0)
        for axis, pair in ((left, columns[:2]), (right, columns[2:])):
            for name, values in zip(("training", "test"), pair, strict=True):
                axis.plot(epochs, values, label=name)
            axis.set(xlabel="epoch", xticks=range(1, int(max(epochs)) + 1) if max(epochs) >= 1 else epochs)
            axis.legend()
        left.set_title("loss (nats a character)")
        right.set_title("accuracy of the last character")
        return figure


def draw_losses(
    losses: Sequence[tuple[int, float]], tests: Sequence[tuple[int, float]], vocabulary: int
) -> "Figure":
    """The loss of every batch, and that on held-out text, each with its step; dotted what guessing costs."""
    with style():
        figure, (axis,) = panels(height=3.0)
        axis.plot(*zip(*losses, strict=True), marker="", linewidth=0.8, alpha=0.7, label="training batch")
        axis.plot(*zip(*tests, strict=True), label="held out")
        mark_height(axis, log(vocabulary), f"ln {vocabulary}", at=0.04)
        axis.set(title="Duke HW3's model", xlabel="step", ylabel="loss (nats a character)")
        axis.legend()
        return figure


def draw_attention(model: GPT, corpus: Corpus) -> "Figure":
    """Every head of every layer over one line."""
    line = "ROMEO: What light through yonder"
    if corpus.text.name != "tiny-shakespeare" or not set(line) <= set(corpus.tokenizer.alphabet):
        line = corpus.tokenizer.decode(corpus.windows.splits["test"][:32])
    model.eval()
    with torch.no_grad(), trace(model) as seen:
        model(corpus.tokenizer.encode(line)[None])
    maps: list[Tensor] = [look.weights[0] for name, looks in seen.looks.items() for look in looks]
    with style():
        figure, axes = panels(len(maps[0]), len(maps), width=7.4, height=1.8)
        for axis, weights in zip(axes, [head for layer in maps for head in layer], strict=True):
            show_image(axis, weights.sqrt(), vmin=0, vmax=1)
        for depth in range(len(maps)):
            axes[depth * len(maps[0])].set_ylabel(f"layer {depth + 1}")
        for head in range(len(maps[0])):
            axes[head].set_title(f"head {head + 1}", fontsize=9.5)
        return figure
