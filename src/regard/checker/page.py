"""The pages that explain: a contract, its laws, its mistakes; and a report as HTML for a notebook."""

from html import escape
from pathlib import Path

from regard.checker.contract import Contract
from regard.checker.contracts.table import named
from regard.checker.terminal import clean
from regard.checker.verdict import Finding, Report, Verdict
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


def html(report: Report) -> str:
    """A report for a notebook: everything that may come from a person's code is escaped."""
    return "".join(_verdict(verdict, report) for verdict in report.verdicts)


def _verdict(verdict: Verdict, report: Report) -> str:
    colour = {"correct": "#1a7f37", "mistake": "#b42318", "undecided": "#8a6100"}[verdict.state]
    head = (
        f"<b style='color:{colour}'>{verdict.state}</b> {_safe(verdict.member)} as {_safe(verdict.contract)}"
    )
    shown = [f for f in verdict.findings if f.kind in ("mistake", "unknown", "stopped")]
    told = (
        "".join(_hint(f) if report.level == "hint" else _finding(f) for f in shown)
        or f"<p>{_safe(verdict.sentence)}</p>"
    )
    rest = "".join(
        f"<p><i>{f.kind}</i>: {_safe(f.sentence)}</p>"
        for f in verdict.findings
        if f.kind in ("convention", "note")
    )
    notes = "".join(f"<div><small>{_safe(note)}</small></div>" for note in verdict.notes)
    return f"<div>{head}{told}{'' if report.level == 'hint' else rest + notes}</div>"


def _hint(finding: Finding) -> str:
    return f"<p>this must hold and does not: {_safe(finding.law or 'it runs to its end')}</p>"


def _finding(finding: Finding) -> str:
    evidence = "".join(f"<li>{_safe(words)}</li>" for words in finding.evidence)
    place = (
        f"<div>look at line {finding.place.line}: <code>{_safe(finding.place.text)}</code></div>"
        if finding.place
        else ""
    )
    return f"<p><b>{_safe(finding.slug)}</b>: {_safe(finding.sentence)}</p><ul>{evidence}</ul>{place}<div>fix: {_safe(finding.remedy)}</div>"


def _safe(words: str) -> str:
    return escape(clean(words))
