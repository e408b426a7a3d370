"""Changes of statements: their order, one of them left out, what is registered, what is written in place."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called, functions

SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def order(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Two neighbouring statements exchanged, or one left out."""
    for body in _bodies(scope):
        for one, two in pairwise(body):
            (a, b), (c, d) = code.lines(one), code.lines(two)
            # What comes to stand behind a return would be dead: to leave it out says the same.
            if b == c and not isinstance(two, ast.Return | ast.Raise):
                text = (code.bytes[c:d] + code.bytes[a:b]).decode()
                yield CodeChange("order", one.lineno, (TextEdit(a, d, text),))
        for first, last, to in _moves(len(body)):
            a, b = code.lines(body[first])[0], code.lines(body[last])[1]
            at = code.lines(body[to])[1] if to > last else code.lines(body[to])[0]
            text = code.bytes[a:b].decode()
            yield CodeChange("moved", body[first].lineno, (TextEdit(a, b, ""), TextEdit(at, at, text)))
        for one in body if len(body) > 1 else []:
            if isinstance(one, ast.Assign | ast.AugAssign | ast.Expr | ast.If | ast.For):
                yield CodeChange("statement-left-out", one.lineno, (TextEdit(*code.lines(one), ""),))


def _moves(count: int) -> Iterator[tuple[int, int, int]]:
    """One or two statements of a body to behind a later or before an earlier one: first, last, where."""
    for length in (1, 2):
        for first in range(count - length):
            last = first + length - 1
            yield from ((first, last, to) for to in range(last + 2, count - 1))
            yield from ((first, last, to) for to in range(first - 1))


