"""Calls that are missing: an expression is put into one."""

import ast
import re
from collections.abc import Iterator

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called, functions
from regard.checker.fix.values import INFINITE

WIDTHS = re.compile(r"head_?(dim|size|width)|dim_head|^d_?[kh]?$|^d_?head$")
PRODUCTS = ("matmul", "bmm", "einsum", "baddbmm")
AROUND = (
    "{}.transpose(-2, -1)", "{}.transpose(1, 2)", "{}.mT", "{}.sqrt()", "{}.rsqrt()", "{}.exp()", "{}.log()", "{}.square()",
    "{}.softmax(dim=-1)", "{0} * {0}.shape[-1] ** 0.5", "{}.mean(dim=-1, keepdim=True)", "torch.log_softmax({}, dim=-1)", "0.5 * {}", "2 * {}", "1 / {}",
    "torch.nn.functional.leaky_relu({}, 0.2)",  "{}.clone()", "({} != 0)", "{} + 1", "{} - 1", "{0} / {0}.sum(dim=-1, keepdim=True)",
    "{}.repeat_interleave(2, dim=-1)", "torch.cat([{0}, {0}], dim=-1)",
)  # fmt: skip
"What is forgotten around an expression."
SHORT = 20
"Letters of an expression that may be written twice."


def scaled(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A product of queries and keys divided by the root of their width."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        operands = _product(node)
        if operands and isinstance(node, ast.expr):
            own = [f"{code.of(operand)}.shape[-1]" for operand in operands if isinstance(operand, ast.Name)]
            for width in [*own, *_widths(code, scope)]:
                yield code.change("scale", node, f"{atom(node, code.of(node))} / {width} ** 0.5")
    for node in (n for tree in scope for n in ast.walk(tree)):
        # A root or power that is there already, of another width.
        if isinstance(node, ast.Call) and called(node) == "sqrt" and node.args:
            for width in [*_widths(code, scope), *(f"{name}.shape[-1]" for name in _names(scope))]:
                yield code.change("scale", node.args[0], width)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            for width in [*_widths(code, scope), *(f"{name}.shape[-1]" for name in _names(scope))]:
                yield code.change("scale", node.left, width)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Mult):
            yield code.change("root", node.right, f"{atom(node.right, code.of(node.right))} ** 0.5")
            yield code.change("root", node.right, f"{atom(node.right, code.of(node.right))} ** -0.5")


def _widths(code: CodeText, scope: list[ast.AST]) -> list[str]:
    """What a file calls the width of a head."""
    nodes = [n for tree in scope for n in ast.walk(tree)]
    cuts = [f"({code.of(n)})" for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.FloorDiv)]
    own = [code.of(n) for n in nodes if isinstance(n, ast.Attribute) and WIDTHS.search(n.attr)]
    return list(dict.fromkeys([*own, *cuts]))[:4]


