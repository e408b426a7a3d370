"""The pages of the courses: what each assignment asks, in its order, with our answer and where it is."""

from dataclasses import dataclass

from regard.lab.book.coverage import Item, ItemClaim
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
    """A question with the sentence of the first claim that settles it."""
    run = contents.by_name.get(item.owner or "")
    if run is None:
        claims = tuple((one, "") for one in item.claims)
        return AnsweredItem(item, "", f"/{path(item.owner)}" if item.owner else "", claims)
    told = told_claims(run)
    links = {one.verdict.claim.name: one.link for one in told}
    claims = tuple((one, links.get(one.name, "")) for one in item.claims)
    own = [one for one in told if item.item in one.verdict.claim.items]
    if not own:
        return AnsweredItem(item, first_sentence(run), f"/{path(run.name)}", claims)
    best = next((one for one in own if one.verdict.state == item.state), own[0])
    return AnsweredItem(item, best.said, best.link, claims)


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
