"""The report of a run, and the pages made of reports: one HTML file that needs nothing beside it."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from regard.lab.answer import summaries
from regard.lab.book.ideas import idea_and_method
from regard.lab.book.leads import figure_names
from regard.lab.book.numerals import is_number, shown, typeset
from regard.lab.book.provenance import command, provenance
from regard.lab.book.sentences import answer, claim_sentence, number_named, settled_by_record
from regard.lab.book.site.page import relative
from regard.lab.book.sources import asked
from regard.lab.book.svg import inlined, is_fixed, share_glyphs, smallest_letter, width
from regard.lab.book.trials import settings, trials
from regard.lab.events import TableEvent, Value
from regard.lab.experiment import FOUND, is_of_original, not_asked
from regard.lab.statistics import Summary
from regard.lab.store.run import Run
from regard.theory.mathml import mathml

TEMPLATES = Path(__file__).with_name("templates")
SIGNS = {"held": "✓", "failed": "✗", "not settled": "–"}
WIDE = 440.0
"Points of width above which a figure is not scaled down to the width of a phone."
BROAD = 600.0
"Points of width above which a figure is drawn beyond the column of text where the screen has room."
COLUMN, LEGIBLE = 672.0, 9.5
"Pixels: the column of text, and letters that are smaller in it, which make a figure reach beyond it too."
READABLE = 9.0
"Pixels that the smallest letters of a figure have at least on a phone, where it scrolls sideways for that."
WHITE = re.compile(r"\bwhite\b")
SENTENCES = re.compile(r"[^|]{20,}[.!?]")
"A line that is one sentence or several."
WORDY, LENGTHY = 30, 14
"Letters: a cell that has more needs room to be read, and so does the heading of a column."
SYMBOL = re.compile(r"(?!a )\w(?:[₀-₉₊₋]|(?![\w'’]))|\w+[(_^]")
"A text that begins with a symbol of one letter, or with code."
LOW = re.compile(
    r"(?<![a-z]{2})(?<=[A-Za-zα-ωΑ-Ω∑)\]²³¹ᵀ'])_"
    r"(?:\(([^()]{1,9})\)|(max|min|[-−]?[A-Za-z]{1,2}|[-−]?\d{1,2})(?![a-z0-9_]))"
)
HIGH = re.compile(
    r"(?<=[\w)\]|>'])\^(?:\(([^()]{1,12})\)|([-−]?(?:\d+(?:/\d+)?|[A-Za-z]{1,9}))(?![A-Za-z0-9]))"
)
"Indices and exponents of a plain text: of one letter, a bracket, or a word of a formula."


@dataclass(frozen=True)
class ReportedNumber:
    """A measured quantity over its seeds or folds, or the difference of two variants over paired seeds."""

    name: str
    summary: Summary
    what: str


def numbers(run: Run) -> list[ReportedNumber]:
    """What the run measured, curves aside: they are in the figures and in the CSV."""
    pairs = {one.name: f"{one.labels[0]} minus {one.labels[1]}, paired" for one in run.compared}
    return [
        ReportedNumber(name, found, pairs.get(name) or _over(found.count))
        for name, found in summaries(run).items()
    ]


def _over(count: int) -> str:
    return "once" if count == 1 else f"mean of {count}"


def curves(run: Run) -> list[tuple[str, int]]:
    """The name of each curve and how many points it has."""
    counts: dict[str, int] = {}
    for one in run.measured:
        if one.at:
            counts[one.name] = counts.get(one.name, 0) + 1
    return list(counts.items())


def filled(table: TableEvent) -> TableEvent:
    """A table without the columns in which no row has anything.

    >>> filled(TableEvent("tosses", ("coin", "heads", "note"), [("mine", 3, "")], "")).columns
    ('coin', 'heads')
    """
    kept = [
        place
        for place, column in enumerate(zip(*table.rows, strict=True))
        if any(one not in (None, "") for one in column)
    ]
    return (
        replace(
            table,
            columns=tuple(table.columns[place] for place in kept),
            rows=[tuple(row[place] for place in kept) for row in table.rows],
        )
        if table.rows
        else table
    )


def columns(table: TableEvent) -> list[bool]:
    """Of each column of a table, whether it holds numbers."""
    return [all(is_number(one) for one in column) for column in zip(*table.rows, strict=True)]


def wordy(table: TableEvent) -> list[bool]:
    """Of each column of a table, whether it holds sentences, which must not be squeezed."""
    return [
        any(isinstance(one, str) and len(one) > WORDY for one in column)
        for column in zip(*table.rows, strict=True)
    ]


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


def paragraphs(text: str) -> list[str]:
    """The lines of a text in which each is a sentence; none where they are lines of something else.

    >>> paragraphs("It rains and it pours.\\nThen it stops for good."), paragraphs("to be\\nor not")
    (['It rains and it pours.', 'Then it stops for good.'], [])
    """
    lines = [one.strip() for one in text.strip().splitlines() if one.strip()]
    return lines if all(SENTENCES.fullmatch(one) for one in lines) else []


def spoken(seconds: float) -> str:
    """A time as a person says it.

    >>> spoken(0.36), spoken(42.3), spoken(400), spoken(9000)
    ('0.4 s', '42 s', '7 minutes', '2.5 hours')
    """
    if seconds < 0.1:
        return "under 0.1 s"
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 2 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def words(text: str) -> str:
    """One run of text as HTML: `code`, *stress*, $formulas$, [[experiments]] of the book, indices set low.

    >>> words("`a_b` and p_(i-j), D^-1/2")
    '<code>a_b</code> and p<sub>i−j</sub>, D<sup>−1/2</sup>'
    >>> words("*so* $a^2$")
    '<em>so</em> <math><msup><mi>a</mi><mn>2</mn></msup></math>'
    """
    pieces = re.split(r"(`[^`]*`|\$\$[^$]+\$\$|\$[^$]+\$|\[\[[\w-]+\]\])", " ".join(text.split()))
    return "".join(_piece(one) for one in pieces)


def _piece(text: str) -> str:
    if text.startswith("`"):
        return f"<code>{html.escape(text.strip('`'))}</code>"
    if text.startswith("[["):
        return f'<a href="/experiments/{text[2:-2]}.html"><code>{text[2:-2]}</code></a>'
    if text.startswith("$"):
        return _formula(text.strip("$"), display=text.startswith("$$"))
    return re.sub(r"(?<!\S)\*(\w[^*]*)\*(?!\w)", r"<em>\1</em>", _indexed(html.escape(typeset(text))))


def _formula(text: str, *, display: bool) -> str:
    """A formula; on display, in a box of its own that scrolls where a narrow screen cannot hold it."""
    made = mathml(text, display=display)
    return f'<span class="formula">{made}</span>' if display else made


def _indexed(text: str) -> str:
    low = LOW.sub(lambda found: f"<sub>{_signed(found)}</sub>", text)
    return HIGH.sub(lambda found: f"<sup>{_signed(found)}</sup>", low)


def _signed(found: re.Match[str]) -> str:
    return (found[1] or found[2]).replace("-", "−")


@dataclass(frozen=True)
class ShownFigure:
    """A figure of a run as a page shows it."""

    id: str
    caption: str
    drawing: str
    "Its SVG; nothing where the file is gone or damaged."
    fixed: bool = False
    "Whether it keeps the colours it was drawn in, on a white ground, whatever the theme."
    wide: bool = False
    "Whether a narrow screen would make its letters too small, so that it scrolls sideways there."
    broad: bool = False
    "Whether the column of text would make them too small, so that it reaches beyond it where there is room."
    least: int = 0
    "Pixels of width below which its letters could not be read."


def figures(run: Run) -> list[ShownFigure]:
    """The figures of a run, the leading one first and the others in the order in which they were drawn."""
    return [shown_figure(run, name, capital(caption)) for name, caption in figure_names(run).items()]


def shown_figure(run: Run, name: str, caption: str, prefix: str = "") -> ShownFigure:
    """A figure with an id of its own; a prefix lets it stand on a second page."""
    place = prefix + figure_id(run.request["name"], name)
    svg = run.figure(name)
    if svg is None:
        return ShownFigure(place, caption, "")
    across, letter = width(svg), smallest_letter(svg)
    # What the caption calls white is the ground.
    fixed = is_fixed(svg) or bool(WHITE.search(caption))
    return ShownFigure(
        place,
        caption,
        inlined(svg, place, fixed=fixed),
        fixed,
        wide=across > WIDE,
        broad=across > BROAD or letter * COLUMN < LEGIBLE * across,
        least=round(across * READABLE / letter) if letter else 0,
    )


def capital(text: str) -> str:
    """A text that begins as a sentence does; a symbol or code at its beginning stays as it is.

    >>> capital("digits: accuracy"), capital("x @ W maps"), capital("a map"), capital("f₁₁ = h₀₀ g₁₁")
    ('Digits: accuracy', 'x @ W maps', 'A map', 'f₁₁ = h₀₀ g₁₁')
    >>> capital("exp(0) is 1")
    'exp(0) is 1'
    """
    return text if SYMBOL.match(text) else text[:1].upper() + text[1:]


def slug(text: str) -> str:
    """A text as a part of an id.

    >>> slug("GCN: test accuracy, %")
    'gcn-test-accuracy'
    """
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-") or "sign"


def slugs(run: Run) -> dict[str, str]:
    """The id of each claim of a run, by the claim's name."""
    return claim_ids(run.request["name"], [one.claim.name for one in run.verdicts])


