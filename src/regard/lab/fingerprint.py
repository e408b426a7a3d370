"""The key of a run: a hash of its settings and of every line of code that its result depends on."""

import ast
import dataclasses
import hashlib
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]


def plain(value: Any) -> Any:
    """Settings as JSON has them; a path stands with the hash of what it holds.

    >>> plain((1, {"a": 2.0}))
    [1, {'a': 2.0}]
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Path):
        return {"path": str(value), "sha256": _digest(value.read_bytes()) if value.is_file() else None}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return value


def key(settings: Any, *, seed: int, source: Path) -> str:
    """Equal keys: the same settings, seed, code and versions of what computes."""
    parts = {
        "settings": plain(settings),
        "seed": seed,
        "code": code(source),
        "python": platform.python_version(),
        "torch": version("torch"),
        "numpy": version("numpy"),
    }
    return _digest(json.dumps(parts, sort_keys=True).encode())


def code(source: Path) -> dict[str, str]:
    """The hash of a file and of all files of the package that it imports, directly or not."""
    found: dict[Path, str] = {}
    waiting = [source, *_shown_by(source)]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        content = path.read_bytes()
        found[path] = _digest(content)
        if path.suffix == ".py":
            waiting += _imports(ast.parse(content), path)
            waiting += path.parent.glob("*.cpp") if PACKAGE in path.parents else []
    return {path.name if PACKAGE not in path.parents else path.relative_to(PACKAGE).as_posix(): digest
            for path, digest in sorted(found.items())}  # fmt: skip


def _shown_by(source: Path) -> list[Path]:
    """A theorem is made into an experiment by a file that it does not import."""
    return [PACKAGE / "lab" / "theorems.py"] if source.parent == PACKAGE / "theory" / "results" else []


def _imports(tree: ast.Module, path: Path) -> list[Path]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [file for name in names if name.split(".")[0] == "regard" for file in _files(name)]


def _files(name: str) -> list[Path]:
    """A module and the packages above it, the topmost aside: it only hands on names."""
    parts = name.split(".")[1:]
    steps = [PACKAGE.joinpath(*parts[:length]) for length in range(1, len(parts) + 1)]
    candidates = [file for step in steps for file in (step.with_suffix(".py"), step / "__init__.py")]
    return [file for file in candidates if file.is_file()]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
