"""The pages of the courses: what each assignment asks, in its order, with our answer and where it is."""

import re
from dataclasses import dataclass

from regard.claims import ClaimVerdict
from regard.lab.book.coverage import Item, ItemClaim
from regard.lab.book.replies import REPLIES
from regard.lab.book.report import render
from regard.lab.book.site.contents import BookContents, first_sentence, path, told_claims
from regard.lab.book.site.page import Page
from regard.lab.book.sources import SOURCES, Assignment

SETTLED = ("held", "failed")
NOT_RUN = ("not run", "run with changed settings only")


@dataclass(frozen=True)
class AnsweredItem:
    """A question of a course, and what this book answers."""

    item: Item
    said: str
    "The sentence that answers it; nothing where nothing was run."
    link: str
    "Where to read on: the claim that says so, or else the page of the experiment."
    claims: tuple[tuple[ItemClaim, str], ...] = ()
    "Every claim that helps to settle it, and where it stands in this book; nothing where it does not."
    quoted: ItemClaim | None = None
    "The claim whose sentence it is; nothing where the question is quoted no claim of its own."

    @property
    def state(self) -> str:
        """What came of the sentence here."""
        return self.quoted.here if self.quoted else self.item.state

    @property
    def recorded(self) -> str:
        """What came of the sentence in the recorded run."""
        return self.quoted.recorded if self.quoted else self.item.recorded

    @property
    def decided(self) -> list[tuple[ItemClaim, str]]:
        """The claims by which the question ends otherwise here than the sentence that is quoted."""
        return self._deciding(self.state, self.item.state, "here")

    @property
    def decided_by_record(self) -> list[tuple[ItemClaim, str]]:
        """The same, in the recorded run."""
        return self._deciding(self.recorded, self.item.recorded, "recorded")

    def _deciding(self, said: str, whole: str, where: str) -> list[tuple[ItemClaim, str]]:
        return [] if said == whole else [one for one in self.claims if getattr(one[0], where) == whole]


def course_path(source: Assignment) -> str:
    """Where the page of a course stands."""
    return f"courses/{source.word}.html"


def course_page(source: Assignment, contents: BookContents) -> Page:
    """The page of one course."""
    items = [one for one in contents.items if one.source == source.name]
    body = render(
        "course.html",
        source=source,
        answered=[answered(one, contents) for one in items],
        settled=sum(one.state in SETTLED for one in items),
        titles={name: contents.title(name) for one in items for name in one.answers},
    )
    title = f"{source.name}: {source.course}"
    return Page(course_path(source), title, body, "courses", " ".join(source.asks.split()))


def answered(item: Item, contents: BookContents) -> AnsweredItem:
    """A question with the sentence of the claim that answers it.

    What is settled comes before what is open, then what `REPLIES` names, what the experiment opens with, what
    settles fewest questions, what shares most words with this one, and what compares two variants.
    """
    run = contents.by_name.get(item.owner or "")
    if run is None:
        claims = tuple((one, "") for one in item.claims)
        return AnsweredItem(item, "", f"/{path(item.owner)}" if item.owner else "", claims)
    record = contents.records.get(run.name)
    told = told_claims(run, record)
    links = {one.verdict.claim.name: one.link for one in told}
    claims = tuple((one, links.get(one.name, "")) for one in item.claims)
    own = [one for one in told if item.item in one.verdict.claim.items]
    if not own:
        return AnsweredItem(item, first_sentence(run, record), f"/{path(run.name)}", claims)
    first = run.request.get("opens_with") or [run.verdicts[0].claim.name]
    compared = {one.name for one in run.compared}

    def rank(verdict: ClaimVerdict) -> tuple[bool, bool, bool, int, int, bool]:
        claim, is_open = verdict.claim, verdict.state not in SETTLED
        named, shared = REPLIES.get(item.item) == claim.name, _words(claim.name) & _words(item.text)
        later = claim.name not in first
        return is_open, not named, later, len(claim.items), -len(shared), claim.name not in compared

    best = min(own, key=lambda one: rank(one.verdict))
    quoted = next((one for one in item.claims if one.name == best.verdict.claim.name), None)
    return AnsweredItem(item, best.said, best.link, claims, quoted)


def _words(text: str) -> set[str]:
    """The words of a text that mean something by themselves.

    >>> sorted(_words("Attention on graphs"))
    ['attention', 'graph']
    """
    return {one.rstrip("s") for one in re.findall(r"\w{5,}", text.lower())}


def progress(contents: BookContents) -> list[tuple[Assignment, dict[str, int]]]:
    """How many questions of each course are held, failed, not settled and not run; some ask nothing."""
    found = []
    for source in SOURCES:
        states = [one.state for one in contents.items if one.source == source.name]
        asked = [one for one in states if one != "not applicable"]
        counts = {state: asked.count(state) for state in SETTLED}
        counts["not run"] = sum(one in NOT_RUN for one in asked)
        found.append((source, counts | {"not settled": len(asked) - sum(counts.values())}))
    return found
