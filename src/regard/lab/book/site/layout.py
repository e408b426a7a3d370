"""Layout of the site: every page with its navigation, its neighbours and its contents; or all as one file."""

import base64
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from regard.lab.book.report import render
from regard.lab.book.site.page import Page, anchored, relative
from regard.lab.book.svg import share_glyphs

SECTIONS = {
    "book": "Overview",
    "attention": "Attention",
    "text": "Text",
    "graphs": "Graphs",
    "images": "Images",
    "unsupervised": "Unsupervised learning",
    "lab": "The lab itself",
    "theory": "Theorems",
    "yours": "Your own",
    "courses": "Courses",
    "docs": "Documentation",
    "reference": "Reference",
    "checker": "The checker",
}
"The groups of the navigation, in the order of reading: the key that a page names, and what stands above it."


@dataclass(frozen=True)
class Site:
    """All pages in the order of reading; the first is the cover."""

    pages: Sequence[Page]

    @cached_property
    def paths(self) -> frozenset[str]:
        """Where each page stands."""
        return frozenset(page.path for page in self.pages)

    @cached_property
    def groups(self) -> list[tuple[str, str, list[Page]]]:
        """The navigation: each section that has pages, its heading, and the pages."""
        order = list(SECTIONS)
        listed = [page for page in self.pages if not page.parent]
        pages = sorted(listed, key=lambda page: order.index(page.section))
        return [
            (name, SECTIONS[name], list(group)) for name, group in groupby(pages, key=lambda one: one.section)
        ]

    def page(self, page: Page) -> str:
        """A page as it is written."""
        order = [one for _, _, group in self.groups for one in group]
        place = next(place for place, one in enumerate(order) if one.path == (page.parent or page.path))
        text = render(
            "site.html",
            page=page,
            groups=self.groups,
            before=order[place - 1] if place else None,
            after=order[place + 1] if place + 1 < len(order) else None,
            root=posixpath.relpath(".", posixpath.dirname(page.path) or "."),
        )
        return relative(share_glyphs(text), page.path, self.paths)

    def single(self, font: bytes = b"") -> str:
        """All pages as one file that needs nothing beside it, with the font of its formulas inside."""
        encoded = base64.b64encode(font).decode()
        text = render("single.html", pages=self.pages, groups=self.groups, font=encoded)
        return anchored(share_glyphs(text), self.pages)
