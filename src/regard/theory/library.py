"""Theorems by name: every file of the folder `theorems` is one."""

import importlib
from pathlib import Path

from regard.errors import RegardError, nearest
from regard.theory.theorem import Theorem

FOLDER = Path(__file__).with_name("theorems")


def names() -> list[str]:
    """The names of all theorems."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("[a-z]*.py"))


def find(name: str) -> Theorem:
    """The theorem of that name."""
    known = name.replace("_", "-")
    if known not in names():
        raise RegardError(
            "no theorem of that name", f"'{name}'", nearest(known, names(), "'regard prove' lists them")
        )
    return importlib.import_module(f"regard.theory.theorems.{known.replace('-', '_')}").THEOREM


def path(name: str) -> Path:
    """The file that a theorem stands in."""
    return FOLDER / f"{name.replace('-', '_')}.py"


def everything() -> list[Theorem]:
    """All theorems."""
    return [find(name) for name in names()]
