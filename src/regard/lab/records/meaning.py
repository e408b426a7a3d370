"""Digests of source files that comments, blank lines and docstrings do not change."""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache

from regard.lab.store.fingerprint import PACKAGE


def meaning(names: Iterable[str]) -> dict[str, str]:
    """A digest of each file of the package; one of a person's own, or that is gone, has none."""
    return {
        name: digest((PACKAGE / name).read_bytes(), python=name.endswith(".py"))
        for name in sorted(names)
        if (PACKAGE / name).is_file()
    }


@cache
def digest(content: bytes, *, python: bool = True) -> str:
    '''What a file says to Python, as a short hash.

    >>> digest(b'x = 1  # one') == digest(b'"""A file."""\\nx = 1')
    True
    >>> digest(b'x = 1') == digest(b'x = 2')
    False
    '''
    text = ast.dump(without_docstrings(ast.parse(content))).encode() if python else content
    return hashlib.sha256(text).hexdigest()[:12]


def without_docstrings(tree: ast.Module) -> ast.Module:
    """The tree with every bare string taken out: docstrings, and the sentence under a field."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _bare_string(one)]  # type: ignore[attr-defined]
    return tree


def _bare_string(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
