"""Where a person's code stands: a file or notebook and a name in it, its package, its root."""

import ast
import importlib.util
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from regard.errors import RegardError


@dataclass(frozen=True, kw_only=True)
class CodeFile:
    """A file with code: its text, where each cell of a notebook begins, and the name that was asked for."""

    path: Path
    text: str
    name: str | None = None
    cells: tuple[int, ...] = ()


KINDS = (".py", ".ipynb")


def place(target: str, what: str = "check", kinds: tuple[str, ...] = KINDS) -> tuple[Path, str | None]:
    """The file and the name in it; what is to be done with them is for messages."""
    path, name = Path(target), None
    if not path.exists() and ":" in target:
        head, _, name = target.rpartition(":")
        path = Path(head)
    if not path.is_file():
        raise RegardError(
            f"there is no such file to {what}",
            repr(target),
            f"name a Python file{' or a notebook' if kinds == KINDS else ''}, or FILE.py:Class",
        )
    if path.suffix not in kinds:
        raise RegardError(
            f"Python files{' and notebooks' if kinds == KINDS else ''} are all there is to {what}",
            repr(target),
            "save the code as a .py file",
        )
    return path.resolve(), name or None


def opened(target: str) -> CodeFile:
    """The text of a file, or of all code cells of a notebook in order."""
    path, name = place(target)
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".py":
        return CodeFile(path=path, text=text.removeprefix("\ufeff"), name=name)
    lines, cells = notebook(text, str(path))
    return CodeFile(path=path, text="\n".join(lines) + "\n", name=name, cells=cells)


def notebook(text: str, name: str) -> tuple[list[str], tuple[int, ...]]:
    """The lines of all code cells that can be read, magics and shell lines blank; and the line where each begins.

    >>> cell = {"cell_type": "code", "source": ["%matplotlib inline\\n", "x = 1"]}
    >>> notebook(json.dumps({"cells": [cell, cell]}), "a.ipynb")
    (['', 'x = 1', '', 'x = 1'], (1, 3))
    """
    try:
        found = json.loads(text)["cells"]
        sources = ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        raise RegardError(
            "this is no notebook that can be read", repr(name), "save it again, or as a .py file"
        ) from None
    lines: list[str] = []
    cells = []
    for source in sources:
        cells.append(len(lines) + 1)
        own = source.splitlines() or [""]
        magic = own[0].lstrip().startswith("%%")
        plain = ["" if magic or re.match(r"\s*[%!?]", line) else line for line in own]
        lines += plain if _is_read("\n".join(plain)) else [""] * len(own)
    return lines, tuple(cells)


def _is_read(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def packaged(path: Path, text: str, here: Path) -> tuple[str, tuple[str, ...]]:
    """A file's name as a module with its packages, and the folders from which it imports, the widest last."""
    top = path.parent
    while (top / "__init__.py").exists() and top.parent != top:
        top = top.parent
    levels = [node.level for node in _imports(text) if isinstance(node, ast.ImportFrom)]
    while (
        len(path.parent.relative_to(top).parts) + 1 < max([0, *levels]) + (max([0, *levels]) > 0)
        and top.parent != top
    ):
        top = top.parent
    parts = path.relative_to(top).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
    roots = [top, *_resolving(path, text, here), path.parent]
    ordered = list(dict.fromkeys(str(root) for root in roots))
    widest = min(ordered, key=len)
    return name, (*(root for root in ordered if root != widest), widest)


def _imports(text: str) -> list[ast.Import | ast.ImportFrom]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _resolving(path: Path, text: str, here: Path) -> list[Path]:
    """The nearest folders that make absolute imports of the file resolve: where it is run, the checkout, its parents."""
    names = []
    for node in _imports(text):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif not node.level and node.module:
            names.append(node.module)
    tops = {name.partition(".")[0] for name in names}
    strange = [top for top in tops if top not in sys.stdlib_module_names and not _installed(top)]
    parents = list(path.parents)
    marked = [p for p in parents if (p / ".git").exists() or (p / "pyproject.toml").exists()][:1]
    folders = [*([here] if here in parents else []), *marked, *parents[: len(parents) - 1]]
    found = []
    for top in strange:
        holds = [
            folder for folder in folders[:8] if (folder / top).is_dir() or (folder / f"{top}.py").is_file()
        ]
        found += holds[:1]
    return found


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False
