"""Fingerprint of a run: a hash of its settings and of every line of code that its result depends on."""

import ast
import dataclasses
import hashlib
import json
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import regard
from regard.data.tokens.token_file import TokenFile, is_token_file

PACKAGE = Path(__file__).parents[2]


def plain(value: Any) -> Any:
    """Settings as JSON has them; a file's name stands with the hash of what it holds.

    >>> plain((1, {"a": 2.0}))
    [1, {'a': 2.0}]
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Path) or (isinstance(value, str) and value and Path(value).is_file()):
        path = Path(value)
        return {"path": str(value), "sha256": _contents(path)}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    return value


def parts(settings: Any, *, seed: int, source: Path) -> dict[str, Any]:
    """All that a result depends on: settings, seed, code, and the versions of what computes."""
    versions = {name: version(name) for name in ("torch", "numpy")}
    return {
        "settings": plain(settings),
        "seed": seed,
        "code": code(source),
        "versions": {"python": platform.python_version(), **versions},
    }


def digest(parts: dict[str, Any]) -> str:
    """The key that such parts make."""
    return _digest(json.dumps(parts, sort_keys=True).encode())


def key(settings: Any, *, seed: int, source: Path) -> str:
    """Equal keys: the same settings, seed, code and versions of what computes."""
    return digest(parts(settings, seed=seed, source=source))


def code(source: Path) -> dict[str, str]:
    """The hash of an experiment's file, of every file of its room, and of all that they import."""
    found: dict[Path, str] = {}
    waiting = [source, *_room(source), *_shown_by(source)]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        content = path.read_bytes()
        found[path] = _digest(content)[:16]
        if path.suffix == ".py":
            waiting += _imports(content, path)
            compiled = [*path.parent.glob("*.cpp"), *path.parent.glob("*.h")]
            waiting += compiled if PACKAGE in path.parents else []
    return {path.name if PACKAGE not in path.parents else path.relative_to(PACKAGE).as_posix(): digest
            for path, digest in sorted(found.items())}  # fmt: skip


def changed_since(code: Mapping[str, str]) -> list[str]:
    """The files of the package that are not what a run says they were."""
    found = {name: PACKAGE / name for name in code if "/" in name or (PACKAGE / name).is_file()}
    return [
        name
        for name, path in found.items()
        if not path.is_file() or _digest(path.read_bytes())[:16] != code[name]
    ]


def _room(source: Path) -> list[Path]:
    """Every file of the folder that is an experiment's own."""
    if source.name != "experiment.py" or PACKAGE not in source.parents:
        return []
    return [path for path in source.parent.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def _shown_by(source: Path) -> list[Path]:
    """A theorem is made into an experiment by a file that it does not import."""
    return [PACKAGE / "lab" / "theorems.py"] if source.parent == PACKAGE / "theory" / "theorems" else []


def _imports(content: bytes, path: Path) -> list[Path]:
    """The files of the package, and those beside a file of one's own, that a module imports."""
    files: list[Path] = []
    for level, name in _names(content):
        top, *rest = parts = [part for part in name.split(".") if part] or [""]
        if level:
            files += _along(path.parents[level - 1], [part for part in parts if part])
        elif top == "regard":
            files += _along(PACKAGE, rest)
        elif PACKAGE not in path.parents:
            files += _along(path.parent, parts)
    return files


# Asked of every file for every record that the book shows.
@cache
def _names(content: bytes) -> tuple[tuple[int, str], ...]:
    """What a module imports, each name with the number of dots before it."""
    names: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            names += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names += [(node.level, module), *((node.level, f"{module}.{alias.name}") for alias in node.names)]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names += [(0, f"regard.{node.attr}")] if node.value.id == "regard" else []
    public = [name[7:] for level, name in names if not level and name.startswith("regard.")]
    names += [(0, regard._HOME[name]) for name in public if name in regard._HOME]
    return tuple(dict.fromkeys(names))


def _along(folder: Path, parts: list[str]) -> list[Path]:
    """A module and the packages on the way to it; the first folder's own `__init__` only hands on names."""
    steps = [folder.joinpath(*parts[:length]) for length in range(1, len(parts) + 1)]
    candidates = [file for step in steps for file in (step.with_suffix(".py"), step / "__init__.py")]
    return [file for file in candidates if file.is_file()]


def _contents(path: Path) -> str | None:
    """The hash of a file, or of the names and contents of all files of a folder."""
    if path.is_dir():
        files = sorted(one for one in path.rglob("*") if one.is_file())
        listed = (f"{one.relative_to(path).as_posix()} {_digest(one.read_bytes())}" for one in files)
        return _digest("\n".join(listed).encode())
    if is_token_file(path):
        # It may be too long to be read for this; it has the hash of its tokens in it.
        return TokenFile.open(path).digest
    if not path.is_file():
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
