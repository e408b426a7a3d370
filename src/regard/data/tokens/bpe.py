"""Byte-pair encoding (BPE): trained on a text, or loaded from GPT-2's files."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.arguments import kinds
from regard.data.tokens.tokenizer import Bytes, Character, Tokenizer, checked, encoded, text_field
from regard.errors import RegardError, nearest
from regard.shapes import Int


class BPE:
    """Byte-pair encoding over bytes: it starts from the 256 bytes and merges the most frequent neighbours.

    Train it with `BPE.train`, or load GPT-2's files with `BPE.load`. Made with the `tokenizers` package.

    >>> tokenizer = BPE.train("the cat, the hat, the rat " * 9, size=262)
    >>> tokenizer.size, tokenizer.decode(tokenizer.encode("the tea"))
    (262, 'the tea')
    >>> len(tokenizer.encode("the")) < 3
    True
    """

    kind = "bpe"

    def __init__(self, model: Any) -> None:
        library = _library()
        self._tokenizer = library.Tokenizer(model)
        # The text as it is: no space put before it, and none taken away again.
        self._tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        self._tokenizer.decoder = library.decoders.ByteLevel()

    @classmethod
    @kinds
    def train(cls, text: str, *, size: int) -> "BPE":
        """A vocabulary of `size` pieces, the most frequent neighbours of a text joined again and again.

        It is smaller where a text has no more pairs to join.
        """
        if size < 256:
            raise RegardError(
                "a vocabulary needs room for the 256 bytes", f"size={size}", "pass a size of at least 256"
            )
        library = _library()
        made = cls(library.models.BPE())
        alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet())
        trainer = library.trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
        encoded(text)
        # As one piece: cut into lines it would never learn to join two line ends.
        made._tokenizer.train_from_iterator([text], trainer=trainer)
        return made

    @classmethod
    @kinds
    def load(cls, vocabulary: Path | str, merges: Path | str) -> "BPE":
        """The tokenizer of a vocabulary file (JSON) and a merges file, as GPT-2 has them."""
        return cls._make(_read(vocabulary), _read(merges))

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "BPE":
        """The tokenizer of a parsed JSON object."""
        return cls._make(text_field(state, "vocabulary"), text_field(state, "merges"))

    @classmethod
    def _make(cls, vocabulary: str, merges: str) -> "BPE":
        ids = _parse_vocabulary(vocabulary)
        pairs = _parse_merges(merges, ids)
        return cls(_library().models.BPE(vocab=ids, merges=pairs))

    @property
    def size(self) -> int:
        """The number of pieces."""
        return self._tokenizer.get_vocab_size()

    def encode(self, text: str) -> Int[Tensor, " n"]:
        """The ids of the pieces."""
        encoded(text)
        # The fast form leaves out where each piece came from: a third of the time on a long text.
        made = self._tokenizer.encode_batch_fast([text], add_special_tokens=False)[0]
        return torch.tensor(made.ids, dtype=torch.int64)

    def decode(self, ids: Iterable[int] | Int[Tensor, " n"]) -> str:
        """The text of the pieces."""
        return self._tokenizer.decode(checked(ids, self.size), skip_special_tokens=False)

    def to_json(self) -> str:
        """The vocabulary and the merges, in the form of GPT-2's files."""
        model = json.loads(self._tokenizer.to_str())["model"]
        pairs = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
        state = {"kind": self.kind, "vocabulary": json.dumps(model["vocab"]), "merges": "\n".join(pairs)}
        return json.dumps(state)


@kinds
def tokenizer_from_json(text: str) -> Tokenizer:
    """The tokenizer that `to_json` wrote.

    >>> tokenizer_from_json(Character("abc").to_json()).decode([2, 0, 1])
    'cab'
    """
    known = {kind.kind: kind for kind in (Character, Bytes, BPE)}
    try:
        state = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RegardError(
            "a tokenizer's JSON cannot be read", str(error), "write it with to_json()"
        ) from error
    kind = state.get("kind") if isinstance(state, dict) else None
    if not isinstance(kind, str) or kind not in known:
        fix = nearest(str(kind), known, f"one of {', '.join(known)}")
        raise RegardError("no tokenizer of that kind", repr(kind), fix)
    return known[kind].from_state(state)


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise RegardError(
            "byte pairs need a package", "no module 'tokenizers'", "pip install tokenizers"
        ) from error
    return tokenizers


def _read(path: Path | str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RegardError(
            "a tokenizer's file cannot be read", f"{path}: {error}", "name GPT-2's two files"
        ) from error


def _parse_vocabulary(text: str) -> dict[str, int]:
    """Pieces and their ids, which must be 0, 1, 2, …: a model has a row for each."""
    try:
        ids = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RegardError("the vocabulary is not JSON", str(error), "name GPT-2's vocabulary file") from error
    whole = isinstance(ids, dict) and all(type(value) is int for value in ids.values())
    if not whole or not ids or sorted(ids.values()) != list(range(len(ids))):
        got = f"{len(ids)} pieces" if whole else type(ids).__name__
        raise RegardError(
            "the vocabulary's ids must be 0, 1, 2, … without a gap", got, "name GPT-2's vocabulary file"
        )
    return ids


def _parse_merges(text: str, ids: dict[str, int]) -> list[tuple[str, str]]:
    pairs = []
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#version"):
            continue
        first, space, second = line.rstrip("\r").partition(" ")
        if not space or not {first, second, first + second} <= ids.keys():
            raise RegardError(
                "a merge must join two pieces of the vocabulary", repr(line[:80]), "name GPT-2's merges file"
            )
        pairs.append((first, second))
    return pairs
