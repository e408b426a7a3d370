"""Changes of calls: another function, other arguments, a call left out."""

import ast
from collections.abc import Iterator
from itertools import combinations

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called

TWINS = (
    ("sum", "mean"), ("tril", "triu"), ("sqrt", "rsqrt"), ("cos", "sin"), ("log_softmax", "softmax"), ("relu", "leaky_relu"),
    ("zeros", "randn"), ("repeat", "repeat_interleave"), ("mean", "logsumexp"), ("sum", "logsumexp"), ("max", "logsumexp"),
    ("zeros", "ones"), ("exp", "log"), ("view", "reshape"), ("zeros_like", "randn_like"), ("rand", "randn"), ("amax", "logsumexp"),
    ("index_copy", "index_add"), ("scatter", "scatter_add"), ("scatter_", "scatter_add_"), ("index_copy_", "index_add_"), ("tanh", "softmax"),
    ("sigmoid", "softmax"), ("argmax", "softmax"), ("softmax", "log_softmax"), ("square", "sqrt"), ("abs", "square"), ("exp2", "exp"), ("expm1", "exp"), ("log2", "log"), ("log10", "log"),
)  # fmt: skip
"Functions that are taken for each other."
NAMES = {}
for _one, _two in TWINS:
    NAMES.setdefault(_one, []).append(_two)
    NAMES.setdefault(_two, []).append(_one)
KEYWORDS = {
    "var": ("unbiased=False",), "std": ("unbiased=False",), "mean": ("keepdim=True",), "sum": ("keepdim=True",),
    "dropout": ("training=self.training",), "MultiheadAttention": ("batch_first=True",), "leaky_relu": ("0.2",), "LeakyReLU": ("0.2",),
    "scaled_dot_product_attention": ("is_causal=True",), "tril": ("diagonal=0",), "triu": ("diagonal=1",), "multinomial": ("replacement=True",),
}  # fmt: skip
"Arguments that are forgotten."


