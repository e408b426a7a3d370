"""A changed text made plain: without lines, sums and brackets that say nothing, unless they were there before."""

import ast
from collections.abc import Iterator

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit

NOTHING = {ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.FloorDiv: 1, ast.Pow: 1}
"What changes nothing at the right of an operator."
MOST = 20
"Simplifications of one text."


def tidied(text: str, before: str) -> str:
    """A changed text without what says nothing; what was there before stays.

    >>> tidied("i = range(0, (n) // 2 + 0)", "i = range(1, n // 2 + 1)")
    'i = range(0, n // 2)'
    """
    for _ in range(MOST):
        new = next((n for n in _simpler(text, before) if n != text), text)
        if new == text:
            break
        text = new
    return text


def _simpler(text: str, before: str) -> Iterator[str]:
    code = CodeText(text)
    known = set(before.splitlines())
    changed = {number for number, line in enumerate(text.splitlines(), start=1) if line not in known}
    yield from _without_idle(code, changed)
    yield from _without_nothing(code, changed, before)
    yield from _without_brackets(code, changed, before)


def _without_idle(code: CodeText, changed: set[int]) -> Iterator[str]:
    """Lines that give a name its own value."""
    for node in ast.walk(code.tree):
        body = node.body if isinstance(node, ast.FunctionDef | ast.For | ast.If | ast.With) else []
        for one in body if len(body) > 1 else []:
            idle = isinstance(one, ast.Assign) and code.of(one.targets[0]) == code.of(one.value)
            if idle and one.lineno in changed:
                yield code.applied(CodeChange("tidied", 1, (TextEdit(*code.lines(one), ""),)))


def _without_nothing(code: CodeText, changed: set[int], before: str) -> Iterator[str]:
    """Sums with nothing, and products with one."""
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.BinOp) or node.lineno not in changed or code.of(node) in before:
            continue
        right = node.right.value if isinstance(node.right, ast.Constant) else None
        if type(right) is int and NOTHING.get(type(node.op)) == right:
            yield code.applied(code.change("tidied", node, code.of(node.left)))


def _without_brackets(code: CodeText, changed: set[int], before: str) -> Iterator[str]:
    """Brackets that group what belongs together anyway."""
    wanted = ast.dump(code.tree)
    for start, end in _pairs(code, changed):
        inner = code.bytes[start + 1 : end].decode()
        if f"({inner})" in before:
            continue
        edits = (TextEdit(start, start + 1, ""), TextEdit(end, end + 1, ""))
        new = code.applied(CodeChange("tidied", 1, edits))
        try:
            same = ast.dump(ast.parse(new)) == wanted
        except SyntaxError:
            same = False
        if same:
            yield new


def _pairs(code: CodeText, changed: set[int]) -> Iterator[tuple[int, int]]:
    """Where brackets open and close on one changed line."""
    start = 0
    for number, line in enumerate(code.bytes.splitlines(keepends=True), start=1):
        opened: list[int] = []
        for place, letter in enumerate(line) if number in changed else ():
            if letter == ord("("):
                opened.append(start + place)
            elif letter == ord(")") and opened:
                yield opened.pop(), start + place
        start += len(line)
