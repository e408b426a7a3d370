"""The pages that explain a contract, its laws and its mistakes."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from regard.checker.contract import Contract, Mistake
from regard.checker.contracts.table import named
from regard.checker.report.example import drawn
from regard.errors import RegardError, nearest

PAGES = Path(__file__).parent / "pages"


def page(reference: str) -> str:
    """The page of a contract, or one section of it: `causal-attention#scale-width`.

    >>> print(page("rms-norm#sum-for-mean").splitlines()[0])
    ## sum-for-mean
    """
    name, _, slug = reference.partition("#")
    contract = named(name)
    sections = dict(_sections(contract))
    if not slug:
        head = (PAGES / f"{contract.name}.md").read_text(encoding="utf-8")
        running = (PAGES / "running.md").read_text(encoding="utf-8")
        return "\n".join([head, *sections.values(), running])
    if slug not in sections:
        raise RegardError(
            "the page has no such section",
            repr(slug),
            nearest(slug, sections, f"one of {', '.join(sections)}"),
        )
    wrong = [mistake for mistake in contract.mistakes if mistake.slug == slug]
    return "\n".join(explained(contract, wrong[0])) if wrong else sections[slug]


def explained(contract: Contract, mistake: Mistake) -> Iterator[str]:
    """One mistake: what, why it is wrong, a small picture, the right lines with those that matter marked, where some do."""
    yield f"## {mistake.slug}\n"
    yield f"Mistake: {mistake.cause}.\n"
    yield f"Why it is wrong: {reason(contract.name, mistake.slug)}\n"
    if picture := list(drawn(contract, mistake)):
        yield from (f"Picture: {picture[0]}\n", *picture[1:], "")
    steps = {name for form in mistake.forms for name in form} | {mistake.slug}
    lines = list(marked(contract.name))
    told = " (those that matter here are marked)" if any(steps & marks for _, marks in lines) else ""
    yield f"The right lines{told}:\n"
    yield from (f"  {'>' if steps & marks else ' '} {line}" for line, marks in lines)
    yield f"\nRemedy: `{mistake.remedy}`\n"


@cache
def reasons() -> dict[str, str]:
    """Why each mistake is wrong, by its slug; by `contract#slug` where one contract has words of its own."""
    lines = (PAGES / "reasons.txt").read_text(encoding="utf-8").splitlines()
    return {slug: words.strip() for slug, _, words in (line.partition(":") for line in lines)}


def reason(contract: str, slug: str) -> str | None:
    """Why a mistake is wrong in a contract: in its own words where it has them; nothing for an unknown slug.

    >>> reason("gcn-layer", "root-missing") == reason("rms-norm", "root-missing")
    False
    """
    return reasons().get(f"{contract}#{slug}") or reasons().get(slug)


def marked(name: str) -> Iterator[tuple[str, set[str]]]:
    """The right program of a contract, line by line, each with the steps that it does."""
    text = (PAGES / "right.txt").read_text(encoding="utf-8")
    own = text.partition(f"[{name}]\n")[2].partition("\n[")[0]
    for line in own.splitlines():
        code, _, marks = line.partition("#:")
        yield code.rstrip(), set(marks.split())


def _sections(contract: Contract) -> list[tuple[str, str]]:
    laws = "## laws\n" + "".join(f"\n* **{law.name}**: {law.says}" for law in contract.laws) + "\n"
    wrong = [
        (m.slug, f"## {m.slug}\n\nMistake: {m.cause}.\n\nRemedy: `{m.remedy}`\n") for m in contract.mistakes
    ]
    agreed = [
        (c.slug, f"## {c.slug}\n\nA convention, not a mistake: {c.says}.\n") for c in contract.conventions
    ]
    return [("laws", laws), *wrong, *agreed]
