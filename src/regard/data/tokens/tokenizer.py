"""Tokenizers: text to token ids and back, by characters or bytes (byte pairs: `bpe`); each can be JSON."""

import json
from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

import numpy
import torch
from torch import Tensor

from regard.arguments import check, fits, kinds, told
from regard.errors import RegardError
from regard.shapes import Int

NAMED, LISTED = 5, 150
"So many unknown characters are named, and so many known ones listed, at most."


@runtime_checkable
class Tokenizer(Protocol):
    """What every tokenizer does: `decode(encode(text))` is the text."""

    @property
    def size(self) -> int:
        """How many ids there are: 0 to size - 1."""
        ...

    def encode(self, text: str) -> Int[Tensor, " n"]:
        """The ids of a text."""
        ...

    def decode(self, ids: Iterable[int] | Int[Tensor, " n"]) -> str:
        """The text of some ids."""
        ...

    def to_json(self) -> str:
        """All that is needed to make it again, for `regard.data.tokenizer_from_json`."""
        ...


class Character:
    """One id for each character of an alphabet, in order of code point.

    >>> tokenizer = Character("hello")
    >>> tokenizer.size, tokenizer.encode("hole").tolist(), tokenizer.decode([1, 0, 2, 2])
    (4, [1, 3, 2, 0], 'hell')
    """

    kind = "character"

    @kinds
    def __init__(self, text: str) -> None:
        if not text:
            raise RegardError("an alphabet needs characters", "an empty text", "pass the text to be learned")
        self.alphabet = "".join(sorted(set(text)))
        codes = _codes(self.alphabet)
        # The id of each code point, -1 for those not in the alphabet; the last place stands for all beyond.
        self._ids = numpy.full(int(codes[-1]) + 2, -1, numpy.int64)
        self._ids[codes] = numpy.arange(self.size)

    @property
    def size(self) -> int:
        """The number of distinct characters."""
        return len(self.alphabet)

    def encode(self, text: str) -> Int[Tensor, " n"]:
        """The place of each character in the alphabet."""
        check("Character.encode", "text", text, str)
        ids = self._ids[numpy.minimum(_codes(text), len(self._ids) - 1)]
        if (ids < 0).any():
            unknown = list(dict.fromkeys(text[place] for place in (ids < 0).nonzero()[0].tolist()))
            first, *others = (f"{one!r} at position {text.index(one)}" for one in unknown[:NAMED])
            more = ", …" if len(unknown) > NAMED else ""
            raise RegardError(
                f"{'characters' if others else 'a character'} that the tokenizer has never seen",
                ", ".join([first, *others]) + more,
                f"use only {self.told}, or a model with the Bytes tokenizer",
            )
        return torch.from_numpy(ids)

    @property
    def told(self) -> str:
        """How many characters it knows; where a line holds them, which."""
        which = f": {self.alphabet!r}" if self.size <= LISTED else ""
        return f"the {self.size:,} characters of its text{which}"

    def decode(self, ids: Iterable[int] | Int[Tensor, " n"]) -> str:
        """The characters at those places."""
        return "".join(self.alphabet[index] for index in checked(ids, self.size))

    def to_json(self) -> str:
        """The alphabet."""
        return json.dumps({"kind": self.kind, "alphabet": self.alphabet})

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Character":
        """The tokenizer of a parsed JSON object."""
        return cls(text_field(state, "alphabet"))


class Bytes:
    """One id for each byte of the text in UTF-8: every character is known.

    Ids that are no UTF-8, as a model may write them, decode to U+FFFD.

    >>> Bytes().encode("né").tolist(), Bytes().decode([110, 195, 169])
    ([110, 195, 169], 'né')
    """

    kind = "bytes"
    size = 256

    def encode(self, text: str) -> Int[Tensor, " n"]:
        """The bytes."""
        return torch.from_numpy(numpy.frombuffer(encoded(text), numpy.uint8).astype(numpy.int64))

    def decode(self, ids: Iterable[int] | Int[Tensor, " n"]) -> str:
        """The text of the bytes."""
        return bytes(checked(ids, self.size)).decode("utf-8", "replace")

    def to_json(self) -> str:
        """Its kind alone: there is nothing to learn."""
        return json.dumps({"kind": self.kind})

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Bytes":
        """The tokenizer of a parsed JSON object."""
        return cls()


def checked(ids: Iterable[int] | Tensor, size: int) -> list[int]:
    """The ids as integers, each one known to the tokenizer."""
    tensor = isinstance(ids, Tensor)
    listed = ids.tolist() if tensor else list(ids) if isinstance(ids, Iterable) else None
    fine = ids.dim() == 1 and not ids.is_floating_point() if tensor else fits(listed, list[int])
    if listed is None or not fine:
        raise RegardError("a tokenizer decodes whole numbers", told(ids), "pass a list or a tensor of ids")
    for index in listed:
        if not 0 <= index < size:
            raise RegardError(
                "an id that the tokenizer does not have", str(index), f"ids go from 0 to {size - 1}"
            )
    return listed


def encoded(text: str) -> bytes:
    """The text in UTF-8."""
    check("encode", "text", text, str)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        got = f"{text[error.start]!r} at position {error.start}"
        raise RegardError("half a character cannot be encoded", got, "remove the lone surrogate") from error


def text_field(state: dict[str, Any], name: str) -> str:
    """A field of a parsed tokenizer, which must be a text."""
    if not isinstance(value := state.get(name), str):
        raise RegardError(
            "a tokenizer's JSON lacks a text", f"{name}: {value!r:.80}", "write it with to_json()"
        )
    return value


def _codes(text: str) -> numpy.ndarray:
    """The code points of a text, lone surrogates among them: they are known or unknown like any other."""
    return numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), numpy.uint32)
