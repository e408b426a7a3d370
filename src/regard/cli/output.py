"""Output: JSON that every reader takes, and text that any terminal's encoding can write."""

import codecs
import json
import os
import sys
import time
import unicodedata
from collections.abc import Callable
from io import TextIOWrapper
from math import isfinite
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

NARROWEST = 20
"Columns below which a table would show nothing."
PLAIN = {
    "✓": "+", "✗": "x", "–": "-", "—": "-", "−": "-", "·": "*", "×": "x", "…": "...", "√": "sqrt", "≤": "<=",
    "≥": ">=", "≈": "~", "→": "->", "∞": "inf", "∑": "sum", "‖": "||", "“": '"', "”": '"', "’": "'", "‘": "'",
    "µ": "u", "±": "+-", "ß": "ss", "æ": "ae", "ø": "o",
}  # fmt: skip
"What stands for a character that an encoding does not have."


def write_anywhere() -> None:
    """Let nothing that is printed fail for want of a character or of width: a nearby one stands for it."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)
    codecs.register_error("regard", _nearby)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="regard")


def _nearby(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    known = error.object[error.start : error.end]
    return "".join(_one(character, error.encoding) for character in known), error.end


def _one(character: str, encoding: str) -> str:
    """The nearest that an encoding has: a word for a sign, a letter without its marks, else '?'."""
    for nearby in (PLAIN.get(character, ""), unicodedata.normalize("NFKD", character)):
        bare = "".join(one for one in nearby if not unicodedata.combining(one))
        try:
            bare.encode(encoding)
        except UnicodeError:
            continue
        if bare:
            return bare
    return "?"


def progress(seconds: float = 10.0) -> Callable[[str], None]:
    """Says how far something is: in a terminal one line, written over; elsewhere a line now and then."""
    last = time.monotonic()

    def tell(words: str) -> None:
        nonlocal last
        if sys.stderr.isatty():
            print(f"\r\x1b[2K{words}", end="", file=sys.stderr, flush=True)
        elif words and time.monotonic() - last >= seconds:
            print(words, file=sys.stderr, flush=True)
            last = time.monotonic()

    return tell


def print_folded(text: str) -> None:
    """Print lines that fit the terminal, the rest of each set in under it; whole ones where it is none."""
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        room = get_terminal_size().columns
        folded = fill(line, room, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        print(folded if sys.stdout.isatty() and len(line) > room else line, flush=True)


def print_json(value: Any) -> None:
    """Print a value as JSON; a number that JSON has no word for as a text."""
    text = json.dumps(_finite(value), indent=1, default=str, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeError:  # JSON has a way of its own to write what the output cannot
        text = json.dumps(_finite(value), indent=1, default=str)
    print(text, flush=True)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
