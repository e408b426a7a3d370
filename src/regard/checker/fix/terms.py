"""Terms of a density and draws from a mixture: a constant, a determinant, a logarithm of a sum, a component each."""

import ast
import re
from collections.abc import Iterator

from regard.checker.fix.texts import CodeChange, CodeText, atom, called, functions

VARIANCE = re.compile(r"log_?var|logvar|log_?sigma", re.I)
SUMS = (ast.Add, ast.Sub)


def constants(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The logarithm of two pi, once for each dimension, or where it is missing."""
    words = _words(code)
    widths = [f"{name}.shape[-1]" for name in _inputs(scope)]
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.Call) and called(node) == "log" and "pi" in code.of(node):
            for width in widths:
                yield code.change("constant", node, f"{width} * {code.of(node)}")
                yield code.change("constant", node, f"0.5 * {width} * {code.of(node)}")
        if _is_sum(node) and isinstance(node, ast.BinOp):
            yield code.change("constant", node, f"{code.of(node)} + {words}")
            yield code.change("constant", node, f"{code.of(node)} - {words}")
            for width in widths:
                yield code.change("constant", node, f"{code.of(node)} + {width} * {words}")
                yield code.change("constant", node, f"{code.of(node)} - 0.5 * {width} * {words}")


def determinants(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The logarithm of a determinant, added to a density that lacks it."""
    nodes = [n for tree in scope for n in ast.walk(tree)]
    own = [code.of(n) for n in nodes if isinstance(n, ast.Attribute) and VARIANCE.search(n.attr)]
    given = [a.arg for tree in scope for f in functions(tree) for a in f.args.args if VARIANCE.search(a.arg)]
    for node in (n for n in nodes if _is_sum(n)):
        assert isinstance(node, ast.BinOp)
        for name in list(dict.fromkeys([*own, *given]))[:3]:
            for term in (f"+ {name}.sum(-1)", f"- 0.5 * {name}.sum(-1)", f"+ {name}"):
                yield code.change("determinant", node, f"{code.of(node)} {term}")


def _is_sum(node: ast.AST) -> bool:
    """A sum or a difference, behind which another term may stand."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, SUMS)


def _words(code: CodeText) -> str:
    """The logarithm of two pi in the words of a file."""
    for line in code.text.splitlines():
        for module in ("math", "np"):
            if re.match(rf"import {module}\b|import numpy as {module}\b", line):
                return f"{module}.log(2 * {module}.pi)"
    return "torch.log(torch.tensor(2 * torch.pi))"


def _inputs(scope: list[ast.AST]) -> list[str]:
    """Inputs, and attributes that have the width of one."""
    own = [a.arg for tree in scope for f in functions(tree) if f.name == "forward" for a in f.args.args[1:2]]
    means = [
        f"self.{n.attr}"
        for tree in scope
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and re.search(r"mean|mu\b|centre|center", n.attr)
    ]
    return list(dict.fromkeys([*own, *means]))[:2]


def mixed(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The logarithm of a sum of weighted densities, where logarithms are weighted or densities underflow."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if called(node) == "sum":
            for one, two, axis in _products(code, node):
                for weight, density in ((one, two), (two, one)):
                    text = f"torch.log({weight}) + {density}"
                    yield code.change("mixed", node, f"torch.logsumexp({text}, {axis})")
        if called(node) == "log" and node.args and isinstance(node.args[0], ast.Call):
            for one, two, axis in _products(code, node.args[0]):
                for weight, density in ((one, two), (two, one)):
                    inner = re.fullmatch(r"torch\.exp\((.*)\)|(.*)\.exp\(\)", density)
                    if inner:
                        text = f"torch.log({weight}) + {inner[1] or inner[2]}"
                        yield code.change("mixed", node, f"torch.logsumexp({text}, {axis})")


def _products(code: CodeText, node: ast.Call) -> Iterator[tuple[str, str, str]]:
    """The factors of a product that is summed over an axis, and the axis."""
    own = node.func.value if isinstance(node.func, ast.Attribute) else None
    given = [a for a in [own, *node.args] if a is not None and code.of(a) not in ("torch", "np")]
    if given and isinstance(given[0], ast.BinOp) and isinstance(given[0].op, ast.Mult):
        axes = [code.of(k.value) for k in node.keywords if k.arg in ("dim", "axis")]
        axes += [code.of(a) for a in given[1:2]]
        yield code.of(given[0].left), code.of(given[0].right), f"dim={axes[0] if axes else -1}"


def drawn(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A component and a noise for each sample, where one is drawn for all."""
    for function in (f for tree in scope for f in functions(tree)):
        names = [a.arg for a in function.args.args if a.arg != "self"][:2]
        for node in (n for n in ast.walk(function) if isinstance(n, ast.Call)):
            inner = node.func.value if isinstance(node.func, ast.Attribute) else None
            item = called(node) == "item" and isinstance(inner, ast.Call) and called(inner) == "multinomial"
            drawing = inner if item and isinstance(inner, ast.Call) else node
            if called(drawing) == "multinomial" and len(drawing.args) > 1:
                for name in names:
                    given = f"{code.of(drawing.args[0])}, {name}, replacement=True"
                    yield code.change("drawn", node, f"{code.of(drawing.func)}({given})")
            if called(node) == "sample" and not node.args and inner is not None:
                for name in names:
                    yield code.change("drawn", node, f"{code.of(node.func)}(({name},))")
            if called(node) == "randn":
                for name in names:
                    yield code.change("drawn", node, f"torch.randn_like({name})")


def logarithms(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Weights as logarithms where they are added to some, and not where they multiply."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.BinOp)):
        for part in (node.left, node.right) if isinstance(node.op, ast.Add) else ():
            text = atom(part, code.of(part))
            yield code.change("logarithm", part, f"{text}.log()")
            yield code.change("logarithm", part, f"{text}.log_softmax(dim=-1)")
