"""Changes of what is listed: elements and parameters exchanged, a minus in front of them, one of two branches."""

import ast
from collections.abc import Iterator
from itertools import combinations

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, functions

LONGEST = 5
"Elements of a list of which two are exchanged."


def exchanged(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Two elements of a tuple, a list or an index exchanged, or two parameters of a function."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
            for one, two in combinations(node.elts[:LONGEST], 2):
                if ast.dump(one) != ast.dump(two):
                    edits = (code.replace(one, code.of(two)), code.replace(two, code.of(one)))
                    yield CodeChange("elements-exchanged", node.lineno, edits)
    for function in (f for tree in scope for f in functions(tree)):
        bare = function.args.args[: len(function.args.args) - len(function.args.defaults)]
        for one, two in combinations([a for a in bare if a.arg != "self"][:LONGEST], 2):
            edits = (code.replace(one, code.of(two)), code.replace(two, code.of(one)))
            yield CodeChange("arguments-exchanged", function.lineno, edits)


def signed(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A minus before one element of a tuple or list, or every sign of its elements turned."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if not isinstance(node, ast.Tuple | ast.List) or not isinstance(node.ctx, ast.Load):
            continue
        parts = [part for part in node.elts if not isinstance(part, ast.Constant | ast.Slice)]
        turned = [code.replace(part, _turned(code, part)) for part in parts]
        yield from (CodeChange("sign", node.lineno, (edit,)) for edit in turned)
        if len(turned) > 1:
            yield CodeChange("sign", node.lineno, tuple(turned))


def _turned(code: CodeText, node: ast.expr) -> str:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return code.of(node.operand)
    return f"-{atom(node, code.of(node))}"


def branches(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """One of two branches in every case."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.IfExp):
            yield code.change("unconditional", node, code.of(node.body))
            yield code.change("unconditional", node, code.of(node.orelse))
        elif isinstance(node, ast.If) and node.orelse:
            for body in (node.body, node.orelse):
                first, last = code.lines(body[0])[0], code.lines(body[-1])[1]
                shift = body[0].col_offset - node.col_offset
                lines = code.bytes[first:last].decode().splitlines(keepends=True)
                text = "".join(line[shift:] if line[:shift].isspace() else line for line in lines)
                yield CodeChange("unconditional", node.lineno, (TextEdit(*code.lines(node), text),))
