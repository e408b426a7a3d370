"""What is there and was forgotten: an epsilon, the number of heads in a width, an argument that is never read."""

import ast
import re
from collections.abc import Iterator

from regard.checker.fix.texts import CodeChange, CodeText, atom, called, functions
from regard.checker.fix.values import number

EPSILON = re.compile(r"eps", re.I)
HEADS = re.compile(r"^(n|num|nb)?_?heads?$|^n_?h$", re.I)


def epsilon(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """An epsilon of the file added under a root, or to a deviation."""
    words = [text for text in _spoken(code, scope) if EPSILON.search(text)]
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        name = called(node)
        if name not in ("sqrt", "rsqrt", "std", "norm"):
            continue
        inside = (
            node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
        )
        for word in words[:3]:
            if name in ("sqrt", "rsqrt") and inside is not None:
                text = code.of(inside)
                whole = (
                    text
                    if not isinstance(inside, ast.BinOp) or isinstance(inside.op, ast.Add)
                    else f"({text})"
                )
                yield code.change(
                    "epsilon", inside, f"{whole} + {word}" if node.args else f"({whole} + {word})"
                )
            else:
                yield code.change("epsilon", node, f"({code.of(node)} + {word})")


def _spoken(code: CodeText, scope: list[ast.AST]) -> list[str]:
    """Attributes of self and arguments, as they are written."""
    nodes = [n for tree in scope for n in ast.walk(tree)]
    own = [code.of(n) for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]
    return list(
        dict.fromkeys([*own, *(a.arg for tree in scope for f in functions(tree) for a in f.args.args)])
    )


def widths(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The width of a head in place of the width of all: divided by a number of heads that the file knows."""
    nodes = [n for tree in scope for n in ast.walk(tree)]
    words = {n.attr for n in nodes if isinstance(n, ast.Attribute) and HEADS.match(n.attr)}
    words |= {n.id for n in nodes if isinstance(n, ast.Name) and HEADS.match(n.id)}
    words |= {a.arg for tree in scope for f in functions(tree) for a in f.args.args if HEADS.match(a.arg)}
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base = node.left
        elif isinstance(node, ast.Call) and called(node) == "sqrt" and node.args:
            base = node.args[0]
        else:
            continue
        text = code.of(base)
        owner = code.of(base.value) if isinstance(base, ast.Attribute) else ""
        for word in sorted(words):
            for head in dict.fromkeys([f"{owner}.{word}" if owner else word, word, f"self.{word}"]):
                yield code.change("scale", base, f"({atom(base, text)} // {head})")


def unread(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """An argument that is never read, added to the positions or in place of a number."""
    for function in (f for tree in scope for f in functions(tree)):
        read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        defaults = [*function.args.defaults, *function.args.kw_defaults]
        for argument in [a.arg for a in function.args.args if a.arg not in read and a.arg != "self"]:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and called(node) == "arange":
                    yield code.change("unread", node, f"({code.of(node)} + {argument})")
                elif isinstance(node, ast.Constant) and number(node) and node not in defaults:
                    yield code.change("unread", node, argument)


def applied(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A function of one argument that a function calls, for another argument that it gives back as it came."""
    for function in (f for tree in scope for f in functions(tree)):
        names = [a.arg for a in function.args.args]
        used = [
            n.func
            for n in ast.walk(function)
            if isinstance(n, ast.Call) and len(n.args) == 1 and getattr(n.args[0], "id", "") in names
        ]
        words = list(dict.fromkeys(code.of(func) for func in used if isinstance(func, ast.Name)))
        for node in (n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value):
            given = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for part in (p for p in given if isinstance(p, ast.Name) and p.id in names):
                yield from (code.change("applied", part, f"{word}({part.id})") for word in words)


def chances(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Components drawn by their weights, where all are equally likely."""
    words = [text for text in _spoken(code, scope) if re.search(r"^self\.\w*(logit|weight|pi\b)", text)]
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        size = node.args[-1] if node.args else None
        if called(node) != "randint" or not isinstance(size, ast.Tuple) or len(size.elts) != 1:
            continue
        for word in words[:2]:
            given = f"torch.softmax({word}, dim=0), {code.of(size.elts[0])}, replacement=True"
            yield code.change("function", node, f"torch.multinomial({given})")
