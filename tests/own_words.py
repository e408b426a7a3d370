"""What a run over a person's own data may not say: words that fit the original data alone, unless it is marked as such."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent

ORIGINAL = {
    "karate": r"clubs?|members?|acquaintances?|karate|Zachary|Mr\.? Hi|officer|he|his|notebook|34|24|friends?",
    "cora": r"papers?|citations?|cites?|cited|Cora|Planetoid|field|fields|1000 test|seven",
    "graph-algebra": r"loosely joined halves",
    "pixels": r"digits?|MNIST|strokes?",
    "rotation": r"digits?|MNIST|CIFAR-10|clothes|things|sixes|nines|photographs?",
    "unet": r"brains?|slices?|textures?|grey matter|white matter|skull|stripes|membranes|pets|tissues",
    "pca": r"random points",
    "mixtures": r"countr(?:y|ies)|Europe|places?|longitude|latitude|seas?|lands?|maps?|33|5400|106,897",
    "uniform-mixture": r"countr(?:y|ies)|Europe|longitude|latitude|seas?|lands?|maps?|33",
    "shakespeare": r"Shakespeare|ROMEO|plays?",
    "fairy-tales": r"Grimm|fairy tales?",
    "width-or-depth": r"Shakespeare",
    "positions": r"Shakespeare",
}
"By experiment, the words of its original data."
MARKED = re.compile(
    r"\b(original|assignment|Berkeley HW6|Jerusalem|Amsterdam A2|Duke HW3|Toronto A4)", re.IGNORECASE
)
"A sentence that speaks of the original says so."


def check(name: str, events: Iterable[Event]) -> None:
    """Fail where a run over a person's own data says what fits the original alone."""
    wrong = strangers(name, [text for event in events for text in texts(event)])
    assert not wrong, "\n".join(wrong)


def strangers(name: str, said: Iterable[str]) -> list[str]:
    """The sentences with words of the original data that do not say that they are about it.

    >>> strangers("mixtures", ["As wide as all of Europe. The assignment has 33 countries."])
    ['Europe: As wide as all of Europe.']
    """
    words = re.compile(rf"(?<![\w.-])({ORIGINAL[name]})(?![\w-]|\.\d)")
    sentences = (one for text in said for one in re.split(r"(?<=[.!?;]) (?=[^a-z])", " ".join(text.split())))
    return [
        f"{found[0]}: {one}"
        for one in sentences
        if (found := words.search(re.sub(r"\[\[.*?\]\]|\$.*?\$", "", one))) and not MARKED.search(one)
    ]


def texts(event: Event) -> Iterator[str]:
    """All that an event shows a person, but for numbers and for cells of tables."""
    match event:
        case Metric(name=name, at=at):
            yield from (name, *map(str, at))
        case PairedMetric(name=name, labels=labels):
            yield from (name, *labels)
        case FigureEvent(name=name, caption=caption, figure=figure):
            yield from (name, caption, *_drawn(figure))
        case TableEvent(name=name, columns=columns, caption=caption):
            yield from (name, caption, *columns)
        case TextEvent(name=name, text=text):
            yield from (name, text)
        case ProgressEvent(what=what):
            yield what


def _drawn(figure: Any) -> Iterator[str]:
    """Titles, labels and legends; ticks are numbers."""
    for axis in figure.axes:
        yield from (axis.get_title(), axis.get_title("left"), axis.get_xlabel(), axis.get_ylabel())
    for legend in (*figure.legends, *(one.get_legend() for one in figure.axes)):
        yield from (one.get_text() for one in (legend.get_texts() if legend else ()))