def registered(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Weights that torch does not know of: a Parameter, a ModuleList, and super().__init__()."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.Assign) and _own(node.targets[0]):
            text = code.of(node.value)
            if isinstance(node.value, ast.List | ast.ListComp):
                yield code.change("registered", node.value, f"nn.ModuleList({text})")
                yield code.change("registered", node.value, f"nn.ParameterList({text})")
            elif isinstance(node.value, ast.Dict | ast.DictComp):
                keyed = _keyed(code, node.value)
                yield code.change("registered", node.value, f"nn.ModuleDict({keyed})")
            elif (isinstance(node.value, ast.Call) and called(node.value) != "Parameter") or isinstance(
                node.value, ast.BinOp
            ):
                yield code.change("registered", node.value, f"nn.Parameter({text})")
        if isinstance(node, ast.BinOp) and isinstance(node.left, ast.List) and len(node.left.elts) == 1:
            one, many = code.of(node.left.elts[0]), code.of(node.right)
            yield code.change("registered", node, f"[{one} for _ in range({many})]")
        if isinstance(node, ast.Call) and called(node) == "Variable" and node.args:
            yield code.change("registered", node, f"nn.Parameter({code.of(node.args[0])})")
    for tree in scope:
        for function in functions(tree):
            if function.name == "__init__" and "super()" not in code.of(function):
                first = function.body[0]
                start, _ = code.lines(first)
                indent = " " * first.col_offset
                yield CodeChange(
                    "registered", first.lineno, (TextEdit(start, start, f"{indent}super().__init__()\n"),)
                )


def _keyed(code: CodeText, node: ast.Dict | ast.DictComp) -> str:
    if isinstance(node, ast.DictComp):
        key, text = code.of(node.key), code.of(node)
        return text.replace(f"{key}:", f"str({key}):", 1)
    return code.of(node)


def in_place(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """What writes into its argument, written anew; a copy of an argument made first."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.AugAssign) and type(node.op) in SIGNS:
            target = code.of(node.target)
            new = f"{target} = {target} {SIGNS[type(node.op)]} ({code.of(node.value)})"
            yield code.change("in-place", node, new)
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            name = node.value.func.attr
            if name.endswith("_") and isinstance(node.value.func.value, ast.Name):
                inner = ", ".join(code.of(a) for a in [*node.value.args, *node.value.keywords])
                own = node.value.func.value.id
                yield code.change("in-place", node, f"{own} = {own}.{name[:-1]}({inner})")
    for function in (f for tree in scope for f in functions(tree) if f.name != "__init__"):
        first = function.body[0]
        start, indent = code.lines(first)[0], " " * first.col_offset
        for argument in [a.arg for a in function.args.args if a.arg != "self"][:3]:
            line = f"{indent}{argument} = {argument}.clone()\n"
            yield CodeChange("in-place", first.lineno, (TextEdit(start, start, line),))


def gradients(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """What cuts a gradient, left out: detach, data, no_grad."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.With) and any("no_grad" in code.of(i.context_expr) for i in node.items):
            first, last = code.lines(node.body[0])[0], code.lines(node.body[-1])[1]
            shift = node.body[0].col_offset - node.col_offset
            lines = code.bytes[first:last].decode().splitlines(keepends=True)
            text = "".join(line[shift:] if line[:shift].isspace() else line for line in lines)
            yield CodeChange("gradient", node.lineno, (TextEdit(code.lines(node)[0], last, text),))
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if "no_grad" in code.of(decorator) or "inference" in code.of(decorator):
                    start, end = code.span(decorator)
                    line = code.bytes.rfind(b"\n", 0, start) + 1
                    yield CodeChange("gradient", decorator.lineno, (TextEdit(line, end + 1, ""),))
        if isinstance(node, ast.Call) and called(node) == "detach" and isinstance(node.func, ast.Attribute):
            yield code.change("gradient", node, atom(node.func.value, code.of(node.func.value)))
        if isinstance(node, ast.Attribute) and node.attr == "data":
            yield code.change("gradient", node, code.of(node.value))
        if isinstance(node, ast.Call) and called(node) == "tensor" and node.args:
            yield code.change("gradient", node, code.of(node.args[0]))


def attached(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Every detach of a function left out at once."""
    for function in (f for tree in scope for f in functions(tree)):
        found = [
            code.replace(n, atom(n.func.value, code.of(n.func.value)))
            for n in ast.walk(function)
            if isinstance(n, ast.Call) and called(n) == "detach" and isinstance(n.func, ast.Attribute)
        ]
        if len(found) > 1:
            yield CodeChange("gradient", function.lineno, tuple(found))


def later(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A weight that multiplies or is added before everything, taken into what comes back."""
    for function in (f for tree in scope for f in functions(tree)):
        ends = [n for n in function.body if isinstance(n, ast.Return) and n.value is not None]
        for one in function.body if ends else ():
            value = one.value if isinstance(one, ast.Assign) else None
            if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult | ast.Add):
                continue
            for weight, other in ((value.left, value.right), (value.right, value.left)):
                if _own(weight):
                    last = ends[-1].value
                    assert last is not None
                    text = f"({code.of(last)}) {SIGNS[type(value.op)]} {code.of(weight)}"
                    own = isinstance(one, ast.Assign) and code.of(one.targets[0]) == code.of(other)
                    rest = TextEdit(*code.lines(one), "") if own else code.replace(value, code.of(other))
                    yield CodeChange("later", one.lineno, (rest, code.replace(last, text)))


def stable(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """An exponential of what may be large, less the largest first; log, sum and exp as one."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if not (isinstance(node, ast.Call) and called(node) == "exp"):
            continue
        own = isinstance(node.func, ast.Attribute) and not code.of(node.func).startswith(
            ("torch.", "math.", "np.")
        )
        inner = (
            node.func.value
            if own and isinstance(node.func, ast.Attribute)
            else node.args[0]
            if node.args
            else None
        )
        if inner is None:
            continue
        text = code.of(inner)
        for axis in ("dim=-1", "dim=1", "dim=0"):
            yield code.change("stable", node, f"torch.exp({text} - ({text}).amax({axis}, keepdim=True))")
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.Call) and called(node) == "log":
            inside = [
                n for n in ast.walk(node) if isinstance(n, ast.Call) and called(n) == "exp" and n is not node
            ]
            for exp in inside:
                argument = code.of(exp.args[0]) if exp.args else code.of(exp.func.value) if isinstance(exp.func, ast.Attribute) else ""  # fmt: skip
                for axis in (-1, 1, 0):
                    yield code.change("stable", node, f"torch.logsumexp({argument}, dim={axis})")


def _own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _bodies(scope: list[ast.AST]) -> Iterator[list[ast.stmt]]:
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef | ast.For | ast.If | ast.With):
            yield node.body
