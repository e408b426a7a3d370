"""Batches of windows from a text (data loader): each a pure function of its number, for exact resuming."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy
import torch
from torch import Tensor

from regard.arguments import MOST, check, check_fields, kinds, told
from regard.errors import RegardError, nearest
from regard.shapes import Int

Pair = tuple[Int[Tensor, "b n"], Int[Tensor, "b n"]]
"Inputs, and targets: the same windows, one token later."


@kinds
def cut(ids: Int[Tensor, " n"], shares: Mapping[str, float] | Mapping[str, int]) -> dict[str, Tensor]:
    """Consecutive parts of a text, by fractions that sum to 1 or by numbers of tokens; none overlap.

    >>> cut(torch.arange(5), {"train": 0.8, "validation": 0.2})
    {'train': tensor([0, 1, 2, 3]), 'validation': tensor([4])}
    """
    check_ids("cut", ids)
    check("cut", "shares", list(shares.values()), list[float])
    whole, total = len(ids), sum(shares.values())
    counted = all(type(share) is int for share in shares.values())
    sums = 0 < total <= whole if counted else abs(total - 1) < 1e-9
    if not shares or not sums or min(shares.values()) <= 0:
        raise RegardError(
            "the parts do not fit the text",
            f"{dict(shares)} of {whole} tokens",
            "pass fractions that sum to 1, or numbers of tokens that sum to no more than the text has",
        )
    # Rounding each end, not each length, leaves no gap; the small step forgives sums a hair below 1.
    ends = numpy.cumsum([0, *shares.values()]) * (1 if counted else whole) + 1e-6
    return {name: ids[int(a) : int(b)] for name, a, b in zip(shares, ends[:-1], ends[1:], strict=True)}


@dataclass(frozen=True)
class Windows:
    """Windows of `context` tokens, drawn with replacement from the splits of a text.

    Example number j of a split is the same in every batch that holds it: a batch of 16 is two batches of 8,
    one after the other.

    >>> windows = Windows({"train": torch.arange(50)}, context=4)
    >>> inputs, targets = windows.batch("train", 3, size=2, seed=7)
    >>> inputs.shape, torch.equal(targets, inputs + 1)
    (torch.Size([2, 4]), True)
    """

    splits: Mapping[str, Tensor]
    "The token ids of each split, by name."
    context: int
    "Tokens in a window."

    def __post_init__(self) -> None:
        check_fields(self)
        if self.context < 1:
            raise RegardError(
                "a window holds at least one token", f"context={self.context}", "pass a context of 1 or more"
            )
        for name, ids in self.splits.items():
            check_ids(f"Windows: {name}", ids)
            if len(ids) <= self.context:
                raise RegardError(
                    "the text is too short for its context",
                    f"{name} has {len(ids)} tokens, a window needs {self.context + 1}",
                    f"pass a context below {len(ids)}, or a longer text",
                )

    def batch(self, split: str, index: int, *, size: int, seed: int) -> Pair:
        """Batch number `index` of a split: `size` random windows and their targets."""
        ids = self._split(split)
        if not (type(index) is type(size) is type(seed) is int):
            for name, value in (("index", index), ("size", size), ("seed", seed)):
                check("Windows.batch", name, value, int)
        if index < 0 or not 1 <= size <= MOST or not 0 <= seed < 2**64:
            got = f"index={index}, size={size}, seed={seed}"
            raise RegardError(
                "no such batch", got, f"index >= 0, size from 1 to {MOST}, seed from 0 to 2**64 - 1"
            )
        starts = torch.from_numpy(_draw(split, index * size, size, seed) % (len(ids) - self.context))
        if starts.device != ids.device:  # pinned, so that a GPU fetches it while it computes
            pinned = starts.pin_memory() if ids.is_cuda else starts
            starts = pinned.to(ids.device, non_blocking=ids.is_cuda)
        rows = ids.unfold(0, self.context, 1)
        return rows[starts], rows[starts + 1]

    def cover(self, split: str, *, size: int) -> Iterator[Pair]:
        """The whole split in windows that do not overlap, at most `size` at a time.

        Each token but the first is a target once. The last window is the rest, shorter than the others and
        alone: weigh each batch by its number of targets.
        """
        check("Windows.cover", "size", size, int)
        if size < 1:
            raise RegardError("a batch holds at least one window", f"size={size}", "pass a size of 1 or more")
        ids = self._split(split)
        whole = (len(ids) - 1) // self.context * self.context
        inputs, targets = (ids[at : at + whole].view(-1, self.context) for at in (0, 1))
        yield from zip(inputs.split(size), targets.split(size), strict=True)
        if whole < len(ids) - 1:
            yield ids[None, whole:-1], ids[None, whole + 1 :]

    def _split(self, name: str) -> Tensor:
        if not isinstance(name, str) or name not in self.splits:
            fix = nearest(str(name), self.splits, f"one of {', '.join(self.splits)}")
            raise RegardError("no split of that name", told(name), fix)
        return self.splits[name]


def check_ids(owner: str, ids: object) -> None:
    """Raise where this is no text in token ids."""
    if not isinstance(ids, Tensor) or ids.dim() != 1 or ids.is_floating_point():
        raise RegardError(f"{owner} needs the token ids of a text", told(ids), "pass tokenizer.encode(text)")


def _draw(split: str, first: int, count: int, seed: int) -> numpy.ndarray:
    """Random numbers below 2**63, one for each example from `first` on, the same however they are asked for.

    Philox is a function of a counter: number j needs none of those before it. Each split has its own key.
    The remainder that follows favours low starts by less than a text's length in 2**63.
    """
    name = int.from_bytes(split.encode()[:8].ljust(8, b"\0"), "little")
    stream = numpy.random.Philox(key=numpy.array([seed, name], numpy.uint64)).advance(first)
    # One step of the counter makes four numbers; the first of each is taken.
    return (stream.random_raw(4 * count)[::4] >> numpy.uint64(1)).astype(numpy.int64)
