"""A scrap of music as a graph: a note is a node, five relations join notes."""

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.data.formats.notes import Notes
from regard.shapes import Float, Int

RELATIONS = ("same onset", "during", "following", "after a rest", "same voice")
"What an edge can say, by the number it carries."
VOICES = 6
"Voices that are told apart; any lower one counts as the last."
FEATURES = 12 + 3 + VOICES
"How many numbers describe a note."


def relate(notes: Notes) -> tuple[Int[Tensor, " e"], Int[Tensor, " e"], Int[Tensor, " e"]]:
    """Source, target and relation of every edge; an edge leads from the earlier note to the later one.

    same onset    both start together; an edge each way
    during        the later one starts while the earlier one sounds
    following     the later one starts when the earlier one ends
    after a rest  the later one starts after that, and no note starts in between
    same voice    the later one is the next to start in the voice of the earlier one

    >>> scale = Notes(*(torch.tensor(row) for row in ([60, 62, 64], [0, 2, 5], [2, 2, 1], [0, 0, 0])))
    >>> source, target, relation = relate(scale)
    >>> [(int(a), RELATIONS[r], int(b)) for a, b, r in zip(source, target, relation)]
    [(0, 'following', 1), (1, 'after a rest', 2), (0, 'same voice', 1), (1, 'same voice', 2)]
    """
    onset, end = notes.onset[:, None], notes.end[:, None]
    later = notes.onset[None, :]
    others = ~torch.eye(len(notes), dtype=torch.bool)
    found = (
        (onset == later) & others,
        (onset < later) & (later < end),
        end == later,
        _next(notes.onset, end),
        _next(notes.onset, onset + 1, notes.voice[:, None] == notes.voice[None, :]),
    )
    found = (*found[:3], found[3] & ~found[2], found[4])
    relation, source, target = torch.stack(found).nonzero().unbind(1)
    return source, target, relation


def _next(onset: Tensor, after: Tensor, among: Tensor | None = None) -> Tensor:
    """For each row, the notes that are the first to start at `after` or later (among those that count)."""
    late = onset[None, :] >= after
    late = late if among is None else late & among
    never = torch.iinfo(onset.dtype).max
    first = torch.where(late, onset[None, :], never).amin(1, keepdim=True)
    return late & (onset[None, :] == first)


def describe(notes: Notes) -> Float[Tensor, "n f"]:
    """What is known of each note: pitch class (12 columns), octave, duration, onset, and voice (6 columns).

    The octave counts from the middle one; the duration is the logarithm to base 2 of its ratio to the scrap's
    median, since which note value gets the beat is the editor's choice; the onset runs from 0 to 1.
    """
    start = (notes.onset - notes.onset[0]).float()
    plain = (
        (notes.length.float() / notes.length.float().median()).log2() / 2,
        start / start.max().clamp(min=1.0),
    )
    voice = F.one_hot(notes.voice.clamp(max=VOICES - 1), VOICES).float()
    return torch.cat([describe_pitch(notes.pitch), torch.stack(plain, 1), voice], 1)


def describe_pitch(pitch: Int[Tensor, " n"]) -> Float[Tensor, "n f"]:
    """The first columns of `describe`, which depend on the pitch alone: its class and its octave."""
    return torch.cat([F.one_hot(pitch % 12, 12).float(), (pitch // 12 - 5).float().unsqueeze(1) / 2], 1)
