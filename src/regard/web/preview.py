"""Experiments before they are imported: their question and cost, read from the text of their files.

Importing them all brings torch, which takes seconds; the first page does not wait for it.
"""

import ast
import threading
from functools import cache
from pathlib import Path
from typing import Any

from regard.lab import registry
from regard.lab.book.titles import TITLES
from regard.lab.theorems import PREFIX
from regard.theory import library

READ = ("question", "seconds")
TURN = threading.Lock()
"One thread reads at a time: the parser of Python 3.11 may fail where two use it at once."


def previews() -> tuple[dict[str, Any], ...]:
    """Every experiment that comes with the package: name, chapter, title, question, seconds."""
    with TURN:
        return _previews()


@cache
def _previews() -> tuple[dict[str, Any], ...]:
    rooms = registry.rooms()
    found = [
        {
            "name": name,
            "chapter": path.relative_to(registry.FOLDER).parts[0],
            "title": TITLES.get(name, ""),
            **_read(path),
        }
        for name, path in rooms.items()
    ]
    theorems = [
        {
            "name": PREFIX + name,
            "chapter": "theory",
            "title": TITLES.get(PREFIX + name, ""),
            **_read(library.path(name)),
        }
        for name in library.names()
    ]
    return tuple(found + theorems)


def _read(path: Path) -> dict[str, Any]:
    """The question and the seconds of the one call that makes the experiment, where they are plain values."""
    found: dict[str, Any] = {"question": "", "seconds": None}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
            if names in (["EXPERIMENT"], ["THEOREM"]):
                found |= {
                    word.arg: word.value.value
                    for word in node.value.keywords
                    if word.arg in READ and isinstance(word.value, ast.Constant)
                }
    return found
