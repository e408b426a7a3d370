"""Attention maps as HTML: a fragment for a notebook, a page of its own for a browser."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

from regard.errors import RegardError
from regard.files import write
from regard.lab.book.style import inline
from regard.lab.look.figure import svg
from regard.lab.look.maps import AttentionMaps

SUFFIXES = (".svg", ".html")
ACROSS = 4
"Heads side by side where a layer is shown by itself."
STYLE = (
    "body{font:15px/1.45 sans-serif;margin:1.5em auto;max-width:75em;padding:0 1em;color:#222}"
    "svg{max-width:100%;height:auto}summary{cursor:pointer;padding:.3em 0}code{background:#f2f2f2}"
)


def save(attention: AttentionMaps, path: Any) -> None:
    """Write the picture or the page, by the ending of its name."""
    path = place(path)
    made = svg(attention) if path.suffix == ".svg" else page(attention)
    write(path, made)


def place(path: Any) -> Path:
    """The path, if a picture or a page can be written there."""
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise RegardError(
            "attention is drawn as a picture or a page", f"'{path}'", "name a file that ends in .svg or .html"
        )
    if path.is_dir() or not path.parent.is_dir():
        raise RegardError(
            "there is no such place to write to", f"'{path}'", "name a file in a folder that exists"
        )
    return path


def fragment(attention: AttentionMaps) -> str:
    """The notes and the figure; everything that may come from a text or a model is escaped."""
    notes = "".join(f"<p>{escape(note)}</p>" for note in attention.said)
    return f"<div>{notes}{inline(svg(attention), 'attention')}</div>"


def page(attention: AttentionMaps) -> str:
    """All maps together, then each layer by itself, larger."""
    title = escape(f"Attention of {attention.of}" if attention.of else "Attention")
    sources = ", ".join(dict.fromkeys(layer.how for layer in attention.layers))
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'>",
        f"<title>{title}</title><style>{STYLE}</style><h1>{title}</h1>",
        "<p>Rows look at columns; over a picture, each patch shows what it is given. "
        f"Weights: {escape(sources)}.</p>",
        fragment(attention),
    ]
    if len(attention.layers) * len(attention.heads) > 8:
        for number, layer in enumerate(attention.layers):
            one = attention.choose(layer=number)
            heads = [
                inline(svg(replace(one, shown=some)), f"layer{number}-{some[0]}")
                for some in batched([head for head in attention.heads if head < layer.heads], ACROSS)
            ]
            name = f"layer {attention.number(number)} <code>{escape(layer.name)}</code>"
            parts.append(f"<details><summary>{name}</summary>{''.join(heads)}</details>")
    return "\n".join([*parts, "</html>", ""])


def batched(items: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """The items, so many at a time.

    >>> list(batched([1, 2, 3], 2))
    [(1, 2), (3,)]
    """
    return (tuple(items[i : i + size]) for i in range(0, len(items), size))
