"""The search of the site: an index of all pages as a script, so that it also works from a file."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from regard.lab.book.site.layout import SECTIONS
from regard.lab.book.site.page import Page, plain

SCRIPT = Path(__file__).parents[1] / "templates" / "search.js"
HIDDEN = re.compile(
    r"<svg\b.*?</svg>|<math\b.*?</math>|<table\b.*?</table>|<details\b.*?</details>", re.DOTALL
)
ANCHORED = re.compile(r'<(?:article|dt)\b[^>]*?\sid="([^"]+)"[^>]*>(.*?)</(?:article|dt)>', re.DOTALL)
BLOCK = re.compile(r"</?(?:p|div|dl|dt|dd|h\d|li|ol|ul|pre|figcaption|figure|aside|article|section)\b")
LONGEST = 6000
"Letters of a page that are searched."
INDEXES = ("claims.html",)
"Pages that repeat what others say."


def index(pages: Sequence[Page]) -> str:
    """The index as a script that sets one constant."""
    rows = [row for page in pages if page.path not in INDEXES for row in entries(page)]
    return f"const REGARD_INDEX = {json.dumps(rows, ensure_ascii=False, separators=(',', ':'))};\n"


def entries(page: Page) -> list[list[str]]:
    """A page and each claim or term on it: address, title, group, text."""
    group = SECTIONS[page.section]
    body = HIDDEN.sub(" ", page.body)
    rest = _words(ANCHORED.sub(" ", body))
    inner = [
        [f"{page.path}#{name}", title, page.title, ""]
        for name, text in ANCHORED.findall(body)
        if (title := _words(text.split("</p>")[0]).removesuffix("#").strip())
    ]
    return [[page.path, page.title, group, f"{page.description} {rest}"[:LONGEST]], *inner]


def _words(text: str) -> str:
    """The words of a piece of HTML; a paragraph ends a word, a letter in bold does not."""
    return plain(BLOCK.sub(r" \g<0>", text))
