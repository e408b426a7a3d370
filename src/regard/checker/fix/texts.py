"""Edits of a text at the places of its syntax tree: what is not edited stays as it was, to the last space."""

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

Node = ast.expr | ast.stmt | ast.keyword | ast.arg


@dataclass(frozen=True)
class TextEdit:
    """Bytes of a text, and what stands there instead."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class CodeChange:
    """A small change of a file: what kind it is, where, and its edits."""

    kind: str
    line: int
    edits: tuple[TextEdit, ...]

    @property
    def size(self) -> float:
        """How much is written anew: 1 for nothing, 2 for 40 letters."""
        return 1 + sum(max(len(edit.new) - (edit.end - edit.start), 0) for edit in self.edits) / 40


class CodeText:
    """A text with its syntax tree, and the bytes where each node stands."""

    def __init__(self, text: str) -> None:
        self.text, self.bytes, self.tree = text, text.encode(), ast.parse(text)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def span(self, node: Node) -> tuple[int, int]:
        """Where a node begins and ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: Node) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.bytes[start:end].decode()

    def lines(self, node: ast.stmt) -> tuple[int, int]:
        """Where the lines of a statement begin and end."""
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        return self._starts[first - 1], self._starts[node.end_lineno or node.lineno]

    def replace(self, node: Node, new: str) -> TextEdit:
        """An edit that puts something else in place of a node."""
        return TextEdit(*self.span(node), new)

    def change(self, kind: str, node: Node, new: str) -> CodeChange:
        """A change of one node."""
        return CodeChange(kind, node.lineno, (self.replace(node, new),))

    def applied(self, change: CodeChange) -> str:
        """The text with a change; the last places first, so that the others do not move."""
        text = self.bytes
        for edit in sorted(change.edits, key=lambda edit: -edit.start):
            text = text[: edit.start] + edit.new.encode() + text[edit.end :]
        return text.decode()


def atom(node: ast.expr, text: str) -> str:
    """An expression that can stand before a dot or a call: in brackets where it needs them.

    >>> atom(ast.parse("a + b", mode="eval").body, "a + b")
    '(a + b)'
    """
    simple = ast.Name | ast.Attribute | ast.Call | ast.Subscript
    return text if isinstance(node, simple) else f"({text})"


def difference(before: str, after: str, name: str) -> str:
    """A unified diff."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{name} (yours)", f"{name} (mended)", n=1, lineterm=""
    )
    return "\n".join(lines)


def functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions in a tree."""
    yield from (n for n in ast.walk(node) if isinstance(n, ast.FunctionDef))


def called(node: ast.Call) -> str:
    """The name of what is called, without what stands before a dot."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