def renamed(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Another function or method of the same form; one that does not write in place."""
    for node in _calls(scope):
        name, func = called(node), code.of(node.func)
        for other in NAMES.get(name, ()):
            yield code.change("function", node.func, func[: len(func) - len(name)] + other)
        if name.endswith("_") and not name.startswith("_"):
            yield code.change("in-place", node.func, func[:-1])
        if name == "relu" and node.args:
            yield code.change("leaky", node, f"torch.nn.functional.leaky_relu({code.of(node.args[0])}, 0.2)")
        if name == "ReLU":
            yield code.change("leaky", node, f"{func[:-4]}LeakyReLU(0.2)")
        if isinstance(node.func, ast.Call) and called(node.func) == "Dropout" and node.args:
            rate = ", ".join(code.of(a) for a in [*node.func.args, *node.func.keywords])
            given = f"{code.of(node.args[0])}, {rate}, training=self.training"
            yield code.change("argument", node, f"torch.nn.functional.dropout({given})")


def dropped(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A call left out: what goes in comes out."""
    for node in (n for tree in scope for n in ast.walk(tree)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and not _module(node.func.value)
        ):
            yield code.change("call-left-out", node, atom(node.func.value, code.of(node.func.value)))
        if isinstance(node, ast.Call) and node.args:
            yield code.change("call-left-out", node, atom(node.args[0], code.of(node.args[0])))
        if (
            isinstance(node, ast.Attribute)
            and node.attr in ("T", "data", "mT")
            and isinstance(node.ctx, ast.Load)
        ):
            yield code.change("call-left-out", node, atom(node.value, code.of(node.value)))
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield code.change("index-left-out", node, atom(node.value, code.of(node.value)))


def arguments(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """An argument added or taken away, or two exchanged."""
    for node in _calls(scope):
        inner = ", ".join(code.of(a) for a in [*node.args, *node.keywords])
        func = code.of(node.func)
        for new in KEYWORDS.get(called(node), ()):
            if new.partition("=")[0] not in [k.arg for k in node.keywords]:
                yield code.change("argument", node, f"{func}({inner}{', ' if inner else ''}{new})")
        for gone in node.keywords:
            rest = ", ".join(code.of(a) for a in [*node.args, *node.keywords] if a is not gone)
            yield code.change("argument-left-out", node, f"{func}({rest})")
            if isinstance(gone.value, ast.Constant) and isinstance(gone.value.value, bool):
                yield code.change("argument", gone.value, str(not gone.value.value))
            elif gone.arg == "is_causal":
                yield code.change("argument", gone.value, "True")
            elif gone.arg == "dropout_p":
                yield code.change("argument", gone.value, f"{code.of(gone.value)} if self.training else 0.0")
        if len(node.args) > 1:
            rest = ", ".join(code.of(a) for a in [*node.args[:-1], *node.keywords])
            yield code.change("argument-left-out", node, f"{func}({rest})")
        for one, two in combinations(node.args[:5], 2):
            if ast.dump(one) != ast.dump(two):
                edits = (code.replace(one, code.of(two)), code.replace(two, code.of(one)))
                yield CodeChange("arguments-exchanged", node.lineno, edits)
        if isinstance(node.args[0] if node.args else None, ast.Constant) and called(node) == "einsum":
            yield from _equation(code, node)


def _equation(code: CodeText, node: ast.Call) -> Iterator[CodeChange]:
    """Two letters of one operand of an einsum exchanged."""
    first = node.args[0]
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return
    left, _, right = first.value.partition("->")
    operands = left.split(",")
    for place, letters in enumerate(operands):
        for i, j in combinations(range(len(letters)), 2):
            if letters[i].isalpha() and letters[j].isalpha():
                new = list(letters)
                new[i], new[j] = new[j], new[i]
                joined = ",".join([*operands[:place], "".join(new), *operands[place + 1 :]])
                yield code.change("axes-exchanged", first, repr(f"{joined}->{right}"))


def heads(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Axes that are cut by view where they should be exchanged."""
    together: list[tuple[int, TextEdit]] = []
    for node in _calls(scope):
        if (
            called(node) in ("mean", "sum")
            and isinstance(node.func, ast.Attribute)
            and not _module(node.func.value)
        ):
            whole = atom(node.func.value, code.of(node.func.value))
            yield code.change("heads", node, f"{whole}.flatten(1)")
            yield code.change("heads", node, f"{whole}.transpose(0, 1).flatten(1)")
            stacked = node.func.value
            if isinstance(stacked, ast.Call) and called(stacked) == "stack" and stacked.args:
                yield code.change("heads", node, f"torch.cat({code.of(stacked.args[0])}, dim=-1)")
        if called(node) not in ("view", "reshape") or not isinstance(node.func, ast.Attribute):
            continue
        before, shape = atom(node.func.value, code.of(node.func.value)), [code.of(a) for a in node.args]
        if len(shape) == 4:
            new = ", ".join([shape[0], shape[2], shape[1], shape[3]])
            together.append((node.lineno, code.replace(node, f"{before}.reshape({new}).transpose(1, 2)")))
            yield CodeChange("heads", node.lineno, (together[-1][1],))
        yield code.change("heads", node, f"{before}.transpose(1, 2).reshape({', '.join(shape)})")
        yield code.change("heads", node, f"{before}.transpose(0, 1).reshape({', '.join(shape)})")
        yield code.change("transpose", node, f"{before}.transpose(-2, -1)")
        if isinstance(node.func.value, ast.Call) and called(node.func.value) == "contiguous":
            inner = node.func.value.func
            assert isinstance(inner, ast.Attribute)
            yield code.change(
                "heads", node, f"{code.of(inner.value)}.transpose(1, 2).reshape({', '.join(shape)})"
            )
        yield code.change("transpose", node, f"{atom(node, code.of(node))}.transpose(-2, -1)")
    if len(together) > 1:
        yield CodeChange("heads", together[0][0], tuple(edit for _, edit in together))


def _calls(scope: list[ast.AST]) -> Iterator[ast.Call]:
    yield from (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call))


def _module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "nn", "F", "math", "np", "self")
