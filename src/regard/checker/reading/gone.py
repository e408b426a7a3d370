"""Names that a library once had: code that uses one raises wherever it is run."""

import ast
from collections.abc import Iterator

import numpy as np

from regard.checker.reading.source import Source


def gone(source: Source, name: str) -> tuple[str, int] | None:
    """A name of NumPy that the installed one does not have, in a member or in what it calls; and its line.

    What stands in a `try`, or under a question for a version or an attribute, is not counted.

    >>> gone(Source("import numpy as np\\ndef f(x):\\n    return np.mat(x)"), "f")
    ('np.mat', 3)
    """
    words = {
        alias.asname or alias.name
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "numpy"
    }
    for member in reached(source, name):
        for node in plain(member):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in words
                and not hasattr(np, node.attr)
            ):
                return f"{node.value.id}.{node.attr}", node.lineno
    return None


def reached(source: Source, name: str) -> list[ast.AST]:
    """A member of the file, then the functions and classes of the file that it names, and those that they name."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    known = {node.name: node for node in source.tree.body if isinstance(node, kinds)}
    found: list[ast.AST] = [known[name]] if name in known else []
    for node in found:
        words = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        found += [known[word] for word in known if word in words and known[word] not in found]
    return found


def plain(node: ast.AST) -> Iterator[ast.AST]:
    """Everything below a node that no guard stands before."""
    yield node
    for child in ast.iter_child_nodes(node):
        guarded = isinstance(child, ast.Try) or (
            isinstance(child, ast.If | ast.IfExp)
            and ("hasattr" in ast.unparse(child.test) or "version" in ast.unparse(child.test))
        )
        if not guarded:
            yield from plain(child)
