"""Scores in Humdrum's **kern: one column a voice, one line an instant."""

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from regard.arguments import kinds
from regard.data.formats.notes import Notes, Sheet, Unreadable
from regard.errors import RegardError

SEMITONES = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
DURATION = re.compile(r"(\d{1,4})(?:%(\d{1,4}))?(\.{0,4})")
PITCH = re.compile(r"([a-gA-G])\1{0,5}")


@dataclass
class Spine:
    """A column: whether it holds notes, its voice, and the time it has come to."""

    kern: bool
    voice: int
    time: Fraction = Fraction(0)


@kinds
def read_kern(content: bytes) -> Notes:
    r"""The notes of a score in **kern; grace notes are left out, repeats are read once.

    >>> read_kern(b"**kern\n4c\n[8ee\n8ee]\n4r\n2B-\n*-\n").pitch
    tensor([60, 76, 58])
    """
    sheet, spines, voices = Sheet(), list[Spine](), count()
    try:
        for line in content.decode("latin-1").splitlines():
            if not line.strip() or line.startswith("!"):
                continue
            tokens = line.split("\t")
            if not spines:
                spines = [Spine(token == "**kern", next(voices)) for token in _exclusive(tokens)]
            elif len(tokens) != len(spines):
                raise Unreadable(f"{len(tokens)} columns where there are {len(spines)}")
            elif line.startswith("*"):
                spines = _regrouped(spines, tokens, voices)
            elif not line.startswith("="):
                for spine, token in zip(spines, tokens, strict=True):
                    if spine.kern and token != ".":
                        _sound(sheet, spine, token)
    except Unreadable as reason:
        raise RegardError(
            "this is no **kern score that can be read", str(reason), "name a score with **kern columns"
        ) from None
    return sheet.notes()


def _exclusive(tokens: list[str]) -> list[str]:
    if not all(token.startswith("**") for token in tokens):
        raise Unreadable(f"a line before the columns are named: {tokens[0][:40]!r}")
    return tokens


def _regrouped(spines: list[Spine], tokens: list[str], voices: "count[int]") -> list[Spine]:
    """The columns after a line of interpretations: split, joined or ended."""
    after: list[Spine] = []
    joining = False
    for spine, token in zip(spines, tokens, strict=True):
        if token in ("*+", "*x"):
            raise Unreadable(f"columns added or exchanged by {token!r}")
        if token == "*v" and joining:
            after[-1].time = max(after[-1].time, spine.time)
            continue
        joining = token == "*v"
        if token != "*-":
            after.append(spine)
        if token == "*^":
            after.append(Spine(spine.kern, next(voices), spine.time))
        if len(after) > 100:
            raise Unreadable("more than 100 columns")
    return after


def _sound(sheet: Sheet, spine: Spine, token: str) -> None:
    """Add the notes of one token; time goes on by the first of them."""
    lengths = []
    for part in token.split():
        if "q" in part.lower():
            continue
        lengths.append(_length(part) if DURATION.search(part) or not lengths else lengths[0])
        if "r" not in part:
            tied = ("_" in part or "]" in part, "_" in part or "[" in part)
            sheet.add(spine.voice, _pitch(part), spine.time, lengths[-1], part=spine.voice, tied=tied)
    spine.time += lengths[0] if lengths else 0


def _length(token: str) -> Fraction:
    """Quarter notes: 4 is one of them, 2. is three, 0 a breve of eight, 3%2 two thirds of a whole note."""
    found = DURATION.search(token)
    if not found:
        raise Unreadable(f"a note without a length: {token[:40]!r}")
    whole, share, dots = found.groups()
    if share is not None and not (int(whole) and int(share)):
        raise Unreadable(f"a note without a length: {token[:40]!r}")
    plain = Fraction(4 * int(share or 1), int(whole)) if int(whole) else Fraction(4 * 2 ** len(whole))
    return plain * (2 - Fraction(1, 2 ** len(dots)))


def _pitch(token: str) -> int:
    found = PITCH.search(token)
    if not found:
        raise Unreadable(f"a note without a pitch: {token[:40]!r}")
    letters = found[0]
    octave = 4 + len(letters) if letters.islower() else 5 - len(letters)
    return 12 * octave + SEMITONES[letters[0].lower()] + token.count("#") - token.count("-")
