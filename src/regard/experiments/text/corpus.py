"""Corpus: a text of any alphabet made ready for a character model, prompts from it, and samples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.data.sets.prompts import commonest_word, openings
from regard.data.sets.prompts import words as every_word
from regard.data.sets.text import TEXTS, Text, load_text_or_shakespeare, read_text
from regard.data.tokens.tokenizer import Character
from regard.data.tokens.windows import Windows, cut
from regard.errors import RegardError, nearest
from regard.generation.engine import continuation
from regard.generation.sampling import Sampler
from regard.models.gpt.model import GPT


@dataclass(frozen=True)
class Corpus:
    """A text, the ids of its characters, and windows into its splits."""

    text: Text
    "The text, whole."
    used: str
    "Its characters that are used."
    tokenizer: Character
    windows: Windows

    @property
    def said(self) -> str:
        """Which text it is, and how much of it is used, if not all."""
        whole = len(self.text.characters)
        cut = f" The first {len(self.used):,} of its {whole:,} characters are used; limit=none takes all."
        return self.text.said + (cut if len(self.used) < whole else "")

    @cached_property
    def words(self) -> set[str]:
        """The words that the text has."""
        return set(words(self.text.characters))

    def prompt(self, wanted: str) -> str:
        """What an assignment begins its samples with, where the text has it; else the text's commonest word."""
        return wanted if wanted in self.used else commonest_word(self.used)

    def prompts(self, wanted: Sequence[str]) -> list[str]:
        """What an assignment begins with, where the text is a known one; else how the text's sentences begin."""
        known = self.text.name in TEXTS and set("".join(wanted)) <= set(self.tokenizer.alphabet)
        return list(wanted) if known else openings(self.used, len(wanted))

    def batches(self, split: str, *, size: int, seed: int) -> Callable[[int], tuple[Tensor, Tensor]]:
        """Batch number i of a split."""
        return lambda index: self.windows.batch(split, index, size=size, seed=seed)


class TextSource:
    """A setting that names a known text, or a text file of one's own."""

    def check(self, value: Any, name: str) -> None:
        """Tell a name that is neither, before anything is made."""
        if value in TEXTS or Path(value).is_file():
            return
        if Path(value).is_dir():
            raise RegardError(
                "a text is a file",
                f"'{value}', a folder",
                f"name a text file in it; regard train {value} takes them all",
            )
        known = nearest(value.replace("_", "-"), TEXTS, f"name a text file, or one of {', '.join(TEXTS)}")
        raise RegardError("no text of that name", f"'{value}'", known)


def load_corpus(
    source: str, *, shares: Mapping[str, float], context: int, limit: int | None = None
) -> Corpus:
    """A known text, or a text file, cut into splits; of a longer one the first `limit` characters."""
    text = load_text_or_shakespeare(source) if source in TEXTS else read_text(Path(source))
    characters = text.characters[:limit]
    tokenizer = Character(characters)
    parts = cut(tokenizer.encode(characters), shares)
    least = min(len(ids) for ids in parts.values())
    if least <= context:
        raise RegardError(
            "the text is too short",
            f"{len(characters)} characters of {text.name}, of which the smallest part has {least}",
            f"name a longer text: a part needs {context + 1} characters",
        )
    return Corpus(text, characters, tokenizer, Windows(parts, context))


def speak(
    model: GPT, corpus: Corpus, prompt: str, *, steps: int, sampler: Sampler, seed: int, rows: int = 1
) -> list[str]:
    """What the model says after a prompt, in so many rows; without dropout, and it is left as it was."""
    training = model.training
    model.eval()
    try:
        ids = corpus.tokenizer.encode(prompt).repeat(rows, 1)
        generator = torch.Generator().manual_seed(seed)
        found = continuation(
            model, ids, steps=steps, context=model.config.context, sampler=sampler, generator=generator
        )
        return [prompt + corpus.tokenizer.decode(row) for row in found]
    finally:
        model.train(training)


def words(text: str) -> list[str]:
    """The words of a text, in small letters, the first and last, which may be cut, left out.

    >>> words("To be, or not to b"), words("быть или не бы")
    (['be', 'or', 'not', 'to'], ['или', 'не'])
    """
    return every_word(text)[1:-1]


def real_words(said: str, known: set[str]) -> float:
    """The share of words said that are known: of those of three letters and more, which are not words by chance."""
    found = words(said)
    found = [word for word in found if len(word) > 2] or found
    return sum(word in known for word in found) / max(1, len(found))


def letter_pairs(corpus: Corpus) -> float:
    """The loss on the test text of a table of letter pairs counted in the training text, one added to each count."""
    ids, unseen = corpus.windows.splits["train"].long(), corpus.windows.splits["test"].long()
    size = corpus.tokenizer.size
    counts = torch.bincount(ids[:-1] * size + ids[1:], minlength=size**2).view(size, size).double() + 1
    table = (counts / counts.sum(1, keepdim=True)).log()
    return float(-table[unseen[:-1], unseen[1:]].mean())
