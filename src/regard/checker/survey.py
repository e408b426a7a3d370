"""`regard check FOLDER`: which classes and functions of a folder could be one of the contracts, by their syntax alone."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.checker.contracts.table import CONTRACTS
from regard.checker.reading.place import opened
from regard.checker.reading.source import Source
from regard.checker.target import SURE, best, possible
from regard.errors import RegardError

SKIPPED = {"site-packages", "node_modules", "__pycache__", "venv", "env", "build", "dist"}
LARGEST = 1 << 20
"Bytes of the largest file that is read."


@dataclass(frozen=True)
class Candidate:
    """A class or function that looks like a contract."""

    path: Path
    name: str
    contract: str


def survey(folder: Path) -> list[Candidate]:
    """All candidates of a folder, file by file."""
    if not folder.is_dir():
        raise RegardError("there is no such folder to check", repr(str(folder)), "name a folder, or FILE.py")
    return [found for path in sorted(files(folder)) for found in candidates(path)]


def unreadable(folder: Path) -> list[str]:
    """The files of a folder that Python cannot read: which, where and why."""
    return [words for path in sorted(files(folder)) if (words := trouble(path))]


def trouble(path: Path) -> str:
    """Why Python cannot read a file; nothing where it can."""
    try:
        ast.parse(opened(str(path)).text)
    except RegardError as error:
        return f"{path}: {error.what}"
    except (SyntaxError, ValueError) as error:
        return f"{path}:{getattr(error, 'lineno', None) or 1}: {getattr(error, 'msg', error)}"
    return ""


def files(folder: Path) -> Iterator[Path]:
    """Python files and notebooks, but for what is hidden, built or installed."""
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.suffix not in (".py", ".ipynb") or any(p.startswith(".") or p in SKIPPED for p in parts):
            continue
        if path.is_file() and path.stat().st_size <= LARGEST:
            yield path


def candidates(path: Path) -> Iterator[Candidate]:
    """The members of one file that look like a contract; nothing is run."""
    try:
        code = opened(str(path))
    except RegardError:
        return
    source = Source(code.text, path.stem)
    for node in source.tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not source.is_operation(node.name):
            member = sketched(node)
            contracts = CONTRACTS if getattr(node, "bases", []) else possible(member)
            if not contracts:
                continue
            contract, score = best(member, source, contracts)
            if score >= SURE:
                yield Candidate(path, node.name, contract.name)


def sketched(node: ast.ClassDef | ast.FunctionDef) -> dict[str, Any]:
    """A member as its syntax shows it: kind, arguments, docstring."""
    methods = (
        {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
        if isinstance(node, ast.ClassDef)
        else {}
    )
    maker = methods.get("__init__") if isinstance(node, ast.ClassDef) else node
    called = methods.get("forward", methods.get("__call__")) if isinstance(node, ast.ClassDef) else node
    own = 1 if isinstance(node, ast.ClassDef) else 0
    return {
        "name": node.name,
        "kind": "class" if isinstance(node, ast.ClassDef) else "function",
        "parameters": _parameters(maker)[own:],
        "forward": _parameters(called)[own:],
        "methods": list(methods),
        "asked": [name for name, n in methods.items() if name[0] != "_" and len(_parameters(n)) > 1],
        "doc": ast.get_docstring(node) or "",
    }


def _parameters(node: ast.FunctionDef | None) -> list[dict[str, Any]]:
    if node is None:
        return []
    plain = [*node.args.posonlyargs, *node.args.args]
    needed = len(plain) - len(node.args.defaults)
    found = [
        {"name": a.arg, "required": i < needed, "star": False, "named": False, "default": None}
        for i, a in enumerate(plain)
    ]
    return found + [
        {"name": a.arg, "required": default is None, "star": False, "named": True, "default": None}
        for a, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    ]