def _names(scope: list[ast.AST]) -> list[str]:
    found = [
        n.id
        for tree in scope
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    arguments = [a.arg for tree in scope for f in functions(tree) for a in f.args.args]
    return [n for n in dict.fromkeys([*found, *arguments]) if n.lower().startswith(("q", "k"))][:3]


def _product(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return [node.left]
    if isinstance(node, ast.Call) and called(node) in PRODUCTS:
        names = [a for a in node.args if isinstance(a, ast.Name)]
        own = node.func.value if isinstance(node.func, ast.Attribute) else None
        return [*names[:2], *([own] if isinstance(own, ast.Name) and own.id != "torch" else [])]
    return []


def masked(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Scores that are hidden before the softmax: by the past, by a mask that is there, by what hid the weights after it."""
    after = list(_hidden(code, scope))
    for node in (n for tree in scope for n in ast.walk(tree)):
        if not (isinstance(node, ast.Call) and called(node) in ("softmax", "exp", "log_softmax")):
            continue
        own = isinstance(node.func, ast.Attribute) and not (isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "F", "nn"))  # fmt: skip
        own = own and not code.of(node.func).startswith(("torch.", "F.", "nn.", "self."))
        scores = (
            node.func.value
            if own and isinstance(node.func, ast.Attribute)
            else node.args[0]
            if node.args
            else None
        )
        if scores is None:
            continue
        text = atom(scores, code.of(scores))
        for hidden, edits in after:
            if all(edit.end <= code.span(scores)[0] or edit.start >= code.span(scores)[1] for edit in edits):
                new = f"{text}.masked_fill({hidden}, {INFINITE})"
                yield CodeChange("mask-moved", node.lineno, (*edits, code.replace(scores, new)))
                for name in (name for name in _masks(scope) if name in hidden):
                    given = f"({new} if {name} is not None else {text})"
                    yield CodeChange("mask-moved", node.lineno, (*edits, code.replace(scores, given)))
            inside = [e for e in edits if e.start <= code.span(node)[0] and e.end >= code.span(node)[1]]
            if inside:
                whole = code.of(node).replace(code.of(scores), f"{text}.masked_fill({hidden}, {INFINITE})", 1)
                yield CodeChange(
                    "mask-moved", node.lineno, (type(inside[0])(inside[0].start, inside[0].end, whole),)
                )
        yield from _future(code, node, scores, scope)
        for name in _masks(scope):
            for hide in (
                f"~{name}",
                f"{name} == 0",
                f"~{name}[:, None, None, :]",
                f"~{name}[..., None]",
                f"{name}[..., None] == 0",
            ):
                yield code.change("mask", scores, f"{text}.masked_fill({hide}, {INFINITE})")
                yield code.change(
                    "mask",
                    scores,
                    f"({text}.masked_fill({hide}, {INFINITE}) if {name} is not None else {text})",
                )


def _future(code: CodeText, node: ast.Call, scores: ast.expr, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The future hidden from every row; long scores get a line of their own first."""
    text, edits = atom(scores, code.of(scores)), list[TextEdit]()
    if len(text) > SHORT:
        lines = (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Assign | ast.Return))
        line = next((n for n in lines if any(part is node for part in ast.walk(n))), None)
        if line is None:
            return
        start = code.lines(line)[0]
        edits.append(TextEdit(start, start, f"{' ' * line.col_offset}scores = {code.of(scores)}\n"))
        text = "scores"
    size = f"{text}.size(-2), {text}.size(-1), dtype=torch.bool, device={text}.device"
    edits.append(code.replace(scores, f"{text}.masked_fill(torch.ones({size}).triu(1), {INFINITE})"))
    yield CodeChange("mask", node.lineno, tuple(edits))


def _masks(scope: list[ast.AST]) -> list[str]:
    arguments = [a.arg for tree in scope for f in functions(tree) for a in f.args.args]
    return [
        a for a in dict.fromkeys(arguments) if any(w in a.lower() for w in ("mask", "adj", "seen", "valid"))
    ]


def _hidden(code: CodeText, scope: list[ast.AST]) -> Iterator[tuple[str, tuple]]:
    """What weights are set to zero by, and the edits that leave that out."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if (
            isinstance(node, ast.Call)
            and called(node) == "masked_fill"
            and isinstance(node.func, ast.Attribute)
            and node.args
        ):
            yield code.of(node.args[0]), (code.replace(node, code.of(node.func.value)),)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for mask, other in ((node.right, node.left), (node.left, node.right)):
                text = code.of(mask)
                if any(
                    word in text.lower() for word in ("mask", "tril", "triu", "adj", "keep", "seen", "causal")
                ):
                    yield f"{atom(mask, text)} == 0", (code.replace(node, code.of(other)),)
        if isinstance(node, ast.Call) and called(node) == "where" and len(node.args) == 3:
            hidden = f"~{atom(node.args[0], code.of(node.args[0]))}"
            yield hidden, (code.replace(node, code.of(node.args[1])),)


def around(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A function around what is assigned, returned, multiplied or passed."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        inner: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Return) and node.value is not None:
            inner = [node.value]
        elif isinstance(node, ast.BinOp):
            inner = [node.left, node.right]
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            inner = [node.value] if isinstance(node.ctx, ast.Load) else []
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            inner = [node.operand]
        elif isinstance(node, ast.Call):
            inner = [a for a in node.args if isinstance(a, ast.Name | ast.Attribute | ast.Call | ast.BinOp)]
        for expression in inner:
            text = atom(expression, code.of(expression))
            for words in AROUND:
                if "{0}" not in words or len(text) <= SHORT:
                    yield code.change(_kind(words), expression, words.format(text))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(inner) == 1:
            yield from _behind(code, node, node.targets[0].id)


def halved(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Half of what is exponentiated: a deviation from the logarithm of a variance."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if called(node) == "exp" and isinstance(node.func, ast.Attribute):
            own = code.of(node.func.value)
            part = node.args[0] if own == "torch" and node.args else node.func.value
            text = f"0.5 * {atom(part, code.of(part))}"
            yield code.change("half", part, text if part in node.args else f"({text})")


def _behind(code: CodeText, node: ast.Assign, name: str) -> Iterator[CodeChange]:
    """The same in a line of its own, where an expression is too long to be written twice."""
    end, indent = code.lines(node)[1], " " * node.col_offset
    for words in (w for w in AROUND if "{0}" in w and len(code.of(node.value)) > SHORT):
        line = f"{indent}{name} = {words.format(name)}\n"
        yield CodeChange(_kind(words), node.lineno, (TextEdit(end, end, line),))


def widened(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """What a call gives times the root of the width of its first argument."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args):
        if isinstance(node.args[0], ast.Name):
            yield code.change("width", node, f"{code.of(node)} * {node.args[0].id}.shape[-1] ** 0.5")


def _kind(words: str) -> str:
    """What kind of call is missing."""
    for part, kind in (
        ("softmax", "softmax"),
        ("sqrt", "root"),
        ("transpose", "transpose"),
        (".mT", "transpose"),
        ("leaky", "leaky"),
        ("shape[-1]", "width"),
        ("/ {0}.sum", "normalised"),
        ("0.5 *", "half"),
        ("2 *", "double"),
        ("- 1", "shifted"),
    ):
        if part in words:
            return kind
    return "call-missing"


def sides(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A degree that divides one side of an adjacency, as its root on both sides."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if not isinstance(node, ast.BinOp):
            continue
        left, right = code.of(node.left), code.of(node.right)
        if isinstance(node.op, ast.Div):
            rooted = f"({atom(node.right, right)} * {atom(node.right, right)}.mT) ** 0.5"
            yield code.change("both-sides", node, f"{left} / {rooted}")
            if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.MatMult):
                a, b, d = code.of(node.left.left), code.of(node.left.right), atom(node.right, right)
                yield code.change("both-sides", node, f"({a} / ({d} * {d}.mT) ** 0.5) @ {b}")
        if isinstance(node.op, ast.Mult):
            for inner, text in ((node.left, left), (node.right, right)):
                if isinstance(inner, ast.Subscript):
                    degree = code.of(inner.value)
                    yield code.change("both-sides", node, f"{code.of(node)} * {degree}[:, None]")
                    yield code.change("both-sides", node, f"{code.of(node)} * {degree}[None, :]")
                    root = f"{degree}.abs() ** 0.5"
                    other = right if inner is node.left else left
                    yield code.change("both-sides", node, f"({root})[:, None] * {other} * ({root})[None, :]")
                elif isinstance(inner, ast.Name):
                    yield code.change("both-sides", node, f"{code.of(node)} * {text}.mT")
                    other = node.right if inner is node.left else node.left
                    if isinstance(other, ast.Call) and other.args:
                        last = other.args[-1]
                        yield code.change("both-sides", last, f"{text} * {atom(last, code.of(last))}")
        if isinstance(node.op, ast.MatMult):
            for diagonal, other in ((node.left, right), (node.right, left)):
                text = atom(diagonal, code.of(diagonal))
                yield code.change("both-sides", node, f"{text}.sqrt() @ {other} @ {text}.sqrt()")
                yield code.change("both-sides", node, f"{text} @ {other} @ {text}")


def modules(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A layer, gain or bias of self that is made and never used."""
    stored, read = set(), set()
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            (stored if isinstance(node.ctx, ast.Store) else read).add(node.attr)
    unused = sorted(stored - read)
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        if called(node) == "linear" and len(node.args) == 2 and not node.keywords:
            given = ", ".join(code.of(a) for a in node.args)
            yield from (
                code.change("module", node, f"{code.of(node.func)}({given}, self.{name})") for name in unused
            )
    for function in (f for tree in scope for f in functions(tree) if f.name != "__init__"):
        for node in ast.walk(function):
            if isinstance(node, ast.Return | ast.Assign) and node.value is not None:
                text = code.of(node.value)
                inner = atom(node.value, text)
                for name in unused:
                    yield code.change("module", node.value, f"self.{name}({text})")
                    yield code.change("module", node.value, f"{inner} + self.{name}")
                    yield code.change("module", node.value, f"{inner} * self.{name}")
                for name in sorted(read):
                    if "bias" in name or "beta" in name or name in ("b", "shift"):
                        yield code.change("module", node.value, f"{inner} + self.{name}")
