"""The report of a run, and the pages made of reports: one HTML file that needs nothing beside it."""

import html
import re
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from regard.lab.book.sources import questions
from regard.lab.book.style import inline
from regard.lab.events import Value
from regard.lab.statistics import Summary, summarise
from regard.lab.store.run import Run
from regard.theory.mathml import mathml

TEMPLATES = Path(__file__).with_name("templates")
SIGNS = {"held": "✓", "failed": "✗", "not settled": "–"}


@dataclass(frozen=True)
class ReportedNumber:
    """A measured quantity over its seeds, or the difference of two variants over paired seeds."""

    name: str
    summary: Summary
    what: str


def numbers(run: Run) -> list[ReportedNumber]:
    """What the run measured, curves aside: they are in the figures and in the CSV."""
    values: dict[str, list[float]] = {}
    for one in run.measured:
        if not one.at:
            values.setdefault(one.name, []).append(one.value)
    single = [ReportedNumber(name, summarise(found), _over(len(found))) for name, found in values.items()]
    return single + [
        ReportedNumber(one.name, one.difference, f"{one.labels[0]} minus {one.labels[1]}, paired")
        for one in run.compared
    ]


def _over(count: int) -> str:
    return "once" if count == 1 else f"over {count} seeds"


def curves(run: Run) -> list[tuple[str, int]]:
    """The name of each curve and how many points it has."""
    counts: dict[str, int] = {}
    for one in run.measured:
        if one.at:
            counts[one.name] = counts.get(one.name, 0) + 1
    return list(counts.items())


def short(value: Value) -> str:
    """A value as a person reads it.

    >>> short(0.123456), short(12345.6), short(3), short(None)
    ('0.1235', '1.235e+04', '3', '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if isfinite(value) else str(value)
    return str(value)


def prose(text: str) -> str:
    """Paragraphs and `code` of a plain text as HTML, everything else escaped.

    >>> prose("a < `b`")
    '<p>a &lt; <code>b</code></p>'
    """
    parts = re.split(r"\n\s*\n", text.strip())
    return "".join(f"<p>{words(part)}</p>" for part in parts if part)


def words(text: str) -> str:
    """One run of text as HTML: `code`, *stress*, $formulas$, [[sections]] of the book, indices (x_i) set low.

    >>> words("`a_b` and p_(i-j)")
    '<code>a_b</code> and p<sub>i-j</sub>'
    >>> words("*so* $a^2$")
    '<em>so</em> <math><msup><mi>a</mi><mn>2</mn></msup></math>'
    """
    pieces = re.split(r"(`[^`]*`|\$\$[^$]+\$\$|\$[^$]+\$|\[\[[\w-]+\]\])", " ".join(text.split()))
    return "".join(_piece(one) for one in pieces)


def _piece(text: str) -> str:
    if text.startswith("`"):
        return f"<code>{html.escape(text.strip('`'))}</code>"
    if text.startswith("[["):
        return f'<a href="#{text[2:-2]}"><code>{text[2:-2]}</code></a>'
    if text.startswith("$"):
        return mathml(text.strip("$"), display=text.startswith("$$"))
    return re.sub(r"(?<!\S)\*(\w[^*]*)\*(?!\w)", r"<em>\1</em>", _indexed(html.escape(text)))


def _indexed(text: str) -> str:
    low = re.sub(r"\b([A-Za-zα-ω])_\(([^)]{1,9})\)", r"\1<sub>\2</sub>", text)
    return re.sub(r"\b([A-Za-zα-ω])_([-−]?[A-Za-z0-9]{1,2})\b", r"\1<sub>\2</sub>", low)


def figure(run: Run, name: str) -> str:
    """A figure of the run, ready to stand in a page."""
    drawn = run.figure(name)
    if drawn is None:
        return "<p>The file of this figure is gone or damaged.</p>"
    return inline(drawn, f"{run.request['name']}-{name}")


def page(run: Run) -> str:
    """The run's report."""
    return render("report.html", run=run, title=run.request["name"])


def render(template: str, **values: Any) -> str:
    """A page from one of the templates."""
    return _templates().get_template(template).render(**values)


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    templates = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        autoescape=select_autoescape(["html"]),
    )  # fmt: skip
    templates.globals |= {
        "numbers": numbers,
        "curves": curves,
        "figure": figure,
        "questions": questions,
        "signs": SIGNS,
        "isfinite": isfinite,
    }
    templates.filters |= {"short": short, "prose": prose, "words": words}
    return templates
