"""A person's file as a module: under its package's name, from its root, whole or its definitions alone."""

import ast
import importlib
import importlib.util
import linecache
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regard.checker.process.absent import Absent, Finder, Lenient, Own


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """How a file is to be read."""

    path: str
    text: str | None = None
    "What to run in place of what the file holds: its definitions, or the code of a notebook."
    name: str = ""
    "Its name as a module, with its packages."
    roots: tuple[str, ...] = ()
    "Folders from which it imports, the first first."
    after: str = ""
    "Assignments to run afterwards: what the file sets only when it is run as a program."


@dataclass
class LoadedModule:
    """A module, and what was left out."""

    module: types.ModuleType
    absent: set[str] = field(default_factory=set)
    skipped: list[str] = field(default_factory=list)


def load(reading: FileReading) -> LoadedModule:
    """Import a file; packages that are not installed have stand-ins."""
    file = Path(reading.path)
    for root in reversed(reading.roots or (str(file.parent),)):
        if root not in sys.path:
            sys.path.insert(0, root)
    folder = Path(reading.roots[-1]) if reading.roots else file.parent
    finder = next((one for one in sys.meta_path if isinstance(one, Finder)), None)
    if finder is None:
        finder = Finder(folder)
        sys.meta_path.append(finder)
        sys.meta_path.insert(0, Own(folder))
    for one in (one for one in sys.meta_path if isinstance(one, Finder | Own)):
        one.folder = str(folder)
    Absent.loading = True
    try:
        name = _free(reading.name or file.stem)
        _packages(name)
        loaded = LoadedModule(_whole(name, file) if reading.text is None else types.ModuleType(name))
        if reading.text is not None:
            _prepare(loaded.module, file, reading.text)
            loaded.skipped = _run(loaded.module, file, reading.text)
        _run(loaded.module, file, reading.after)
        loaded.absent = finder.names
        return loaded
    finally:
        Absent.loading = False


def _free(name: str) -> str:
    """A name that no module of ours or of the system has."""
    plain = all(part.isidentifier() for part in name.split("."))
    taken = "." not in name and name in sys.modules and not _mine(sys.modules[name])
    return name if plain and not taken else f"mine_{name.replace('.', '_').replace('-', '_')}"


def _mine(module: Any) -> bool:
    return getattr(module, "__checked__", False)


def _packages(name: str) -> None:
    """The packages above a module; one whose own file fails is there all the same, empty."""
    parents = name.split(".")[:-1]
    for depth in range(1, len(parents) + 1):
        package = ".".join(parents[:depth])
        if package in sys.modules:
            continue
        try:
            importlib.import_module(package)
        except Exception:
            bare = types.ModuleType(package)
            folder = next(
                (Path(p, *parents[:depth]) for p in sys.path if Path(p, *parents[:depth]).is_dir()), None
            )
            bare.__path__ = [str(folder)] if folder else []
            sys.modules[package] = bare


def _whole(name: str, file: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, file, loader=Lenient(name, str(file)))
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    module.__dict__["__checked__"] = True
    spec.loader.exec_module(module)
    return module


def _prepare(module: types.ModuleType, file: Path, text: str) -> None:
    module.__dict__.update(
        __file__=str(file), __package__=module.__name__.rpartition(".")[0], __checked__=True
    )
    sys.modules[module.__name__] = module
    linecache.cache[str(file)] = (len(text), None, text.splitlines(keepends=True), str(file))


def _run(module: types.ModuleType, file: Path, text: str) -> list[str]:
    """Run statement by statement; one that fails is left out, and what needs it will say so."""
    skipped = []
    for statement in ast.parse(text).body:
        try:
            exec(compile(ast.Module([statement], []), str(file), "exec"), module.__dict__)
        except Exception as error:
            skipped.append(f"line {statement.lineno}: {type(error).__name__}: {str(error)[:100]}")
    return skipped
