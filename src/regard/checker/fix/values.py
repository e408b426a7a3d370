"""Changes of numbers, operators and signs."""

import ast
import re
from collections.abc import Iterator

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom

AXES = (-1, -2, 0, 1, 2, 3)
OPERATORS = {"+": ("-", "*"), "-": ("+",), "*": ("/", "+"), "/": ("*",), "//": ("/",), "@": ()}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.MatMult: "@"}
COMPARED = {ast.Eq: ("!=",), ast.NotEq: ("==",), ast.Gt: ("<=", ">=", "<"), ast.Lt: (">=", "<=", ">"), ast.GtE: ("<", ">"), ast.LtE: (">", "<")}  # fmt: skip
INFINITE = 'float("-inf")'
TINY = 1e-4
"A number below this hides nothing; who writes it as a fill means a large one."
TURNED = ("outer", "einsum", "cos", "sin", "exp", "polar")
"Functions in front of whose arguments a minus is forgotten."


def numbers(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Another number: an axis, a power, a factor, a fill."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if not isinstance(node, ast.Constant | ast.UnaryOp):
            continue
        value = number(node)
        if value is None or (isinstance(node, ast.Constant) and _signed(node, scope)):
            continue
        for new in others(value):
            yield code.change("number", node, new)


def number(node: ast.AST) -> float | int | None:
    """The number that an expression is, if it is one."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    return None


def _signed(node: ast.Constant, scope: list[ast.AST]) -> bool:
    """Whether a number stands behind a minus, with which it is changed together."""
    return any(
        isinstance(n, ast.UnaryOp) and n.operand is node and isinstance(n.op, ast.USub)
        for tree in scope
        for n in ast.walk(tree)
    )


def others(value: float) -> list[str]:
    """Numbers that people mean in place of one.

    >>> others(0.01)
    ['0.2', '-0.01', '0.5', '1.0', '2.0', '-0.5', '100']
    """
    if isinstance(value, int) and abs(value) <= 4:
        near = [v for v in (*AXES, value + 1, value - 1) if v != value]
        texts = [str(v) for v in dict.fromkeys(near)]
        return [INFINITE, *texts, "0.5"] if value == 0 else [*texts, "0.5", "-0.5", INFINITE]
    if 0 < abs(value) < TINY:
        return [INFINITE, f"{-1 / abs(value):g}".replace("e+0", "e"), "0.0"]
    if value <= -1 or value == 0:
        return [INFINITE, *(["0.5", "1.0"] if value == 0 else ["-0.5"])]
    if value >= 100:
        return ["10000.0", "10000"]
    texts = ["0.2", f"{-value:g}", "0.5", "1.0", "2.0", "-0.5", f"{1 / value:g}"]
    return [t for t in dict.fromkeys(texts) if float(t) != value]


def operators(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Another operator, operands exchanged, or one of the two alone."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            left, right = code.of(node.left), code.of(node.right)
            sign = SIGNS[type(node.op)]
            for other in OPERATORS[sign]:
                # A sum for a product is seldom meant: under a softmax it may be nothing but a shift.
                kind = "operator" if (sign in "+-") == (other in "+-") else "operator-kind"
                yield code.change(kind, node, f"{left} {other} {right}")
            for kept in (node.left, node.right):
                yield CodeChange("operand-left-out", node.lineno, (_bare(code, node, kept),))
            if sign in "@-/":
                yield code.change("operands-exchanged", node, f"{atom(node.right, right)} {sign} {atom(node.left, left)}")  # fmt: skip
            if sign == "@":
                yield code.change("transpose", node, f"{atom(node.left, left)}.transpose(-2, -1) @ {atom(node.right, right)}")  # fmt: skip
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.BitOr | ast.BitAnd | ast.Mod):
            yield code.change("operand-left-out", node, code.of(node.left))
            if not isinstance(node.op, ast.Pow | ast.Mod):
                yield code.change("operand-left-out", node, code.of(node.right))
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED and len(node.ops) == 1:
            left, right = code.of(node.left), code.of(node.comparators[0])
            for other in COMPARED[type(node.ops[0])]:
                yield code.change("comparison", node, f"{left} {other} {right}")


def brackets(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A sum in a product, the other way about: a * (b + c) and a * b + c."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if not isinstance(node, ast.BinOp):
            continue
        left, right = code.of(node.left), code.of(node.right)
        if isinstance(node.op, ast.Mult | ast.Div):
            sign = SIGNS[type(node.op)]
            for inner, other, after in ((node.left, right, True), (node.right, left, False)):
                if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add | ast.Sub):
                    a, b, plus = code.of(inner.left), code.of(inner.right), SIGNS[type(inner.op)]
                    if after:
                        yield code.change("brackets", node, f"{a} {sign} {other} {plus} {b}")
                        yield code.change("brackets", node, f"{a} {plus} {b} {sign} {other}")
                    else:
                        yield code.change("brackets", node, f"{other} {sign} {a} {plus} {b}")
                        yield code.change("brackets", node, f"{a} {plus} {other} {sign} {b}")
        if isinstance(node.op, ast.Add | ast.Sub):
            sign = SIGNS[type(node.op)]
            for inner, other, after in ((node.left, right, True), (node.right, left, False)):
                if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mult | ast.Div):
                    a, b, times = code.of(inner.left), code.of(inner.right), SIGNS[type(inner.op)]
                    whole = (
                        f"({a} {sign} {other}) {times} {b}" if after else f"{a} {times} ({other} {sign} {b})"
                    )
                    yield code.change("brackets", node, whole)


def signs(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A minus or a not, taken away or put there."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert | ast.Not):
            # A condition that is turned seldom mends anything: it takes the other branch.
            kind = "condition" if isinstance(node.op, ast.Not) else "sign"
            yield code.change(kind, node, code.of(node.operand))
        elif (
            isinstance(node, ast.keyword) and "mask" in (node.arg or "") and isinstance(node.value, ast.expr)
        ):
            yield code.change("sign", node.value, f"~{atom(node.value, code.of(node.value))}")
        elif isinstance(node, ast.Call) and _name(node) in TURNED:
            for part in (a for a in node.args if not isinstance(a, ast.Constant | ast.UnaryOp)):
                yield code.change("sign", part, f"-{atom(part, code.of(part))}")
        elif isinstance(node, ast.Call) and node.args and _fills(node):
            first = node.args[0]
            if not isinstance(first, ast.UnaryOp | ast.Constant):
                text = atom(first, code.of(first))
                yield code.change("sign", first, f"~{text}")
                yield code.change("sign", first, f"{text} == 0")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            yield code.change("sign", node.left, f"-{atom(node.left, code.of(node.left))}")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            yield code.change("sign", node.right, f"-{atom(node.right, code.of(node.right))}")
        elif isinstance(node, ast.Assign) and "mask" in code.of(node.targets[0]).lower():
            yield code.change("sign", node.value, f"~{atom(node.value, code.of(node.value))}")
        elif isinstance(node, ast.Return) and node.value is not None:
            yield code.change("sign", node.value, f"-{atom(node.value, code.of(node.value))}")


def _bare(code: CodeText, node: ast.expr, kept: ast.expr) -> TextEdit:
    """One operand in place of both, without brackets that it does not need."""
    start, end = code.span(node)
    before, after = code.bytes[:start].decode(), code.bytes[end:].decode()
    simple = isinstance(kept, ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.Call)
    needless = before.endswith("(") and after.startswith(")") and re.search(r"(^|[^\w\])])\($", before[-2:])
    widened = 1 if simple and needless else 0
    return TextEdit(start - widened, end + widened, code.of(kept))


def _fills(node: ast.Call) -> bool:
    return _name(node) in ("masked_fill", "masked_fill_", "where")


def _name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""
