"""Search: which experiments speak of a word, in their question, method, claims or settings; sqrt finds √."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from math import log
from unicodedata import combining, normalize

from regard.errors import RegardError
from regard.lab.experiment import Experiment
from regard.lab.settings import listing
from regard.theory.text import told

SIGNS = {
    "√": " sqrt ", "∑": " sum ", "σ": " sigma ", "μ": " mu ", "λ": " lambda ", "π": " pi ", "ε": " epsilon ",
    "φ": " phi ", "θ": " theta ", "α": " alpha ", "β": " beta ", "γ": " gamma ", "∞": " infinity ",
    "≤": " <= ", "≥": " >= ", "·": " ", "−": "-", "²": "2", "ᵀ": " transpose ",
}  # fmt: skip
"What a sign is typed as."
SQUARE_ROOT = re.compile(r"\bsquare roots?\b")
NEAR = 0.75
"How alike, from 0 to 1, a known word is that a person may have meant."
VOWEL = re.compile("[aeiouy]")
FORMAL = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be been but by can could did do does for from had happen happens has have help
        helps how i if in into is it its matter matters may me my need needs no not of on one or should so
        than that the their them then there these they this to us was we were what when where which who why
        will with work works would you your""",
    )
)
"Words that a question has whatever it asks."
PART = 0.5
"What a word counts that is found as a part of another, as a share."
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
    score: float = 0.0
    "What the words count that it speaks of, those of its name and question twice."
    all: bool = True
    "Whether it speaks of all of them, as whole words."
    together: int = 0
    "How often several of them stand side by side in it."


def search(words: str, experiments: Iterable[Experiment]) -> list[Hit]:
    """The experiments that speak of the words: side by side, else all of them, else those that count most.

    A word matches in any of its inflections, and the rarer it is the more it counts. Those whose name and
    question have more of the words come first; of equals those that have them side by side most often.
    """
    asked = folded(words)
    if not asked:
        raise RegardError("there is nothing to search for", f"'{words}'", "give a word, such as softmax")
    experiments = list(experiments)
    parts = {one.name: [(where, text, folded(text)) for where, text in _parts(one)] for one in experiments}
    phrase = [hit for one in experiments if (hit := _hit(one, parts[one.name], {asked: 1.0}, PART))]
    if phrase:
        return _ranked(phrase)
    single = list(dict.fromkeys(asked.split()))
    single = [word for word in single if word not in FORMAL] or single
    weights = {word: _rarity(word, parts.values()) for word in single}
    whole = sum(weights.values())
    found = [hit for one in experiments if (hit := _hit(one, parts[one.name], weights, whole / 2))]
    complete = [hit for hit in found if hit.all]
    if not found:
        known = {word for texts in parts.values() for _, _, text in texts for word in text.split()}
        raise RegardError("no experiment speaks of that", f"'{words}'", _meant(single, known))
    return _ranked(complete or found)


def _ranked(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, -hit.together))


def _rarity(word: str, everything: Iterable[list[tuple[str, str, str]]]) -> float:
    """What a word counts: the more, the fewer experiments speak of it."""
    everything = list(everything)
    speaking = sum(any(_place(text, word)[0] for _, _, text in texts) for texts in everything)
    return log((len(everything) + 1) / max(speaking, 0.5))


def _meant(words: list[str], known: set[str]) -> str:
    """The remedy for words that nobody speaks of: a known word that is a slip away from one of them."""
    for word in words:
        if close := get_close_matches(word, [one for one in known if one != word], n=1, cutoff=NEAR):
            return f"did you mean '{close[0]}'?"
    return "'regard list' shows them all"


def folded(text: str) -> str:
    """A text as it is searched: small letters without marks, signs as words, one space between words.

    >>> folded("Why √d, and not σ²?"), folded("Square root of d"), folded("Veličković")
    ('why sqrt d and not sigma 2', 'sqrt of d', 'velickovic')
    """
    for sign, name in SIGNS.items():
        text = text.replace(sign, name)
    plain = "".join(one for one in normalize("NFKD", text.casefold()) if not combining(one))
    plain = " ".join(re.findall(r"[^\W_]+", plain))
    return SQUARE_ROOT.sub("sqrt", plain)


