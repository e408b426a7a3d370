"""What parameters mean by their use, whatever they are called."""

import ast
import re

from regard.checker.reading.arguments import mean
from regard.checker.reading.source import Source

SCALES = re.compile(r"scal|temper|factor|sqrt|root|divis|denom", re.I)
"Names of what scores are divided or multiplied by."


def uses(source: Source, member: str) -> dict[str, str]:
    """Parameters that are divided by the number of heads ("width"), that only decide ("flag"), that nobody reads ("nothing").

    >>> uses(Source("class A:\\n    def __init__(self, joints, width):\\n        self.w = width\\n    def f(self):\\n        return self.w"), "A")
    {'joints': 'nothing'}
    >>> text = "class A:\\n    def __init__(self, size, heads, vis):\\n        self.d = size // heads"
    >>> uses(Source(text + "\\n        if vis:\\n            pass"), "A")
    {'size': 'width', 'vis': 'flag'}
    """
    node = source.member(member)
    maker = next((n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if maker is None or not isinstance(node, ast.ClassDef):
        return {}
    names = [a.arg for a in (*maker.args.posonlyargs, *maker.args.args, *maker.args.kwonlyargs)][1:]
    found = {name: "width" for name in names if _divided(maker, name)}
    found |= {name: "flag" for name in names if name not in found and _decides(node, maker, name)}
    return found | {name: "nothing" for name in names if name not in found and not _read(node, maker, name)}


def _divided(maker: ast.FunctionDef, name: str) -> bool:
    """Whether a name alone is divided by another that means heads."""
    return any(
        isinstance(n, ast.BinOp)
        and isinstance(n.op, ast.Mod | ast.FloorDiv | ast.Div)
        and isinstance(n.left, ast.Name)
        and n.left.id == name
        and isinstance(n.right, ast.Name)
        and mean(n.right.id, ["heads"]) == "heads"
        for n in ast.walk(maker)
    )


def _read(node: ast.ClassDef, maker: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter has any effect: it is more than kept, or what keeps it is read."""
    uses = [n for n in ast.walk(maker) if isinstance(n, ast.Name) and n.id == name]
    kept = [
        n.targets[0].attr
        for n in ast.walk(maker)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Attribute) and n.value in uses
    ]
    read = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    return len(uses) > len(kept) or bool(read & set(kept))


def _decides(node: ast.ClassDef, maker: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is nothing but a condition, as itself or kept on self under its name."""
    uses = [n for n in ast.walk(maker) if isinstance(n, ast.Name) and n.id == name]
    kept = [n for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == name]
    read = [n for n in (*uses, *kept) if isinstance(n.ctx, ast.Load)]
    tests = {id(n.test) for n in ast.walk(node) if isinstance(n, ast.If | ast.IfExp | ast.Assert)}
    tests |= {id(v) for n in ast.walk(node) if isinstance(n, ast.BoolOp) for v in n.values}
    tests |= {
        id(n.operand) for n in ast.walk(node) if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.Not)
    }
    stored = {
        id(n.value)
        for n in ast.walk(maker)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Attribute) and n.targets[0].attr == name
    }
    deciding = [n for n in read if id(n) in tests]
    return bool(deciding) and all(id(n) in tests | stored for n in read)


def scaling(source: Source, member: str, name: str) -> float | None:
    """The power of the width that a call hands in as a scale: its root where something is divided by it, one over it where it multiplies.

    >>> scaling(Source("def f(q, k, factor):\\n    return q @ k.mT / factor"), "f", "factor")
    0.5
    >>> scaling(Source("def f(q, k, scale):\\n    return scale * q @ k.mT"), "f", "scale")
    -0.5
    """
    if not SCALES.search(name):
        return None

    def own(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    for node in ast.walk(source.member(member)):
        if not isinstance(node, ast.BinOp | ast.AugAssign):
            continue
        sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
        if isinstance(node.op, ast.Div) and own(sides[-1]):
            return 0.5
        if isinstance(node.op, ast.Mult) and any(map(own, sides)):
            return -0.5
    return None