def claim_ids(experiment: str, claims: Iterable[str]) -> dict[str, str]:
    """The id of each claim of an experiment; names that are alike but for their signs are counted.

    >>> list(claim_ids("coin", ["heads, %", "heads"]).values())
    ['coin-claim-heads', 'coin-claim-heads--2']
    """
    made: dict[str, str] = {}
    for name in claims:
        base = f"{experiment}-claim-{slug(name)}"
        same = sum(other == base or other.startswith(f"{base}--") for other in made.values())
        made[name] = f"{base}--{same + 1}" if same else base
    return made


def figure_id(experiment: str, name: str) -> str:
    """The id of a figure of an experiment.

    >>> figure_id("coin", "all tosses")
    'coin-figure-all-tosses'
    """
    return f"{experiment}-figure-{slug(name)}"


def page(run: Run) -> str:
    """The run's report: one file, in which other pages are named without a link."""
    title = run.request.get("title") or run.request["question"]
    text = render("report.html", run=run, title=title)
    return relative(share_glyphs(text), "report.html", ())


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
        "capital": capital,
        "columns": columns,
        "filled": filled,
        "wordy": wordy,
        "lengthy": LENGTHY,
        "paragraphs": paragraphs,
        "numbers": numbers,
        "answer": answer,
        "found_own": FOUND,
        "claim_sentence": claim_sentence,
        "number_named": number_named,
        "not_asked": not_asked,
        "settled_by_record": settled_by_record,
        "settings": settings,
        "trials": trials,
        "idea_and_method": idea_and_method,
        "spoken": spoken,
        "curves": curves,
        "figures": figures,
        "slugs": slugs,
        "command": command,
        "provenance": provenance,
        "asked": asked,
        "signs": SIGNS,
        "isfinite": isfinite,
    }
    templates.tests["of_original"] = is_of_original
    templates.filters |= {"short": shown, "prose": prose, "words": words, "typeset": typeset}
    return templates
