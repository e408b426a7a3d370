"""Corpus: a text made ready for a character model, and samples from that model."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

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
    tokenizer: Character
    windows: Windows

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
            raise RegardError("a text is a file", f"'{value}', a folder", "name a text file in it")
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
    return Corpus(text, tokenizer, Windows(parts, context))


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

    >>> words("To be, or not to b")
    ['be', 'or', 'not', 'to']
    """
    return re.findall(r"[a-z']+", text.lower())[1:-1]


def real_words(said: str, known: set[str]) -> float:
    """The share of words said that are known."""
    found = words(said)
    return sum(word in known for word in found) / max(1, len(found))
