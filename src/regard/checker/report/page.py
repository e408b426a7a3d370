"""The pages that explain a contract, its laws and its mistakes."""

from pathlib import Path

from regard.checker.contract import Contract
from regard.checker.contracts.table import named
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
    return sections[slug]


def _sections(contract: Contract) -> list[tuple[str, str]]:
    laws = "## laws\n" + "".join(f"\n* **{law.name}**: {law.says}" for law in contract.laws) + "\n"
    wrong = [
        (m.slug, f"## {m.slug}\n\nMistake: {m.cause}.\n\nRemedy: `{m.remedy}`\n") for m in contract.mistakes
    ]
    agreed = [
        (c.slug, f"## {c.slug}\n\nA convention, not a mistake: {c.says}.\n") for c in contract.conventions
    ]
    return [("laws", laws), *wrong, *agreed]
