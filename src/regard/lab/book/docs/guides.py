"""Guides: the Markdown pages of the folder `docs`, as pages of the site."""

import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from itertools import count, pairwise
from pathlib import Path

from regard.lab.book.site.page import Page
from regard.theory.mathml import mathml

CHECKOUT, INSTALLED = Path(__file__).parents[5] / "docs", Path(__file__).parents[3] / "docs"
ORDER = (
    "tour", "build", "look", "check", "own", "add",
    "cluster", "scale", "scale-training", "checker-in-the-wild",
)  # fmt: skip
"The guides in the order of reading; others follow."
CODE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>)", re.DOTALL)
SHORT = re.compile(r"<code>(?=[^<\n]{2,30}</code>)(?=[^<\n]*[ /|-])")
"Code inside a text that is too short to be broken, and might be."
REGION = '<pre class="scroll" tabindex="0" role="group" aria-label="Code">'
"Lines of code are not broken: where they are too long, they scroll sideways."
MARKS = re.compile(r"[*`]|\[|\]\([^)]*\)")
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
"Marks for those who write a guide, such as where a script puts its table."
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
MANY, BROAD = 4, 6
"Columns: a table with more scrolls sideways on a phone, or reaches beyond the text where there is room."
FORMULA = re.compile(r"\$\$?([^$]+)\$\$?")


def folder() -> Path:
    """Where the Markdown is: in a checkout beside `src`, in an installed package inside it."""
    return CHECKOUT if CHECKOUT.is_dir() and (CHECKOUT.parent / "pyproject.toml").is_file() else INSTALLED


def guides(place: Path | None = None) -> list[Page]:
    """Every guide, in the order of reading."""
    files = {file.stem: file for file in sorted((place or folder()).glob("*.md"))}
    names = [name for name in ORDER if name in files] + [name for name in files if name not in ORDER]
    return [guide(name, files[name].read_text(encoding="utf-8")) for name in names]


def guide(name: str, text: str) -> Page:
    """A guide: its first heading is the title, its first paragraph what a reader finds there.

    >>> guide("tour", "# A tour\\n\\nFive minutes.\\n\\n## First\\n").path
    'docs/tour.html'
    """
    head, _, rest = text.strip().partition("\n")
    first = MARKS.sub("", COMMENT.sub("", rest).strip().split("\n\n")[0])
    return Page(f"docs/{name}.html", head.lstrip("# "), markdown(rest, name), "docs", first)


def markdown(text: str, name: str) -> str:
    """Markdown as HTML: headings have ids, links to other guides lead to their pages.

    >>> markdown("## Why *so*", "tour")
    '<h2 id="tour-why-so">Why <em>so</em></h2>\\n'
    """
    tokens = _parser().parse(COMMENT.sub("", text))
    for heading, words in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", f"{name}-{slug(words.content)}")
    for token in _within(tokens):
        if token.type == "link_open":
            token.attrSet("href", _target(str(token.attrGet("href"))))
    html = _parser().renderer.render(tokens, _parser().options, {})
    number = count(1)
    html = TABLE.sub(lambda found: _scrolled(found[0], next(number)), html).replace("<pre>", REGION)
    return unbroken("".join(part if CODE.fullmatch(part) else _formulas(part) for part in CODE.split(html)))


def _scrolled(table: str, number: int) -> str:
    """A table in a box that scrolls sideways where it must, and says so."""
    columns = table.count("<th>") + table.count("<th ")
    note = '<p class="swipe">On a narrow screen the table scrolls sideways.</p>' if columns > MANY else ""
    look = "scroll broad" if columns > BROAD else "scroll"
    return f'{note}<div class="{look}" tabindex="0" role="region" aria-label="Table {number}">{table}</div>'


def _formulas(text: str) -> str:
    return FORMULA.sub(lambda found: mathml(unescape(found[1]), display=found[0].startswith("$$")), text)


def slug(text: str) -> str:
    """A heading's words as an id.

    >>> slug("Your own *text*, in `any` alphabet")
    'your-own-text-in-any-alphabet'
    """
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-")


def _target(link: str) -> str:
    """Links between the files of `docs` and to generated pages, as the site has them."""
    if re.fullmatch(r"[\w-]+\.md(#.*)?", link):
        return "/docs/" + link.replace(".md", ".html")
    return link.removeprefix("site:") if link.startswith("site:/") else link


def _within(tokens: list) -> Iterator:
    for token in tokens:
        yield token
        yield from _within(token.children or [])


@cache
def _parser():
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def code(lines: str) -> str:
    """Lines of code or output as they stand."""
    return f"{REGION}{escape(lines)}</pre>"


def unbroken(html: str) -> str:
    """A page on which no line breaks inside a short piece of code.

    >>> unbroken("<code>a - b</code>")
    '<code class="short">a - b</code>'
    """
    return SHORT.sub('<code class="short">', html)
