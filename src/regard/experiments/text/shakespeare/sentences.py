"""The sentences that Jerusalem ex. 5 asks for after each epoch, and what changes from epoch to epoch."""

from collections.abc import Mapping, Sequence
from math import log
from statistics import fmean
from typing import NamedTuple

from regard.experiments.text.corpus import Corpus, real_words, speak
from regard.experiments.text.shakespeare.figures import Epoch
from regard.generation.sampling import Sampler
from regard.models.gpt.model import GPT

WAYS = {"plain": Sampler(), "top-k 5": Sampler(top_k=5)}
"The two ways in which Jerusalem ex. 5 samples."
Row = tuple[float, float, float, str, str, str, str]
"Epoch, losses in training and test, shares of real words and a sentence, plain and by top-k."
COLUMNS = (
    "epoch",
    "training loss",
    "test loss",
    "real words, plain",
    "real words, top-k 5",
    "said, plain",
    "said, top-k 5",
)
SENTENCES = (
    "Jerusalem ex. 5's model by epoch: the mean loss in training during the epoch, the loss on the test text after it, "
    "the share of words of three letters and more that are words of the text, in plain samples and in samples from the five most probable characters, "
    "and one sentence of each kind. Read down: what changes from epoch to epoch? Read across: do the two columns differ?"
)


def sentences(model: GPT, corpus: Corpus) -> dict[str, list[str]]:
    """Three sentences each way, as Jerusalem ex. 5 asks."""
    start = corpus.prompt("the ")
    return {
        way: speak(model, corpus, start, steps=30, sampler=sampler, seed=42, rows=3)
        for way, sampler in WAYS.items()
    }


def spelling(
    model: GPT, corpus: Corpus, rows: int, spoken: int, sampler: Sampler = WAYS["plain"]
) -> dict[int, float]:
    """The share of words of each sample, of three letters and more, that the text has too."""
    said = speak(model, corpus, corpus.prompt("the "), steps=spoken, sampler=sampler, seed=7, rows=rows)
    return {row: real_words(one, corpus.words) for row, one in enumerate(said)}


def row(epoch: Epoch, spelled: Mapping[str, Mapping[int, float]], said: Mapping[str, Sequence[str]]) -> Row:
    """An epoch as a row of the table: losses, shares of real words, one sentence each way."""
    plain, cut = WAYS
    return (
        *epoch[:3],
        f"{fmean(spelled[plain].values()):.0%}",
        f"{fmean(spelled[cut].values()):.0%}",
        said[plain][0].replace("\n", "⏎"),
        said[cut][0].replace("\n", "⏎"),
    )


class SmallEnd(NamedTuple):
    """How Jerusalem ex. 5's model ends on a text of a person's choice."""

    characters: int
    kinds: int
    "Different characters of the text."
    epoch: Epoch
    "The last one."
    pairs: float
    "The loss of a table of letter pairs."


def said_of_own(small: SmallEnd, large: tuple[int, int, float] | None = None) -> str:
    """What was found in a text of a person's choice; `large`: Duke HW3's steps, those planned, and its held-out loss."""
    epoch, _, loss, _, right = small.epoch
    duke = ""
    if large is not None:
        made, planned, held_out = large
        steps = f"{made:,}" if made == planned else f"{made:,} of {planned:,}"
        duke = f" Duke HW3's model has a held-out loss of {held_out:.2f} after {steps} steps."
    return (
        f"Your text has {small.characters:,} characters of {small.kinds} kinds: guessing among them costs {log(small.kinds):.2f} nats "
        f"each, a table of letter pairs {small.pairs:.2f}. Jerusalem ex. 5's model has a test loss of {loss:.2f} after {epoch:.3g} epochs and "
        f"predicts {100 * right:.0f} % of the last characters of test windows.{duke}"
    )


def told(said: Mapping[str, Sequence[str]], rows: Sequence[Row]) -> str:
    """The sentences of an epoch, and beneath them what changed since the one before."""
    lines = [
        f"{way:8} | " + " | ".join(one.replace("\n", "⏎") for one in found) for way, found in said.items()
    ]
    before, now = rows[-2] if len(rows) > 1 else None, rows[-1]
    change = (
        ""
        if before is None
        else f" ({before[3]} an epoch ago, {'lower' if now[2] < before[2] else 'no lower'} test loss now)"
    )
    return "\n".join(
        [
            *lines,
            f"{now[3]} of the words of plain samples are words of the text{change}; with top-k 5, {now[4]}.",
        ]
    )
