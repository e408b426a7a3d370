"""A person's Python file as a module: it finds the files beside it, and those of its package."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


def imported(path: Path, prefix: str) -> ModuleType:
    """The module that a file makes, under a name of its own that begins so, or as a part of its package."""
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
