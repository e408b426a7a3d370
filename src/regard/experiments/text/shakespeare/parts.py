"""What models are judged by on seen and unseen text, and how hard the test text is beside parts of the training text."""

from collections.abc import Iterator
from copy import deepcopy

import torch
from torch import Tensor, nn

from regard.experiments.text.corpus import Corpus
from regard.models.gpt.model import GPT


def at_hand(model: GPT) -> GPT:
    """The model where texts are: itself on a CPU, else a copy there."""
    return model if next(model.parameters()).device.type == "cpu" else deepcopy(model).cpu()


def held_out(corpus: Corpus, count: int | None) -> Iterator[tuple[Tensor, Tensor]]:
    """Batches of the test text: so many windows from anywhere in it, or all of it without overlap."""
    if count is None:
        yield from corpus.windows.cover("test", size=256)
        return
    size = min(64, len(corpus.windows.splits["test"]) // corpus.windows.context)
    yield from (
        corpus.windows.batch("test", index, size=max(1, size), seed=1) for index in range(max(1, count // 64))
    )


def last_right(model: nn.Module, corpus: Corpus, split: str) -> float:
    """The share of windows whose last character's successor is the most probable one; of at most 10,000 windows from anywhere."""
    most = max(1, len(corpus.windows.splits[split]) // corpus.windows.context)
    inputs, targets = corpus.windows.batch(split, 0, size=min(10_000, most), seed=0)
    with torch.no_grad():
        return float((model(inputs)[:, -1].argmax(-1) == targets[:, -1]).double().mean())


def parts_right(corpus: Corpus) -> tuple[float, list[float]]:
    """How often the character after two others is the most frequent one there, counted elsewhere in the training text.

    The first number is that of the test text, the others those of parts of the training text of its length.
    """
    seen, unseen, size = (
        *(corpus.windows.splits[one].long() for one in ("train", "test")),
        corpus.tokenizer.size,
    )
    whole = _counts(seen, size)
    parts = [one for one in seen.split(len(unseen)) if len(one) == len(unseen)]
    return _right(whole, unseen), [_right(whole - _counts(one, size), one) for one in parts]


def _counts(ids: Tensor, size: int) -> Tensor:
    triples = (ids[:-2] * size + ids[1:-1]) * size + ids[2:]
    return torch.bincount(triples, minlength=size**3).view(size, size, size)


def _right(counts: Tensor, ids: Tensor) -> float:
    return float((counts.argmax(-1)[ids[:-2], ids[1:-1]] == ids[2:]).double().mean())


def compared(trained: float, tested: float, unseen: float, parts: list[float]) -> str:
    """Why the accuracy on test windows is above that on training windows, where it is."""
    said = f"After the last epoch the character after a window is right in {tested:.0%} of the test windows and in {trained:.0%} of training windows."
    if tested <= trained or f"{tested:.0%}" == f"{trained:.0%}":
        return f"{said} What was trained on is no harder than what was not."
    table = "For a table of what follows two characters, counted elsewhere in the training text"
    shares = f"it is right in {unseen:.1%} of the test text and in {min(parts):.1%} to {max(parts):.1%} of parts of the training text that are as long"
    least, most, points = unseen - max(parts), unseen - min(parts), tested - trained
    if least <= 0:
        return f"{said} {table} the test text is not the easier one: {shares}. So the text does not tell why the model is more often right there."
    easier = f"{said} {table} the test text is the easier one too, by {100 * least:.1f} to {100 * most:.1f} points: {shares}."
    share = "all" if least >= points else "some" if most < points else "some or all"
    return f"{easier} So the text accounts for {share} of the {100 * points:.1f} points between the two accuracies."
