"""Search: which experiments speak of a word, in their question, method, claims or settings; sqrt finds √."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import combining, normalize

from regard.errors import RegardError, nearest
from regard.lab.experiment import Experiment
from regard.lab.settings import listing
from regard.theory.text import told

SIGNS = {
    "√": " sqrt ", "∑": " sum ", "σ": " sigma ", "μ": " mu ", "λ": " lambda ", "π": " pi ", "ε": " epsilon ",
    "φ": " phi ", "θ": " theta ", "α": " alpha ", "β": " beta ", "γ": " gamma ", "∞": " infinity ",
    "≤": " <= ", "≥": " >= ", "·": " ", "−": "-", "²": "2", "ᵀ": " transpose ",
}  # fmt: skip
"What a sign is typed as."
AROUND = 45
"Characters of a passage on each side of what was found."


@dataclass(frozen=True)
class Passage:
    """Where an experiment speaks of a word."""

    where: str
    "The part of the experiment: its question, a claim, a setting."
    text: str
    "The words around it."


@dataclass(frozen=True)
class Hit:
    """An experiment that speaks of what was asked for, and where."""

    experiment: Experiment
    passages: tuple[Passage, ...]


def search(words: str, experiments: Iterable[Experiment]) -> list[Hit]:
    """The experiments that speak of the words: side by side, or else all of them somewhere.

    Those whose name and question have more of the words come first.
    """
    asked = folded(words)
    if not asked:
        raise RegardError("there is nothing to search for", f"'{words}'", "give a word, such as softmax")
    parts = {one.name: list(_parts(one)) for one in experiments}
    hits = [_hit(one, parts[one.name], [asked]) for one in experiments]
    if not any(hits):
        hits = [_hit(one, parts[one.name], asked.split()) for one in experiments]
    found = [hit for hit in hits if hit is not None]
    if not found:
        known = {word for texts in parts.values() for _, text in texts for word in folded(text).split()}
        raise RegardError(
            "no experiment speaks of that",
            f"'{words}'",
            nearest(asked, known, "'regard list' shows them all"),
        )
    return sorted(found, key=lambda hit: -_asks(hit.experiment, asked.split()))


def folded(text: str) -> str:
    """A text as it is searched: small letters without marks, signs as words, one space between words.

    >>> folded("Why √d, and not σ²?"), folded("sqrt(d)"), folded("Veličković")
    ('why sqrt d and not sigma 2', 'sqrt d', 'velickovic')
    """
    for sign, name in SIGNS.items():
        text = text.replace(sign, name)
    plain = "".join(one for one in normalize("NFKD", text.casefold()) if not combining(one))
    return " ".join(re.findall(r"[^\W_]+", plain))


def _parts(one: Experiment) -> Iterator[tuple[str, str]]:
    """Each part of an experiment with its name, formulas as Unicode."""
    yield "name", one.name.replace("-", " ")
    yield "question", told(one.question)
    for name in ("method", "see", "correction"):
        yield name, told(getattr(one, name))
    for claim in one.claims:
        yield f"claim {claim.name}", told(f"{claim.name}: {claim.why} ({claim.source})")
    for preset in list(one.presets.values())[:1]:
        for name, _, said in listing(preset):
            yield f"setting {name}", f"{name}: {said}"


def _asks(one: Experiment, asked: list[str]) -> int:
    """How many of the words the name and the question of an experiment have."""
    return sum(_speaks(f"{one.name} {told(one.question)}", word) for word in asked)


def _speaks(text: str, words: str) -> bool:
    """Whether a text has the words; what is shorter than three letters must stand by itself."""
    return words in (folded(text).split() if len(words) < 3 else folded(text))


def _hit(one: Experiment, parts: list[tuple[str, str]], asked: list[str]) -> Hit | None:
    """The passages where an experiment speaks of all that is asked."""
    found = [(where, text, words) for where, text in parts for words in asked if _speaks(text, words)]
    if {words for _, _, words in found} != set(asked):
        return None
    seen = {where: Passage(where, _around(text, words)) for where, text, words in reversed(found)}
    return Hit(one, tuple(seen[where] for where, _ in parts if where in seen))


def _around(text: str, asked: str) -> str:
    """The part of a text around what was found in its folded form."""
    text = " ".join(text.split())
    # Folding changes lengths: the passage is where the folded beginning first holds the words.
    ends = (end for end in range(1, len(text) + 1) if asked in folded(text[:end]))
    end = next(ends, len(text))
    start = max(0, end - len(asked) - AROUND)
    stop = min(len(text), end + AROUND)
    start = text.rfind(" ", 0, start) + 1 if start else 0
    stop = len(text) if stop == len(text) else text.find(" ", stop) if " " in text[stop:] else len(text)
    return ("… " if start else "") + text[start:stop] + (" …" if stop < len(text) else "")
