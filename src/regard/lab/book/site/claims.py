"""The index of claims: every claim by chapter and experiment, what came of it, and the link to it."""

from regard.lab.book.report import render
from regard.lab.book.site.contents import BookContents, path, told_claims
from regard.lab.book.site.layout import SECTIONS
from regard.lab.book.site.page import Page


def claims_page(contents: BookContents) -> Page:
    """All claims on one page."""
    chapters = [
        (
            chapter,
            SECTIONS[chapter],
            [
                (
                    contents.title(run.name),
                    f"/{path(run.name)}",
                    contents.records.get(run.name),
                    told_claims(run, contents.records.get(run.name)),
                )
                for run in group
                if run.verdicts
            ],
        )
        for chapter, group in contents.chapters
    ]
    body = render("claims.html", chapters=[one for one in chapters if one[2]])
    return Page("claims.html", "Index of claims", body, "book", "Every claim, and what came of it.")
