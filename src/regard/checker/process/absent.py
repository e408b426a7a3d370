"""Stand-ins for packages that are not installed: a file can be imported, and what uses them says which it needs."""

import __future__

import ast
import importlib.abc
import importlib.machinery
import inspect
import re
import sys
import types
from pathlib import Path
from typing import Any, NoReturn


class NotInstalled(Exception):
    """The checked code uses a package that is not there."""


class Absent:
    """Anything of a package that is not installed: may be named, called and kept, but not used."""

    loading = True
    "While a file is imported, decorators and annotations of absent packages pass."

    name: str

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __getattr__(self, word: str) -> "Absent":
        if word.startswith("__"):
            raise AttributeError(word)
        return Absent(f"{self.name}.{word}")

    def __call__(self, *values: Any, **named: Any) -> Any:
        if Absent.loading and len(values) == 1 and not named and _is_defined(values[0]):
            return values[0]  # a decorator
        return Absent(self.name)

    def __mro_entries__(self, bases: tuple) -> tuple[type, ...]:
        def refuse(cls: type, *values: Any, **named: Any) -> NoReturn:
            raise NotInstalled(self.name)

        return (type("AbsentBase", (), {"__new__": refuse}),)

    def __instancecheck__(self, value: object) -> bool:
        return False

    def __getitem__(self, key: Any) -> "Absent":
        return self if Absent.loading else self._refuse()

    def __or__(self, other: Any) -> Any:
        return self if Absent.loading else self._refuse()

    __ror__ = __or__

    def _refuse(self, *values: Any, **named: Any) -> NoReturn:
        raise NotInstalled(self.name)

    __iter__ = __len__ = __bool__ = __int__ = __float__ = __index__ = __enter__ = __exit__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __neg__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse
    __setitem__ = __contains__ = __array__ = _refuse

    @classmethod
    def __torch_function__(cls, function: Any, kinds: Any, values: tuple = (), named: Any = None) -> NoReturn:
        found = [value for value in (*values, *(named or {}).values()) if isinstance(value, Absent)]
        raise NotInstalled(found[0].name if found else "a package")


def _is_defined(value: Any) -> bool:
    return inspect.isfunction(value) or inspect.isclass(value)


class AbsentModule(types.ModuleType):
    """A package that is not installed, or a part of it."""

    def __getattr__(self, word: str) -> Absent:
        if word.startswith("__"):
            raise AttributeError(word)
        return Absent(f"{self.__name__}.{word}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: what nobody else can find, and what the person's own files import without a guard, is a stand-in."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.names: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """A stand-in for an absent package; None where somebody asks whether it is there."""
        top = name.partition(".")[0]
        known = isinstance(sys.modules.get(top), AbsentModule)
        if not known and (name != top or not self._asked()):
            return None
        self.names.add(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        """The stand-in."""
        return AbsentModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""

    def _asked(self) -> bool:
        """Whether a file of the person's imports it, outside a try that knows what to do without it."""
        frame, within = sys._getframe(1), False
        while frame and not (within and "importlib" not in frame.f_code.co_filename):
            within = within or "importlib" in frame.f_code.co_filename
            if frame.f_code.co_name == "find_spec" and frame.f_code.co_filename.endswith("util.py"):
                return False
            frame = frame.f_back
        file = frame.f_code.co_filename if frame else ""
        return frame is not None and is_own(file, self.folder) and not guarded(file, frame.f_lineno)


def is_own(file: str, folder: str) -> bool:
    """Whether a file is the person's, and not of something that is installed beside it."""
    return file.startswith(folder) and not re.search(r"site-packages|[/\\]lib[/\\]python", file)


class Lenient(importlib.machinery.SourceFileLoader):
    """Runs a file of the person's statement by statement: an import that fails leaves stand-ins for its names."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run it."""
        text = self.get_source(module.__name__) or ""
        tree = ast.parse(text, self.path)
        flags = 0
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                flags |= sum(getattr(__future__, alias.name).compiler_flag for alias in node.names)
        if ast.get_docstring(tree, clean=False) is not None:
            module.__doc__ = ast.get_docstring(tree)
        for node in tree.body:
            code = compile(ast.Module([node], []), self.path, "exec", flags=flags, dont_inherit=True)
            try:
                exec(code, module.__dict__)
            except ImportError:
                if not isinstance(node, ast.Import | ast.ImportFrom) or Absent.loading is False:
                    raise
                _stand_in(node, module)


def _stand_in(node: ast.Import | ast.ImportFrom, module: types.ModuleType) -> None:
    base = f"{node.module or '.'}." if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        if alias.name == "*":
            raise ImportError(f"cannot import everything from {base.rstrip('.')}")
        name = (alias.asname or alias.name).partition(".")[0]
        module.__dict__[name] = Absent(f"{base}{alias.name}")


class Own(importlib.abc.MetaPathFinder):
    """Comes first: the person's other files are run leniently as well."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec that Python finds, with a lenient loader where the file is the person's."""
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not spec.origin:
            return None
        if not is_own(spec.origin, self.folder):
            return None
        spec.loader = Lenient(name, spec.origin)
        return spec


def guarded(file: str, line: int) -> bool:
    """Whether a line stands in a try whose handlers expect that an import fails."""
    import linecache

    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return False
    tries = [node for node in ast.walk(tree) if isinstance(node, ast.Try)]
    return any(
        node.body[0].lineno <= line <= (node.body[-1].end_lineno or line)
        and any(map(_expects, node.handlers))
        for node in tries
    )


def _expects(handler: ast.ExceptHandler) -> bool:
    words = ast.unparse(handler.type) if handler.type else "Exception"
    return any(word in words for word in ("ImportError", "ModuleNotFoundError", "Exception"))
