"""The definitions that a class or function needs, from the syntax tree: for files that train or read when imported."""

import ast
from collections.abc import Iterator

WORK = {
    "backward",
    "step",
    "parse_args",
    "read",
    "load",
    "download",
    "fit",
    "read_csv",
    "show",
    "plot",
    "train",
    "urlretrieve",
    "input",
}
"Calls at the top of a file that say it is a program and not a module."


def is_program(tree: ast.Module) -> bool:
    """Whether a file works when it is imported: it loops over steps, reads files, or asks for arguments."""
    for node in tree.body:
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
        ):
            continue
        if not _main(node) and any(_works(inner) for inner in ast.walk(node)):
            return True
    return False


def _works(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in WORK or name == "open"


def _main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def definitions(text: str, names: list[str]) -> str:
    """The same text with only the imports and what some names need, at the lines where it stands.

    >>> definitions("import math\\nx = 3\\nprint(x)\\ndef f():\\n    return x", ["f"]).splitlines()
    ['import math', 'x = 3', '', 'def f():', '    return x']
    """
    tree = ast.parse(text)
    kept = _needed(
        tree, names or [n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)]
    )
    return _only(text, kept)


def missing(text: str, names: list[str]) -> str:
    """Assignments under `if __name__ == "__main__"` of what some names need and the file defines nowhere else."""
    tree = ast.parse(text)
    plain = {name for node in tree.body if not _main(node) for name in bound(node)}
    held = ast.Module(
        [s for node in tree.body if _main(node) and isinstance(node, ast.If) for s in node.body], []
    )
    needed = _needed(ast.Module([*tree.body, *held.body], []), names) if names else []
    chosen = [
        s
        for s in held.body
        if s in needed and isinstance(s, ast.Assign | ast.AnnAssign) and not bound(s) & plain
    ]
    return "\n".join(ast.unparse(s) for s in chosen)


def _needed(tree: ast.Module, names: list[str]) -> list[ast.stmt]:
    """The imports and every statement that binds a name that is needed, in order."""
    makers: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for name in () if _main(node) else bound(node):
            makers.setdefault(name, []).append(node)
    kept = {id(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)}
    asked, seen = list(names), set()
    while asked:
        name = asked.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in makers.get(name, []):
            kept.add(id(node))
            asked += free(node)
    return [node for node in tree.body if id(node) in kept]


def _only(text: str, kept: list[ast.stmt]) -> str:
    lines = text.splitlines()
    spans = [range(_first(node) - 1, node.end_lineno or node.lineno) for node in kept]
    wanted = {line for span in spans for line in span}
    return "\n".join(line if number in wanted else "" for number, line in enumerate(lines)) + "\n"


def _first(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def bound(node: ast.stmt) -> set[str]:
    """Names that a statement at the top of a file binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef | ast.ClassDef):
            found.add(inner.name)
        if isinstance(inner, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).partition(".")[0] for a in inner.names}
    return found


def free(node: ast.AST) -> set[str]:
    """Names that a statement takes from the top of the file."""
    return set(_free(node, frozenset()))


def _free(node: ast.AST, inner: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in inner:
            yield node.id
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        body = node.body if isinstance(node.body, list) else [node.body]
        own = {
            n.id
            for s in body
            for n in ast.walk(s)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        told = {name for s in body for g in ast.walk(s) if isinstance(g, ast.Global) for name in g.names}
        yield from _free(node.args, inner)
        for decorator in getattr(node, "decorator_list", []):
            yield from _free(decorator, inner)
        for statement in body:
            yield from _free(statement, inner | arguments | (own - told))
        return
    for child in ast.iter_child_nodes(node):
        yield from _free(child, inner)
