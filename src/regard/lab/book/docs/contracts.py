"""Pages of the checker: one for each contract, and one for each of its known mistakes."""

import ast
import re
from collections.abc import Iterator
from html import escape

from regard.checker.contract import Contract, Mistake
from regard.checker.contracts.table import CONTRACTS
from regard.checker.report.behaviour import BEHAVIOUR
from regard.checker.report.example import compared
from regard.checker.report.page import PAGES, marked, reason
from regard.lab.book.docs.guides import markdown, unbroken
from regard.lab.book.docs.picture import beside
from regard.lab.book.numerals import typeset
from regard.lab.book.report import capital, render, words
from regard.lab.book.site.page import Page, relative

PROSE = re.compile(
    r"[a-z]{2,},? [a-z]{2,}\b(?!\()"
    r"|\b(and|are|draw|first|for|from|no|not|of|on|once|one|or|over|take|the|then|use|with)\b"
)
"What a remedy holds that is a sentence, and not a line of code."
BRACKETS = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
CALL = re.compile(
    rf"((?:\.?[A-Za-z_][\w.]*|\(\w+ \* \w+\)\.\w+){BRACKETS}(?:\.\w+{BRACKETS})*(?: @ v\b)?"
    r"|\b[a-z_]+=(?:True|False|-?\d+)\b|\b[A-Za-z]+\.[A-Za-z_][\w.]*\w|\b\w+\[[^\]]*\]|\b[a-z]{2,}_\w*)"
)
"Code inside a sentence: a call, an argument with its value, a name with a dot, a bracket or an underscore."


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
    text = markdown(text, name)
    body = unbroken(render("contract.html", contract=one, name=name, text=text, lines=lines, path=path))
    return Page(path(one), _title(one), body, "checker", f"What {one.title} must do, and how it goes wrong.")


def _mistake(contract: Contract, mistake: Mistake) -> Page:
    seen = BEHAVIOUR.get(mistake.slug)
    example = None if seen else compared(contract, mistake)
    steps = {name for form in mistake.forms for name in form} | {mistake.slug}
    lines = list(marked(contract.name))
    body = render(
        "mistake.html",
        contract=contract,
        mistake=mistake,
        whole=not re.search(r": | \(", mistake.cause),
        reason=reason(contract.name, mistake.slug),
        seen=seen,
        example=example,
        picture=beside(example, heading(mistake)) if example else "",
        id=f"check-{contract.name}-{mistake.slug}-picture",
        steps=steps,
        lines=lines,
        pointed=any(marks & steps for _, marks in lines),
        remedy=remedy(mistake.remedy),
        path=path,
    )
    told = f"A known mistake of {contract.title}: {mistake.cause}."
    return Page(
        path(contract, mistake), heading(mistake), unbroken(body), "checker", told, parent=path(contract)
    )


def heading(mistake: Mistake) -> str:
    """What a mistake does, as the heading of its page: its sentence as far as the first colon or bracket.

    >>> heading(Mistake(slug="loops", cause="no loops are added: a node does not hear itself", remedy=""))
    'No loops are added'
    >>> heading(Mistake(slug="swapped", cause="the scores are k q^T", remedy=""))
    'The scores are k qᵀ'
    >>> heading(Mistake(slug="doubled", cause="the exponent is -4i/d instead of -2i/d", remedy=""))
    'The exponent is −4i/d instead of −2i/d'
    """
    said = typeset(capital(re.split(r": | \(", mistake.cause)[0]))
    said = said.replace("^T", "ᵀ").replace("^2", "²")
    return re.sub(r"(?<![^\s(])-(?=\w)|(?<=\s)-(?=\s)", "−", said)


def remedy(text: str) -> str:
    """A remedy as HTML: a line of code as code, a sentence as a sentence, with the code that it holds.

    >>> remedy("mask[:n, :n]"), remedy("take d from the last axis of q: q.size(-1)")
    ('<code>mask[:n, :n]</code>', 'Take d from the last axis of q: <code>q.size(-1)</code>.')
    """
    if not PROSE.search(text) or _is_code(text):
        return _code(text)
    said, sign, code = text.rpartition(": ")
    if not (sign and _is_code(code)):
        said, sign, code = text, "", ""
    # What begins with code or with a formula keeps its first letter.
    begins = CALL.match(said) or re.match(r"\w+ [^\w\s(]", said)
    pieces = [
        _code(one) if CALL.fullmatch(one) else _said(one)
        for one in CALL.split(said if begins else capital(said))
    ]
    return "".join(pieces) + sign + (_code(code) if code else "") + ("" if text.endswith("…") else ".")


def _said(text: str) -> str:
    """Words of a sentence, with the spaces around them."""
    if not (inside := text.strip()):
        return text
    before, _, after = text.partition(inside)
    return before + words(inside) + after


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _is_code(text: str) -> bool:
    """Whether a text is a line of Python, and more than a name."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return not text.isidentifier() and not re.search(r", not | and ", text)


def _title(contract: Contract) -> str:
    return capital(contract.title)
