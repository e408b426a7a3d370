"""What is there and was forgotten: an epsilon, the number of heads in a width, an argument that is never read."""

import ast
import re
from collections.abc import Iterator

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called, functions
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
    """An argument that is never read, or only kept, added to the positions or in place of a number."""
    own = (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    used = {n.attr for n in own if isinstance(n.ctx, ast.Load)}
    for function in (f for tree in scope for f in functions(tree)):
        kept = {id(n.value) for n in ast.walk(function) if isinstance(n, ast.Assign) and _idle(n, used)}
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        read = {n.id for n in names if id(n) not in kept}
        defaults = [*function.args.defaults, *function.args.kw_defaults]
        for argument in [a.arg for a in function.args.args if a.arg not in read and a.arg != "self"]:
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and called(node) == "arange":
                    yield code.change("unread", node, f"({code.of(node)} + {argument})")
                elif isinstance(node, ast.Constant) and number(node) and node not in defaults:
                    yield code.change("unread", node, argument)


def _idle(node: ast.Assign, used: set[str]) -> bool:
    """Whether an assignment keeps a value where nobody reads it."""
    target = node.targets[0]
    return isinstance(target, ast.Attribute) and target.attr not in used


def slices(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Every table of a function read from an offset on, where it is read from its beginning."""
    for function in (f for tree in scope for f in functions(tree) if f.name != "__init__"):
        cuts = [
            n.slice
            for n in ast.walk(function)
            if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice) and n.slice.upper and not n.slice.lower
        ]  # fmt: skip
        for name in [a.arg for a in function.args.args if a.arg != "self"][1:]:
            edits = [
                TextEdit(*code.span(c), f"{name}:{name} + {code.of(c.upper)}") for c in cuts if c.upper is not None
            ]  # fmt: skip
            if edits:
                yield CodeChange("unread", function.lineno, tuple(edits))


def sliced(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A table of self cut to the length of the input."""
    for function in (f for tree in scope for f in functions(tree) if f.name != "__init__"):
        sizes = [
            t.id
            for n in ast.walk(function)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple)
            for t in n.targets[0].elts[:3]
            if isinstance(t, ast.Name)
        ]
        called_on = {n.func for n in ast.walk(function) if isinstance(n, ast.Call)}
        held = {n.value for n in ast.walk(function) if isinstance(n, ast.Subscript | ast.Attribute)}
        for node in ast.walk(function):
            own = isinstance(node, ast.Attribute) and code.of(node.value) == "self"
            if own and isinstance(node, ast.Attribute) and node not in called_on and node not in held:
                for size in sizes:
                    yield code.change("sliced", node, f"{code.of(node)}[:{size}, :{size}]")


def unapplied(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """What a function makes and never reads: multiplied with what it gives back, or passed on as a mask."""
    for function in (f for tree in scope for f in functions(tree) if f.name != "__init__"):
        nodes = list(ast.walk(function))
        read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        made = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        given = [a.arg for a in function.args.args if a.arg != "self"]
        for name in [n for n in dict.fromkeys([*made, *given]) if n not in read and n != "_"]:
            for node in (n for n in nodes if isinstance(n, ast.Return | ast.Assign) and n.value):
                assert node.value is not None
                yield code.change("unused", node.value, f"{name} @ {code.of(node.value)}")
            for node in (
                a for n in nodes if isinstance(n, ast.Call) for a in n.args if isinstance(a, ast.Name)
            ):
                yield code.change("unused", node, f"{name} @ {node.id}")
            for node in (n for n in nodes if isinstance(n, ast.Call)):
                if called(node) == "scaled_dot_product_attention":
                    inner = ", ".join(code.of(a) for a in [*node.args, *node.keywords])
                    for mask in (name, f"{name}[:, None, None, :] if {name} is not None else None"):
                        yield code.change("mask", node, f"{code.of(node.func)}({inner}, attn_mask={mask})")


def passed(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """An argument that a function of the file takes and is not given, although its caller has it."""
    takers = {f.name: [a.arg for a in f.args.args] for tree in scope for f in functions(tree)}
    for function in (f for tree in scope for f in functions(tree)):
        own = [a.arg for a in function.args.args if a.arg != "self"]
        for node in (n for n in ast.walk(function) if isinstance(n, ast.Call)):
            takes = [a for a in takers.get(called(node), []) if a != "self"][len(node.args) :]
            for name in (a for a in takes if a in own and a not in [k.arg for k in node.keywords]):
                inner = ", ".join(code.of(a) for a in [*node.args, *node.keywords])
                for value in (name, f"{name}[:, None, None, :] if {name} is not None else None"):
                    new = f"{code.of(node.func)}({inner}, {name}={value})"
                    yield code.change("mask" if "mask" in name else "unread", node, new)


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
        if called(node) != "randint" or not isinstance(size, ast.Tuple) or len(size.elts) > 1:
            continue
        for word in words[:2]:
            many = code.of(size.elts[0]) if size.elts else "1"
            given = f"torch.softmax({word}, dim=0), {many}, replacement=True"
            yield code.change("function", node, f"torch.multinomial({given})")
