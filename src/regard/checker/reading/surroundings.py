"""Code that looks at who runs it: what it does under a check need not be what it does elsewhere."""

import ast
from collections.abc import Iterator

from regard.checker.reading.definitions import definitions
from regard.checker.reading.source import Place, Source

LOOKS = (
    "sys.modules",
    "sys._getframe",
    "sys._current_frames",
    "sys.argv",
    "sys.settrace",
    "sys.setprofile",
    "sys.meta_path",
    "inspect.stack",
    "inspect.currentframe",
    "inspect.getouterframes",
    "traceback",
    "gc",
    "os.environ",
    "os.getenv",
    "os.getcwd",
    "os.getpid",
    "os.getppid",
    "os.write",
    "os.fdopen",
    "os.readlink",
    "os.cpu_count",
    "os.sched_getaffinity",
    "torch.get_num_threads",
    "torch.get_num_interop_threads",
    "torch.__config__",
    "multiprocessing",
    "threading",
    "resource",
    "signal",
    "platform",
    "socket",
    "ctypes",
    "psutil",
    "importlib",
    "builtins",
    "regard.checker",
    "eval",
    "exec",
    "compile",
    "__import__",
    "__builtins__",
    "open",
)
"Names, and everything inside them, that tell a program where it runs, or let it reach what runs it."
CLOCKS = ("time", "datetime")
"Names that count only where something is decided by them."


def looks_around(source: Source, name: str) -> tuple[str, Place] | None:
    """The first such name in what a member needs, and its line.

    >>> looks_around(Source("import sys\\ndef f(x):\\n    return x if 'regard' in sys.modules else -x"), "f")[0]
    'sys.modules'
    """
    if not source.tree.body:
        return None
    tree = ast.parse(definitions(source.text, [name.partition(".")[0]]))
    known = dict(_imported(tree))
    deciding = {
        id(inner) for node in ast.walk(tree) if isinstance(node, ast.Compare) for inner in ast.walk(node)
    }
    own = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "__name__"
    }
    for node in ast.walk(tree):
        word = _dotted(node, known) if id(node) not in own else ""
        if word and (_is(word, LOOKS) or (_is(word, CLOCKS) and id(node) in deciding)):
            return word, source.at(getattr(node, "lineno", 1))
        if isinstance(node, ast.ImportFrom | ast.Import) and any(
            _is(full, ("regard.checker",)) for _, full in _names(node)
        ):
            return "regard.checker", source.at(node.lineno)
    return None


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, anywhere, and what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _names(node)


def _names(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{node.module or ''}.{alias.name}"
        else:
            yield (
                alias.asname or alias.name.partition(".")[0],
                (alias.name if alias.asname else alias.name.partition(".")[0]),
            )


def _dotted(node: ast.AST, known: dict[str, str]) -> str:
    """A name, or a chain of attributes that begins with one, by what was imported; a name of the file itself is none."""
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value, known)
        return f"{inner}.{node.attr}" if inner else ""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return ""
    if node.id in known:
        return known[node.id]
    return node.id if node.id in ("eval", "exec", "compile", "__import__", "__builtins__", "open") else ""


def _is(word: str, among: tuple[str, ...]) -> bool:
    return any(word == one or word.startswith(f"{one}.") for one in among)
