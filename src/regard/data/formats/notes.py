"""The notes of a score, whatever it was written in."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction

import torch
from torch import Tensor

from regard.shapes import Int

TICKS = 10_080
"Ticks of a quarter note: halves down to 1/32, thirds, fifths, sevenths and ninths of it are whole."
MOST = 200_000
"Notes that one score may have."
FINEST = 10**12
"The largest denominator of a time: what a score gets by with is far below, and beyond it sums get slow."


class Unreadable(Exception):
    """What is wrong with a score, in a few words; the reader adds what it was trying to read."""


@dataclass(frozen=True, eq=False)
class Notes:
    """Notes in order of onset, from high to low where they start together.

    >>> chord = Sheet()
    >>> for pitch in (60, 64, 67):
    ...     chord.add("piano", pitch, Fraction(0), Fraction(1, 2))
    >>> chord.notes().pitch, chord.notes().length
    (tensor([67, 64, 60]), tensor([5040, 5040, 5040]))
    """

    pitch: Int[Tensor, " n"]
    "The key of a piano: 60 is the middle C, one more is a semitone higher."
    onset: Int[Tensor, " n"]
    "When each starts, in ticks."
    length: Int[Tensor, " n"]
    "How long each sounds, in ticks."
    voice: Int[Tensor, " n"]
    "Who plays or sings it: 0 is the voice that is highest on average."

    def __len__(self) -> int:
        return len(self.pitch)

    def __getitem__(self, part: slice) -> "Notes":
        return Notes(self.pitch[part], self.onset[part], self.length[part], self.voice[part])

    @property
    def end(self) -> Int[Tensor, " n"]:
        """When each stops sounding."""
        return self.onset + self.length


@dataclass
class Sheet:
    """Notes as they are read; tied ones become one."""

    rows: list[tuple[int, Fraction, Fraction, Hashable]] = field(default_factory=list)
    "Pitch, onset, end and voice of each note."
    open: dict[tuple[Hashable, int], int] = field(default_factory=dict)
    "The rows that a tie leads out of, by part and pitch."

    def add(
        self,
        voice: Hashable,
        pitch: int,
        onset: Fraction,
        length: Fraction,
        *,
        part: Hashable = None,
        tied: tuple[bool, bool] = (False, False),
    ) -> None:
        """A note, and whether a tie leads into it and out of it."""
        end = onset + length
        if not 0 <= pitch <= 127 or length <= 0 or end.denominator > FINEST or end > 10**6:
            raise Unreadable(f"a note of pitch {pitch} and length {float(length):.6g}")
        into, out = tied
        row = self.open.pop((part, pitch), None) if into else None
        if row is not None and self.rows[row][2] == onset:
            self.rows[row] = (pitch, self.rows[row][1], end, self.rows[row][3])
        else:
            row = len(self.rows)
            self.rows.append((pitch, onset, end, voice))
        if out:
            self.open[part, pitch] = row
        if len(self.rows) > MOST:
            raise Unreadable(f"more than {MOST} notes")

    def notes(self) -> Notes:
        """All notes in order; ends that agree in the score agree in ticks."""
        sums: dict[Hashable, list[int]] = {}
        for pitch, _, _, voice in self.rows:
            sums.setdefault(voice, []).append(pitch)
        # A stable sort: voices that are equally high keep the order of the score.
        highest = sorted(sums, key=lambda voice: -sum(sums[voice]) / len(sums[voice]))
        rank = {voice: place for place, voice in enumerate(highest)}
        rows = sorted(
            (round(onset * TICKS), -pitch, rank[voice], round(end * TICKS))
            for pitch, onset, end, voice in self.rows
        )
        table = torch.tensor(rows, dtype=torch.int64).reshape(-1, 4)
        onset, low, voice, end = table.unbind(1)
        sounding = end > onset
        return Notes(-low[sounding], onset[sounding], (end - onset)[sounding], voice[sounding])
