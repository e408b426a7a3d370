"""Rows of a graph for a GPU: those with many entries are cut in pieces, one for each program."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from regard.core.edges import Side
from regard.shapes import Int

LONG = 512
"Entries of a row, or of a piece of one, that one program walks over."


@dataclass(frozen=True, eq=False)
class Pieces:
    """The rows of a side that have more than LONG entries, cut."""

    rows: Int[Tensor, " long"]
    "Which rows they are."
    first: Int[Tensor, " long_and_one"]
    "The pieces of the l-th of them are first[l] to first[l + 1]."
    row: Int[Tensor, " pieces"]
    "The row of each piece."
    begin: Int[Tensor, " pieces"]
    end: Int[Tensor, " pieces"]
    "Its entries."

    @property
    def count(self) -> int:
        """How many pieces there are."""
        return len(self.row)


_KNOWN: WeakKeyDictionary[Side, Pieces] = WeakKeyDictionary()


def pieces(side: Side) -> Pieces:
    """The pieces of a side, cut once.

    >>> side = Side(torch.tensor([0, 3, 3 + LONG + 1]), torch.zeros(LONG + 4, dtype=torch.long), None, 1)
    >>> cut = pieces(side)
    >>> cut.rows.tolist(), cut.first.tolist(), cut.begin.tolist(), cut.end.tolist()
    ([1], [0, 2], [3, 515], [515, 516])
    """
    if side not in _KNOWN:
        _KNOWN[side] = _cut(side)
    return _KNOWN[side]


def _cut(side: Side) -> Pieces:
    count = side.count
    rows = (count > LONG).nonzero().flatten()
    each = (count[rows] + LONG - 1) // LONG
    first = torch.cat([each.new_zeros(1), each.cumsum(0)])
    row = rows.repeat_interleave(each)
    inside = torch.arange(len(row), device=row.device) - first[:-1].repeat_interleave(each)
    begin = side.start[row] + inside * LONG
    return Pieces(rows, first, row, begin, torch.minimum(begin + LONG, side.start[row + 1]))
