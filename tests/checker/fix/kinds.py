"""What a kind of change makes of a line."""

import ast
from collections.abc import Callable, Iterable

from regard.checker.fix.texts import CodeChange, CodeText

Kind = Callable[[CodeText, list[ast.AST]], Iterable[CodeChange]]


def texts(kind: Kind, text: str) -> dict[str, str]:
    """Every text that a kind of change makes of one, with the name of the kind."""
    code = CodeText(text)
    return {code.applied(change): change.kind for change in kind(code, [code.tree])}