def stem(word: str) -> str:
    """A word without plural s, -ed, -ing, the e that they swallow and the consonant that they double.

    >>> [stem(word) for word in ("overfitting", "scaling", "scale", "queries", "losses", "biases")]
    ['overfit', 'scal', 'scal', 'query', 'los', 'bias']
    >>> [stem(word) for word in ("string", "seed", "bias", "us", "batch", "batched", "norm", "5s")]
    ['string', 'seed', 'bias', 'us', 'batch', 'batch', 'norm', '5s']
    """
    before = ""
    while word != before:
        before, word = word, _shorter(word)
    return word


def _shorter(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if word.endswith("s") and word[-2] not in "aius":
        return word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and rest[-1] != "e" and VOWEL.search(rest):
            return rest
    if word.endswith("e") and len(word) > 4:
        return word[:-1]
    return word[:-1] if word[-1] == word[-2] and not VOWEL.match(word[-1]) else word


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


def _place(text: str, asked: str) -> tuple[str, bool]:
    """What of a folded text is asked for, and whether whole words are; ('', False) where nothing is.

    The words themselves, else their inflections, else a part of a word of three letters or more.

    >>> _place("it is overfit here", "overfitting"), _place("an experiment", "exp"), _place("a b", "bc")
    (('overfit', True), ('exp', False), ('', False))
    """
    if f" {asked} " in f" {text} ":
        return asked, True
    words, stems = text.split(), [stem(word) for word in asked.split()]
    known = [stem(word) for word in words]
    for at in range(len(words) - len(stems) + 1):
        if known[at] == stems[0] and known[at : at + len(stems)] == stems:
            return " ".join(words[at : at + len(stems)]), True
    return (asked, False) if len(asked) > 2 and asked in text else ("", False)


def _hit(
    one: Experiment, parts: list[tuple[str, str, str]], weights: dict[str, float], least: float
) -> Hit | None:
    """The passages where an experiment speaks of words that count for so much together, the best first."""
    passages: dict[str, tuple[float, str, str]] = {}
    spoken, opened = dict.fromkeys(weights, 0.0), dict.fromkeys(weights, 0.0)
    for where, text, plain in parts:
        counted: list[tuple[float, str]] = []
        for word, weight in weights.items():
            found, whole = _place(plain, word)
            if found:
                value = weight if whole else weight * PART
                counted.append((value, found))
                spoken[word] = max(spoken[word], value)
                if where in ("name", "question"):
                    opened[word] = max(opened[word], value)
        if counted:
            passages[where] = sum(value for value, _ in counted), text, max(counted)[1]
    if not passages or sum(spoken.values()) < least:
        return None
    best = sorted(passages, key=lambda where: -passages[where][0])
    shown = tuple(Passage(where, _around(*passages[where][1:])) for where in best)
    phrase = f" {' '.join(weights)} "
    together = sum(f" {plain} ".count(phrase) for _, _, plain in parts) if len(weights) > 1 else 0
    return Hit(one, shown, sum(spoken.values()) + sum(opened.values()), spoken == weights, together)


def _around(text: str, asked: str) -> str:
    """The part of a text around what was found in its folded form, whole words before parts of words."""
    text = " ".join(text.split())
    # Folding changes lengths: the passage is where the folded beginning first holds the words.
    ends = [at for at in range(1, len(text) + 1) if not text[at : at + 1].isalnum()]
    whole = (end for end in ends if f" {asked} " in f" {folded(text[:end])} ")
    part = (end for end in ends if asked in folded(text[:end]))
    end = next(whole, None) or next(part, len(text))
    start = max(0, end - len(asked) - AROUND)
    stop = min(len(text), end + AROUND)
    start = text.rfind(" ", 0, start) + 1 if start else 0
    stop = len(text) if stop == len(text) else text.find(" ", stop) if " " in text[stop:] else len(text)
    return ("… " if start else "") + text[start:stop] + (" …" if stop < len(text) else "")
