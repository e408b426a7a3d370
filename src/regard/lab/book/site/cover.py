"""The cover: what the lab found, in one screen: claims by chapter, findings to read first, courses."""

from dataclasses import dataclass

from regard.lab.book.leads import figure_names
from regard.lab.book.report import render
from regard.lab.book.site.contents import BookContents, first_sentence, path
from regard.lab.book.site.courses import course_path, progress
from regard.lab.book.site.layout import SECTIONS
from regard.lab.book.site.page import Page
from regard.lab.book.thumbnail import Thumbnail, thumbnail
from regard.lab.store.run import Run

FINDINGS = ("scaled-dot-product", "padding", "positions", "unet", "karate", "cora", "uniform-mixture")
"The experiments to read first, in an order that fills four columns of one screen evenly."


@dataclass(frozen=True)
class CoverFinding:
    """A finding on the cover."""

    title: str
    link: str
    said: str
    caption: str
    chart: Thumbnail | None


def cover(contents: BookContents) -> Page:
    """The first page."""
    rows = [
        (SECTIONS[chapter], group, contents.counts(group), contents.recorded(group))
        for chapter, group in contents.chapters
    ]
    courses = progress(contents)
    body = render(
        "cover.html",
        contents=contents,
        rows=rows,
        counts=contents.counts(contents.runs),
        recorded=contents.recorded(contents.runs),
        seconds=sum(run.result["seconds"] or 0.0 for run in contents.runs),
        findings=[finding(name, contents) for name in FINDINGS if name in contents.by_name],
        courses=[(source, f"/{course_path(source)}", counts) for source, counts in courses],
        left_out=any(counts["not run"] for _, counts in courses),
    )
    return Page("index.html", "The lab book", body, "book", "What the lab found, by chapter and by course.")


def finding(name: str, contents: BookContents) -> CoverFinding:
    """An experiment as the cover tells it: title, the first sentence of its answer, one figure."""
    run = contents.by_name[name]
    caption, chart = _chart(run, f"cover-{name}")
    return CoverFinding(
        contents.title(name),
        f"/{path(name)}",
        first_sentence(run, contents.records.get(name)),
        caption,
        chart,
    )


def _chart(run: Run, name: str) -> tuple[str, Thumbnail | None]:
    """The first figure that says at this size what it shows, else the leading one; and its caption."""
    figures = figure_names(run)
    drawn = {one: svg for one in figures if (svg := run.figure(one))}
    made = [(figures[one], chart) for one, svg in drawn.items() if (chart := thumbnail(svg, name))]
    told = [one for one in made if one[1].above or one[1].below]
    return next(iter([*told, *made]), ("", None))
