"""Scores of six composers, each told which work it belongs to, and scraps of them."""

import hashlib
import io
import re
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from itertools import zip_longest
from pathlib import Path

import numpy
import torch

from regard.data.fetch.archive import read_members
from regard.data.fetch.catalogue import entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.folders import cache_folder
from regard.data.fetch.web import Patience, Progress
from regard.data.formats.kern import read_kern
from regard.data.formats.musicxml import read_musicxml
from regard.data.formats.notes import Notes
from regard.errors import RegardError
from regard.files import write


@dataclass(frozen=True)
class Shelf:
    """Where the scores of a composer stand, and what tells their works apart."""

    composer: str
    names: str
    "The pattern of the scores' names below the corpus."
    work: str
    "What to look for in a name, or in the score itself where it starts with '!!!': the work it belongs to."


SHELVES = (
    Shelf("Bach", "bach/bwv*.mxl", r"bwv\d+"),
    Shelf("Beethoven", "beethoven/*.mxl", r"opus\d+(no\d+)?"),
    Shelf("Ciconia", "trecento/PMFC_24_*.xml", r"PMFC_24_\d+"),
    Shelf("Monteverdi", "monteverdi/madrigal.*[0-9].mxl", r"madrigal\.\d\.\d+"),
    Shelf("Mozart", "mozart/*.mxl", r"k\d+"),
    Shelf("Palestrina", "palestrina/*.krn", r"!!!OPR:[^\r\n]+"),
)
"""The composers with at least five works in MusicXML or **kern: a chorale belongs to its cantata, a movement
to its quartet, a section to its mass. Folk tunes have no composer, and Josquin is there in ABC alone."""
COMPOSERS = tuple(shelf.composer for shelf in SHELVES)
"Their names, in alphabetical order: a label is a place in this list."


@dataclass(frozen=True, eq=False)
class Score:
    """A score: whose it is, the work it belongs to, its name in the corpus, and its notes."""

    composer: str
    work: str
    name: str
    notes: Notes


@dataclass(frozen=True, eq=False)
class Scrap:
    """A few successive notes of a score: all that is left of it on one piece of paper."""

    composer: str
    work: str
    name: str
    notes: Notes


def load_scores(
    files: int | None = None, *, patience: Patience | None = None, progress: Progress | None = None
) -> list[Score]:
    """Scores of the six composers: all, or `files`, as many of each, from as many works as possible."""
    if files is not None and files < len(SHELVES):
        raise RegardError("every composer needs a score", f"files={files}", f"files={len(SHELVES)} or more")
    path = fetch_file(entry("music"), patience=patience, progress=progress)
    below = "music21/corpus/"
    members = read_members(path, tuple(below + shelf.names for shelf in SHELVES))
    contents = {name.removeprefix(below): content for name, content in members.items()}
    scores = []
    for shelf in SHELVES:
        folder = shelf.names.partition("/")[0] + "/"
        works = {name: _work(shelf, name, contents[name]) for name in contents if name.startswith(folder)}
        most = len(works) if files is None else files // len(SHELVES)
        scores += [
            Score(shelf.composer, works[name], name, _notes(name, contents[name]))
            for name in choose(works, most)
        ]
    return scores


def choose(works: dict[str, str], most: int) -> list[str]:
    """At most so many names, one of each work before a second of any; of too many works, spread over all.

    >>> choose({"a1": "a", "a2": "a", "b1": "b", "c1": "c"}, 2)
    ['a1', 'b1']
    >>> choose({"a1": "a", "a2": "a", "a3": "a", "b1": "b"}, 3)
    ['a1', 'b1', 'a2']
    """
    by_work: dict[str, list[str]] = {}
    for name in sorted(works):
        by_work.setdefault(works[name], []).append(name)
    # Each work starts from another of its parts: the first by name would be the same movement of every mass.
    rounds = zip_longest(*(_turned(by_work[work], place) for place, work in enumerate(sorted(by_work))))
    names = [name for one in rounds for name in one if name is not None]
    first = names[: max(most, len(by_work))]
    return [first[place * len(first) // most] for place in range(most)] if most < len(first) else first


def _turned(names: list[str], by: int) -> list[str]:
    first = by % len(names)
    return names[first:] + names[:first]


def shred(score: Score, *, notes: int = 50, most: int | None = None) -> list[Scrap]:
    """Scraps of `notes` successive notes, which do not overlap; at most `most`, spread over the score."""
    starts: Sequence[int] = range(0, len(score.notes) - notes + 1, notes)
    if most is not None and len(starts) > most:
        starts = [starts[place * len(starts) // most] for place in range(most)]
    return [
        Scrap(score.composer, score.work, score.name, score.notes[start : start + notes]) for start in starts
    ]


def _work(shelf: Shelf, name: str, content: bytes) -> str:
    text = content.decode("latin-1") if shelf.work.startswith("!!!") else name
    found = re.search(shelf.work, text)
    return found[0].removeprefix("!!!OPR:").strip() if found else name


def _notes(name: str, content: bytes) -> Notes:
    """The notes of a score, parsed once: after that, from the cache."""
    kept = cache_folder() / "notes" / _readers() / f"{hashlib.sha256(content).hexdigest()[:32]}.npz"
    with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError):
        return _unpack(kept)
    notes = read_kern(content) if name.endswith(".krn") else read_musicxml(content)
    # A cache that cannot be written costs time, nothing else.
    with suppress(OSError, RegardError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write(kept, _pack(notes))
    return notes


def _readers() -> str:
    """A name for the readers as they are: other code, other notes."""
    names = ("kern.py", "notes.py", "musicxml.py")
    sources = (resources.files("regard.data.formats").joinpath(name).read_bytes() for name in names)
    return hashlib.sha256(b"".join(sources)).hexdigest()[:16]


def _pack(notes: Notes) -> bytes:
    buffer = io.BytesIO()
    columns = (notes.pitch, notes.onset, notes.length, notes.voice)
    numpy.savez_compressed(buffer, notes=torch.stack(columns).numpy())
    return buffer.getvalue()


def _unpack(path: Path) -> Notes:
    with numpy.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as kept:
        table = kept["notes"]
    if table.dtype != numpy.int64 or table.ndim != 2 or table.shape[0] != 4:
        raise ValueError("not the notes of a score")
    return Notes(*torch.from_numpy(table).unbind(0))
