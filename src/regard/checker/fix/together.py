"""Changes at several places at once: the same call left out, the same number replaced, a call moved to another line."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called, functions
from regard.checker.fix.values import number

MOVES = re.compile(r"elu$|leak|tanh|softmax|drop|^exp$|sqrt$|^act", re.I)
"Calls that stand at the wrong step."
OVER = ("mean", "sum", "var", "std", "norm")
"Functions that run over everything where no axis is named."


def dropped(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Every call of one function left out: what goes in comes out."""
    for function in (f for tree in scope for f in functions(tree)):
        found: dict[str, list[ast.Call]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and node.args:
                found.setdefault(code.of(node.func), []).append(node)
        for calls in (calls for calls in found.values() if len(calls) > 1):
            spans = sorted(code.span(call) for call in calls)
            if all(one[1] <= two[0] for one, two in pairwise(spans)):
                edits = tuple(code.replace(call, code.of(call.args[0])) for call in calls)
                yield CodeChange("call-left-out", calls[0].lineno, edits)


def moved(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A call taken away from one line and put around what another line gives."""
    for function in (f for tree in scope for f in functions(tree)):
        lines = [n for n in ast.walk(function) if isinstance(n, ast.Assign | ast.Return) and n.value]
        for line in lines:
            for call in (n for n in ast.walk(line) if isinstance(n, ast.Call) and n.args):
                if not MOVES.search(called(call)):
                    continue
                inner, rest = code.of(call.args[0]), [code.of(a) for a in [*call.args[1:], *call.keywords]]
                yield from _outwards(code, line, call)
                for other in (o for o in lines if o is not line):
                    assert other.value is not None
                    new = f"{code.of(call.func)}({', '.join([code.of(other.value), *rest])})"
                    edits = (code.replace(call, inner), code.replace(other.value, new))
                    yield CodeChange("call-moved", line.lineno, edits)


def _outwards(code: CodeText, line: ast.Assign | ast.Return, call: ast.Call) -> Iterator[CodeChange]:
    """A call put around an expression of the same line that holds it."""
    (start, end), rest = code.span(call), [code.of(a) for a in [*call.args[1:], *call.keywords]]
    for outer in (n for n in ast.walk(line) if isinstance(n, ast.BinOp | ast.Call) and n is not call):
        first, last = code.span(outer)
        if first <= start and end <= last:
            inner = code.bytes[first:start].decode() + code.of(call.args[0]) + code.bytes[end:last].decode()
            new = f"{code.of(call.func)}({', '.join([inner, *rest])})"
            yield code.change("call-moved", outer, new)


def numbers(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The same number, wherever a call names it, one less or one more."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        found: dict[str, list[ast.Constant]] = {}
        for one in (n for a in node.args for n in ast.walk(a) if isinstance(n, ast.Constant)):
            if type(number(one)) is int:
                found.setdefault(code.of(one), []).append(one)
        for text, same in found.items():
            for new in (int(text) - 1, int(text) + 1) if len(same) > 1 else ():
                yield CodeChange("number", node.lineno, tuple(code.replace(n, str(new)) for n in same))


def axis(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """An axis for what runs over everything."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if called(node) in OVER and not node.keywords and isinstance(node.func, ast.Attribute):
            if not node.args:
                yield code.change("axes", node, f"{code.of(node.func)}(dim=-1, keepdim=True)")
            elif len(node.args) == 1 and atom(node.args[0], "x") == "x":
                text = code.of(node.args[0])
                yield code.change("axes", node, f"{code.of(node.func)}({text}, dim=-1, keepdim=True)")


def inside(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A factor behind a softmax taken before it."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.BinOp)):
        call = node.left
        if (
            isinstance(node.op, ast.Mult | ast.Div)
            and isinstance(call, ast.Call)
            and "softmax" in called(call)
        ):
            sign, factor = "*" if isinstance(node.op, ast.Mult) else "/", code.of(node.right)
            own = isinstance(call.func, ast.Attribute) and len(call.args) + len(call.keywords) == 1
            inner = call.func.value if own and isinstance(call.func, ast.Attribute) else call.args[0]
            new = f"({code.of(inner)} {sign} {factor})" if own else f"{code.of(inner)} {sign} {factor}"
            rest = TextEdit(code.span(call)[1], code.span(node)[1], "")
            yield CodeChange("brackets", node.lineno, (code.replace(inner, new), rest))


def unconditional(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """What is done under a condition, done always."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.If) and not n.orelse):
        first, last = code.lines(node.body[0])[0], code.lines(node.body[-1])[1]
        shift = node.body[0].col_offset - node.col_offset
        lines = code.bytes[first:last].decode().splitlines(keepends=True)
        text = "".join(line[shift:] if line[:shift].isspace() else line for line in lines)
        yield CodeChange("unconditional", node.lineno, (TextEdit(code.lines(node)[0], last, text),))


def squares(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The mean of the squares in place of a variance."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if called(node) in ("var", "std") and isinstance(node.func, ast.Attribute):
            kept = [a for a in node.keywords if a.arg in ("dim", "axis", "keepdim")]
            owner, axes = node.func.value, node.args[:1]
            if code.of(owner) == "torch":
                owner, axes = (node.args[0] if node.args else owner), node.args[1:2]
            given = ", ".join(code.of(a) for a in [*axes, *kept])
            root = ".sqrt()" if called(node) == "std" else ""
            yield code.change("function", node, f"{atom(owner, code.of(owner))}.square().mean({given}){root}")
