"""Batches of windows from a token file (data loader): shuffled without memory, each a pure function."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
import torch

from regard.data.tokens.permutation import Permutation
from regard.data.tokens.token_file import TokenFile
from regard.data.tokens.windows import Pair, Windows
from regard.errors import RegardError

TRAIN, HELD = "train", "held-out"


@dataclass(frozen=True)
class FileWindows:
    """Windows of `context` tokens from a token file; its last `held` tokens are held out.

    The rest is cut into windows that do not overlap. Example number j is window π(j mod n) of the n windows,
    π being another permutation for each pass over them: every token is met once in each pass, and a batch of
    16 is two batches of 8, one after the other.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from regard.data.tokens.tokenizer import Bytes
    >>> from regard.data.tokens.token_file import write_tokens
    >>> made = write_tokens(Path(tempfile.mkdtemp()) / "t.tokens", Bytes(), ["to be or not to be, that is"])
    >>> windows = FileWindows(made, context=4, held=6)
    >>> [Bytes().decode(row) for row in windows.batch("train", 0, size=5, seed=1)[0]]
    ['to b', ' to ', ' not', 'e or', 'be, ']
    """

    file: TokenFile
    context: int
    "Tokens in a window."
    held: int
    "Tokens at the end that are held out."
    device: torch.device | None = None
    "Where the held-out tokens lie (none: in host memory); batches of the others come from the disk."

    def __post_init__(self) -> None:
        least = self.context + 1
        if self.context < 1 or min(self.held, self.file.count - self.held) < least:
            raise RegardError(
                "the token file is too short for its context",
                f"{self.file.count} tokens, {self.held} of them held out, in windows of {self.context}",
                f"{least} are the least of either; make a longer file, or take a shorter window",
            )

    @cached_property
    def splits(self) -> Mapping[str, Any]:
        """What there is to learn from, by its length alone, and the tokens that are held out."""
        return {TRAIN: range(self.file.count - self.held), HELD: self._held.splits[HELD]}

    def batch(self, split: str, index: int, *, size: int, seed: int) -> Pair:
        """Batch number `index` of a split: `size` windows and their targets."""
        if split != TRAIN:
            return self._held.batch(split, index, size=size, seed=seed)
        count = (self.file.count - self.held - 1) // self.context
        numbers = index * size + numpy.arange(size)
        starts = numpy.empty(size, numpy.int64)
        for epoch in numpy.unique(numbers // count).tolist():
            mine = numbers // count == epoch
            starts[mine] = Permutation(count, seed, epoch)(numbers[mine] % count) * self.context
        rows = self.file.rows(starts, self.context + 1)
        return rows[:, :-1], rows[:, 1:]

    def cover(self, split: str, *, size: int) -> Iterator[Pair]:
        """All that is held out, in windows that do not overlap."""
        return self._held.cover(split, size=size)

    @cached_property
    def _held(self) -> Windows:
        ids = self.file.read(self.file.count - self.held, self.file.count)
        return Windows({HELD: ids.to(self.device)}, self.context)
