"""Changes that ask for new lines: loops of a graph, a softmax over each node's edges, sums that were overwritten."""

import ast
import re
from collections.abc import Iterator

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called, functions

GRAPH = re.compile(r"adj|edge|graph|^a$|^A$|^A_|_A$|^e$")
ADDED = ("index_add", "index_add_", "scatter_add", "scatter_add_", "scatter", "index_reduce")
HIDDEN = 'float("-inf")'


def loops(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Every node joined to itself, before anything else is done with a graph."""
    for function in (f for tree in scope for f in functions(tree) if f.name != "__init__"):
        names = [a.arg for a in function.args.args if a.arg != "self"]
        start, indent = _top(code, function)
        for name in [n for n in names if GRAPH.search(n)] or names[1:2]:
            nodes = [n for n in names if n != name][:1]
            lines = [f"{name} = {name}.clone().fill_diagonal_(1)"]
            lines += [
                f"{name} = torch.cat([{name}, torch.arange(len({x})).repeat(2, 1)], dim=1)" for x in nodes
            ]
            for line in lines:
                text = f"{indent}{line}\n"
                yield CodeChange("loops", function.lineno, (TextEdit(start, start, text),))


def _top(code: CodeText, function: ast.FunctionDef) -> tuple[int, str]:
    """Where the first statement behind a docstring begins, and its indent."""
    body = function.body
    first = body[1] if ast.get_docstring(function, clean=False) is not None and len(body) > 1 else body[0]
    return code.lines(first)[0], " " * first.col_offset


def grouped(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A softmax or an exponential over the edges of each node apart, less the largest score of that node."""
    for function in (f for tree in scope for f in functions(tree)):
        for statement, call in _calls(function):
            scores = _subject(code, call)
            if scores is None or not (called(call) == "exp" or "softmax" in called(call)):
                continue
            name = code.of(scores) if isinstance(scores, ast.Name) else "score"
            made = [f"score = {code.of(scores)}"] if name == "score" else []
            start = code.lines(statement)[0]
            for ends in _ends(code, function):
                lines, power, share = _softmax(name, ends)
                if called(call) == "exp":
                    new = power
                else:
                    new, lines = share, [*lines, f"power = {power}"]
                text = _indented([*made, *lines], statement)
                yield CodeChange(
                    "grouped", call.lineno, (TextEdit(start, start, text), code.replace(call, new))
                )
        for one in function.body:
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                name, end = one.targets[0].id, code.lines(one)[1]
                for ends in _ends(code, function):
                    lines, power, share = _softmax(name, ends)
                    text = _indented([*lines, f"power = {power}", f"{name} = {share}"], one)
                    yield CodeChange("grouped", one.lineno, (TextEdit(end, end, text),))


def _softmax(name: str, ends: str) -> tuple[list[str], str, str]:
    """Lines for the largest score of each node; then the powers of all scores, and their shares."""
    most = f"{name}.new_full((int({ends}.max()) + 1, *{name}.shape[1:]), {HIDDEN})"
    share = f"power / torch.zeros_like(most).index_add(0, {ends}, power)[{ends}]"
    line = f'most = {most}.index_reduce(0, {ends}, {name}, "amax")'
    return [line], f"torch.exp({name} - most[{ends}])", share


def _indented(lines: list[str], like: ast.stmt) -> str:
    return "".join(f"{' ' * like.col_offset}{line}\n" for line in lines)


def _calls(function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, ast.Call]]:
    for statement in function.body:
        if isinstance(statement, ast.Assign | ast.Return):
            yield from ((statement, n) for n in ast.walk(statement) if isinstance(n, ast.Call))


def _subject(code: CodeText, call: ast.Call) -> ast.expr | None:
    """What a function of torch, or a method, is applied to."""
    own = call.func.value if isinstance(call.func, ast.Attribute) else None
    if own is not None and code.of(own) not in ("torch", "F", "nn.functional", "torch.nn.functional", "math"):
        return own
    return call.args[0] if call.args else None


def _ends(code: CodeText, function: ast.FunctionDef) -> list[str]:
    """What sums over edges are told apart by."""
    found = [
        code.of(n.args[1])
        for n in ast.walk(function)
        if isinstance(n, ast.Call) and called(n) in ADDED and len(n.args) > 1
    ]
    return list(dict.fromkeys(found))[:3]


def summed(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """What overwrites, added instead: at the index of an assignment, or from one turn of a loop to the next."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target = node.targets[0]
            owner, index, value = code.of(target.value), code.of(target.slice), code.of(node.value)
            yield code.change("summed", node, f"{owner} = {owner}.index_add(0, {index}, {value})")
            yield code.change("summed", node, f"{code.of(target)} += {value}")
        if isinstance(node, ast.For):
            for one in node.body:
                if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                    name, start = one.targets[0].id, code.lines(node)[0]
                    first = TextEdit(start, start, f"{' ' * node.col_offset}{name} = 0\n")
                    new = code.replace(one.value, f"{name} + {code.of(one.value)}")
                    yield CodeChange("summed", one.lineno, (first, new))


def kept(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A result that nobody takes, taken."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            owner = call.func.value
            if isinstance(owner, ast.Name) and not call.func.attr.endswith("_"):
                yield code.change("kept", call, f"{owner.id} = {code.of(call)}")


def filled(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Scores hidden by what they are multiplied with or added to."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.BinOp)):
        if isinstance(node.op, ast.Mult | ast.Add):
            for scores, mask in ((node.left, node.right), (node.right, node.left)):
                left, right = atom(scores, code.of(scores)), atom(mask, code.of(mask))
                yield code.change("filled", node, f"{left}.masked_fill({right} == 0, {HIDDEN})")


def symmetric(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """An adjacency divided by the roots of its degrees, where it is multiplied with features."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        graph: ast.expr | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            graph = node.left
        elif isinstance(node, ast.Call) and called(node) in ("matmul", "mm", "spmm") and len(node.args) == 2:
            graph = node.args[0]
        if graph is not None:
            text = atom(graph, code.of(graph))
            degrees = f"{text}.sum(1, keepdim=True)"
            yield code.change("symmetric", graph, f"({text} / ({degrees} * {degrees}.mT).sqrt())")
