"""A verdict as HTML, for a notebook."""

from html import escape

from regard.checker.report.terminal import clean, is_said, rest
from regard.checker.report.verdict import Finding, Verdict


def html(verdict: Verdict, level: str) -> str:
    """A verdict for a notebook: everything that may come from a person's code is escaped."""
    colour = {"correct": "#1a7f37", "mistake": "#b42318", "undecided": "#8a6100"}[verdict.state]
    head = f"<b style='color:{colour}'>{_safe(verdict.head)}</b> {_safe(verdict.member)} as {_safe(verdict.contract)}"
    shown = [f for f in verdict.findings if f.kind in ("mistake", "unknown", "stopped")]
    told = (
        "".join(_hint(f) if level == "hint" else _finding(f) for f in shown)
        or f"<p>{_safe(rest(verdict))}</p>"
    )
    others = "".join(
        f"<p><i>{f.kind}</i>: {_safe(f.sentence)}</p>"
        for f in verdict.findings
        if f.kind in ("convention", "note", "weak") and not is_said(f, verdict)
    )
    notes = "".join(f"<div><small>{_safe(note)}</small></div>" for note in verdict.notes)
    return f"<div>{head}{told}{'' if level == 'hint' else others + notes}</div>"


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
