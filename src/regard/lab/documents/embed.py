"""A view of the lab inside a notebook: a document and its custom element in a frame of their own."""

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from regard.errors import RegardError
from regard.lab.documents.plain import plain

VIEWS = Path(__file__).parents[2] / "web" / "static" / "views.js"
"The custom elements in one file; they come with the front end, and may not be there."
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
LARGEST = 12_000_000
"Bytes of a document that is put into a page."


def embedded(element: str, document: Callable[[], dict[str, Any]], still: str, views: Path = VIEWS) -> str:
    """The view as HTML; `still` is what stands in its place where there are no scripts, or no views."""
    if not views.is_file():
        return still
    try:
        data = script_data(document())
    except RegardError:  # such as more weights than a document holds
        return still
    if len(data) > LARGEST:
        return still
    code = views.read_text(encoding="utf-8").replace("</script", "<\\/script").replace("<!--", "<\\!--")
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"></head><body>'
        f'<script type="application/json" id="document">{data}</script>'
        f'<{element} document="document"></{element}><noscript>{still}</noscript>'
        f'<script type="module">{code}</script></body></html>'
    )
    return (
        f'<iframe sandbox="allow-scripts" title="{escape(element)}" '
        f'style="width:100%;height:34em;border:0" srcdoc="{escape(page)}"></iframe>'
    )


def script_data(document: dict[str, Any]) -> str:
    """A document as it may stand inside a script element: nothing in it ends the element.

    >>> script_data({"text": "</script>"})
    '{"text":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(plain(document), allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
