"""A page of the site (static HTML): its place, its text, and the links that lead out of it.

Links and pictures in a page's text name their target from the root of the site: `/claims.html`,
`/experiments/pca.html#pca-method`. Where the page is written they become relative, so that the site can lie
in any folder; in one file they become anchors. A link to a page that is not there becomes plain text.
Ids are unique over the whole site: begin those of a page with its name.
"""

import html
import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass

LINK = re.compile(r'<a\b([^>]*?)\shref="/([^"#]*)(#[^"]*)?"([^>]*)>(.*?)</a>', re.DOTALL)
SOURCE = re.compile(r'(\s(?:src|srcset|poster|data)=")/([^"]+)"')
HEADING = re.compile(r'<h2\b[^>]*?\sid="([^"]+)"[^>]*>(.*?)</h2>', re.DOTALL)
TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True)
class Page:
    """A page before it is laid out."""

    path: str
    "Where it stands under the root of the site, such as 'courses/duke.html'."
    title: str
    "Its heading, a plain text."
    body: str
    "Everything under the heading, as HTML that is already escaped."
    section: str
    "The group of the navigation to which it belongs: a key of `layout.SECTIONS`."
    description: str = ""
    "One sentence on what a reader finds there, a plain text."
    parent: str = ""
    "The page that lists it, where it is one of many: the navigation then leaves it out."

    @property
    def anchor(self) -> str:
        """The id of the page where all pages are one file.

        >>> Page("courses/duke.html", "Duke", "", "courses").anchor
        'courses-duke'
        """
        return self.path.removesuffix(".html").replace("/", "-")

    @property
    def headings(self) -> list[tuple[str, str]]:
        """Id and text of every second-level heading: the contents of the page.

        >>> Page("a.html", "A", '<h2 id="a-why">Why &amp; how</h2>', "book").headings
        [('a-why', 'Why & how')]
        """
        return [(name, plain(text)) for name, text in HEADING.findall(self.body)]


def plain(text: str) -> str:
    """The words of a piece of HTML.

    >>> plain("<em>a</em> &lt; b")
    'a < b'
    """
    return " ".join(html.unescape(TAG.sub("", text)).split())


def relative(body: str, path: str, known: Collection[str]) -> str:
    """The body with links relative to the page's own folder; those to unknown pages become plain text.

    >>> relative('<a href="/b.html#x">b</a> <a href="/c.html">c</a>', "deep/a.html", {"b.html"})
    '<a href="../b.html#x">b</a> <span>c</span>'
    """
    folder = posixpath.dirname(path) or "."

    def link(found: re.Match[str]) -> str:
        before, target, anchor, after, text = found.groups(default="")
        if target not in known:
            return f"<span{before}{after}>{text}</span>"
        return f'<a{before} href="{posixpath.relpath(target, folder)}{anchor}"{after}>{text}</a>'

    linked = LINK.sub(link, body)
    return SOURCE.sub(lambda found: f'{found[1]}{posixpath.relpath(found[2], folder)}"', linked)


def anchored(body: str, pages: Collection[Page]) -> str:
    """The body with links to other pages as anchors of one file.

    >>> anchored('<a href="/deep/b.html">b</a>', [Page("deep/b.html", "B", "", "book")])
    '<a href="#deep-b">b</a>'
    """
    anchors = {page.path: page.anchor for page in pages}

    def link(found: re.Match[str]) -> str:
        before, target, anchor, after, text = found.groups(default="")
        if target not in anchors:
            return f"<span{before}{after}>{text}</span>"
        return f'<a{before} href="{anchor or "#" + anchors[target]}"{after}>{text}</a>'

    return LINK.sub(link, body)
