"""The index of terms: what each term means, and the experiments that speak of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from regard.lab.book.report import render
from regard.lab.book.site.contents import BookContents, path
from regard.lab.book.site.glossary import GLOSSARY
from regard.lab.book.site.page import Page
from regard.lab.store.run import Run

MOST = 4
"Of so many experiments that speak of a term, those that do so most often are named."


@dataclass(frozen=True)
class Term:
    """A term of the field."""

    name: str
    also: tuple[str, ...]
    "Other words by which the texts call it."
    meaning: str
    beside: tuple[str, ...] = ()
    "Words of which some stand in a text that means it, where its name has another meaning too."

    @property
    def anchor(self) -> str:
        return "term-" + re.sub(r"\W+", "-", self.name.lower()).strip("-")

    def count(self, text: str) -> int:
        """How often a text speaks of it."""
        if self.beside and not any(_found(word).search(text) for word in self.beside):
            return 0
        return sum(len(_found(word).findall(text)) for word in (self.name, *self.also))


def _found(word: str) -> re.Pattern[str]:
    # A name in capitals, such as EM, is meant in capitals only.
    manner = 0 if word.isupper() else re.IGNORECASE
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", manner)


def terms() -> Iterator[Term]:
    """All terms, in the order of the alphabet."""
    for line in GLOSSARY.splitlines():
        words, meaning, *beside = line.split(" | ")
        name, *also = words.split(", ")
        yield Term(name, tuple(also), meaning, tuple(one for part in beside for one in part.split(", ")))


def terms_page(contents: BookContents) -> Page:
    """The terms of which some experiment of the book speaks, on one page."""
    texts = [(run, _text(run)) for _, group in contents.chapters for run in group]
    listed = []
    for term in terms():
        counts = [(run, term.count(text)) for run, text in texts]
        spoken = sorted((one for one in counts if one[1]), key=lambda one: -one[1])[:MOST]
        if spoken:
            listed.append((term, [(contents.title(run.name), f"/{path(run.name)}") for run, _ in spoken]))
    body = render("terms.html", listed=listed)
    return Page("terms.html", "Index of terms", body, "book", "What each term means, and where it is used.")


def _text(run: Run) -> str:
    request = run.request
    claims = [f"{one['name']} {one['why']}" for one in request["claims"]]
    return " ".join([request["question"], request["method"], request["see"], *claims])
