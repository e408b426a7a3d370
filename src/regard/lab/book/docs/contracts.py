"""Pages of the checker: one for each contract, and one for each of its known mistakes."""

import re
from collections.abc import Iterator

from regard.checker.contract import Contract, Mistake
from regard.checker.contracts.table import CONTRACTS
from regard.checker.report.behaviour import BEHAVIOUR
from regard.checker.report.example import compared
from regard.checker.report.page import PAGES, marked, reason
from regard.lab.book.docs.guides import markdown
from regard.lab.book.docs.picture import beside
from regard.lab.book.report import capital, render
from regard.lab.book.site.page import Page, relative


def contracts() -> Iterator[Page]:
    """Each contract, followed by its mistakes."""
    for one in CONTRACTS:
        yield _contract(one)
        yield from (_mistake(one, mistake) for mistake in one.mistakes)


def explained(contract: str, slug: str = "") -> Page | None:
    """The page of a contract, or of one of its mistakes, by their names."""
    for one in CONTRACTS:
        if one.name == contract and not slug:
            return _contract(one)
        if one.name == contract:
            return next((_mistake(one, wrong) for wrong in one.mistakes if wrong.slug == slug), None)
    return None


def alone(page: Page) -> str:
    """A page of the checker as a file of its own, which leads to other such pages and nowhere else."""
    there = [path(one, wrong) for one in CONTRACTS for wrong in (None, *one.mistakes)]
    return relative(render("page.html", title=page.title, body=page.body), page.path, there)


def path(contract: Contract, mistake: Mistake | None = None) -> str:
    """Where a contract, or one of its mistakes, is explained."""
    return f"docs/check/{contract.name}{f'/{mistake.slug}' if mistake else ''}.html"


def _contract(one: Contract) -> Page:
    _, _, text = (PAGES / f"{one.name}.md").read_text(encoding="utf-8").partition("\n")
    name, lines = f"check-{one.name}", list(marked(one.name))
    body = render("contract.html", contract=one, name=name, text=markdown(text, name), lines=lines, path=path)
    return Page(path(one), _title(one), body, "checker", f"What {one.title} must do, and how it goes wrong.")


def _mistake(contract: Contract, mistake: Mistake) -> Page:
    seen = BEHAVIOUR.get(mistake.slug)
    example = None if seen else compared(contract, mistake)
    body = render(
        "mistake.html",
        contract=contract,
        mistake=mistake,
        whole=not re.search(r": | \(", mistake.cause),
        reason=reason(contract.name, mistake.slug),
        seen=seen,
        example=example,
        picture=beside(example) if example else "",
        id=f"check-{contract.name}-{mistake.slug}-picture",
        steps={name for form in mistake.forms for name in form} | {mistake.slug},
        lines=list(marked(contract.name)),
        path=path,
    )
    told = f"A known mistake of {contract.title}: {mistake.cause}."
    return Page(path(contract, mistake), heading(mistake), body, "checker", told, parent=path(contract))


def heading(mistake: Mistake) -> str:
    """What a mistake does, as the heading of its page: its sentence as far as the first colon or bracket.

    >>> heading(Mistake(slug="loops", cause="no loops are added: a node does not hear itself", remedy=""))
    'No loops are added'
    >>> heading(Mistake(slug="swapped", cause="the scores are k q^T", remedy=""))
    'The scores are k qᵀ'
    """
    said = capital(re.split(r": | \(", mistake.cause)[0])
    return said.replace("^T", "ᵀ").replace("^2", "²")


def _title(contract: Contract) -> str:
    return capital(contract.title)
