"""Experiments by name: the rooms of the folder `experiments`, every theorem, and a person's own file."""

import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

from regard.errors import RegardError, nearest
from regard.lab.book.titles import TITLES
from regard.lab.experiment import Experiment
from regard.lab.theorems import PREFIX, experiment
from regard.theory import library

FOLDER = Path(__file__).parents[1] / "experiments"
DEFINES = re.compile(rb"^EXPERIMENT\b", re.MULTILINE)


@cache
def rooms(folder: Path = FOLDER) -> dict[str, Path]:
    """The file of each experiment by its name: CHAPTER/NAME.py or CHAPTER/NAME/experiment.py.

    Other files of a chapter are what its experiments share.
    """
    alone = {path.stem: path for path in folder.glob("*/*.py") if DEFINES.search(path.read_bytes())}
    rooms = {path.parent.name: path for path in folder.glob("*/*/experiment.py")}
    return {name.replace("_", "-"): path for name, path in sorted((alone | rooms).items())}


def names() -> list[str]:
    """The names of all experiments that come with the package."""
    return sorted([*rooms(), *(PREFIX + name for name in library.names())])


def find(name: str) -> tuple[Experiment, Path]:
    """The experiment of that name, or in that file, and the file it stands in."""
    if name.endswith(".py"):
        return _own(Path(name))
    known = name.replace("_", "-")
    if known not in names():
        raise RegardError(
            "no experiment of that name", f"'{name}'", nearest(known, names(), "'regard list' shows them all")
        )
    if known.startswith(PREFIX):
        theorem = library.find(known.removeprefix(PREFIX))
        titled = replace(experiment(theorem), title=TITLES.get(known, theorem.title))
        return titled, library.path(theorem.name)
    path = rooms()[known]
    module = ".".join(("regard.experiments", *path.relative_to(FOLDER).with_suffix("").parts))
    found = _taken(importlib.import_module(module), path, known)
    return replace(found, chapter=path.relative_to(FOLDER).parts[0], title=TITLES.get(known, "")), path


def everything() -> list[Experiment]:
    """All experiments that come with the package."""
    return [find(name)[0] for name in names()]


def _own(path: Path) -> tuple[Experiment, Path]:
    if not path.is_file():
        raise RegardError(
            "no such experiment file", f"'{path}'", "give the path of a Python file that defines EXPERIMENT"
        )
    try:
        module = imported(path, "own")
    except RegardError as error:
        places = [
            one for one in traceback.extract_tb(error.__traceback__) if Path(one.filename).name == path.name
        ]
        raise RegardError(
            error.what, f"{error.got} ({path.name}, line {places[-1].lineno})", error.fix
        ) from error
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise RegardError(
            "the experiment file does not load",
            f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})",
            f"make 'python {path}' run without an error",
        ) from error
    return _taken(module, path, path.stem.replace("_", "-")), path.resolve()


def _taken(module: ModuleType, path: Path, name: str) -> Experiment:
    experiment = getattr(module, "EXPERIMENT", None)
    if not isinstance(experiment, Experiment):
        raise RegardError(
            "the file defines no experiment",
            f"{path.name} without EXPERIMENT",
            "set EXPERIMENT = Experiment(question=…, …)",
        )
    return replace(experiment, name=name)


def imported(path: Path, prefix: str) -> ModuleType:
    """A person's file as a module that finds the files beside it, and those of its package.

    Its name begins with the prefix, unless it is a part of a package.
    """
    folder, parts = path.resolve().parent, [path.stem]
    while (folder / "__init__.py").is_file():
        folder, parts = folder.parent, [folder.name, *parts]
    name = ".".join(parts) if len(parts) > 1 else f"{prefix}_{path.stem}"
    sys.modules.pop(name, None)
    with _beside(path.resolve().parent, folder):
        if len(parts) > 1:
            module = importlib.import_module(name)
        else:
            specification = importlib.util.spec_from_file_location(name, path)
            assert specification and specification.loader
            module = importlib.util.module_from_spec(specification)
            sys.modules[name] = module
            specification.loader.exec_module(module)
    # Classes look for their own module by its name.
    sys.modules[name] = module
    return module


@contextmanager
def _beside(*folders: Path) -> Iterator[None]:
    """Let imports find what lies in some folders; another file may have others of the same name beside it."""
    paths, before = list(sys.path), set(sys.modules)
    sys.path[:0] = [str(folder) for folder in folders]
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = paths
        for name in set(sys.modules) - before:
            file = Path(getattr(sys.modules[name], "__file__", None) or "/").resolve()
            top = name.partition(".")[0]
            here = [place for folder in folders for place in (folder / f"{top}.py", folder / top)]
            if top != "regard" and any(place in (file, *file.parents) for place in here):
                del sys.modules[name]
