"""Settings objects that constructors take: which fields are read, and what each is likely to hold."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from regard.checker.reading.arguments import ASKED, mean
from regard.checker.reading.definitions import free
from regard.checker.reading.source import Source

COUNT = re.compile(
    r"^(n|num|max|min|nb)_|_(size|dim|len|length|layers?|count|num|batch_size)$|layers?$|^depth$|vocab", re.I
)
WORDY = re.compile(r"type|mode|kind|act(ivation)?(_fn)?$|impl|name|dtype|device|init|method|scaling", re.I)
TURNED = re.compile(r"^rot(ary|ate|ated)?_?(dims?|ndims?|width|size)$", re.I)
"The channels of a head that are turned: all of them, where nothing else is said."
SHAPING = {"view", "reshape", "unflatten", "chunk"}
"Methods that shape an array by the sizes they are given."
SOME = 4
"For a count that nobody knows."


def fields(source: Source, parameter: str) -> list[str]:
    """Fields of a parameter that are read somewhere in the file: `config.X`, `config["X"]`, `getattr(config, "X")`.

    >>> fields(Source("class A:\\n    def __init__(self, c):\\n        self.n = c.n_embd + c['h']"), "c")
    ['n_embd', 'h']
    """
    return list(dict.fromkeys(_read(source.tree, parameter)))


def _read(tree: ast.AST, parameter: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is(node.value, parameter):
            yield node.attr
        if (
            isinstance(node, ast.Subscript)
            and _is(node.value, parameter)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        ):
            yield node.slice.value


def _is(node: ast.AST, parameter: str) -> bool:
    """The parameter itself, or kept on self under its name."""
    if isinstance(node, ast.Attribute):
        return node.attr == parameter and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name) and node.id == parameter


def defaults(source: Source, names: list[str]) -> dict[str, Any]:
    """What the class of the file that declares most of some fields has for them, where it is a constant."""
    best: dict[str, Any] = {}
    most = 0
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ClassDef):
            continue
        declared = {
            target.id: statement.value
            for statement in node.body
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
            for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
            if isinstance(target, ast.Name)
        }
        shared = len(set(declared) & set(names))
        if shared > most:
            most = shared
            written = {n: _written(v) for n, v in declared.items() if n in names}
            best = {n: v for n, v in written.items() if v is not ...}
    return best


def _written(node: ast.expr) -> Any:
    """A constant or a number with its sign; else an ellipsis."""
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        return -node.operand.value if isinstance(node.operand.value, int | float) else ...
    return node.value if isinstance(node, ast.Constant) else ...


def settings(source: Source, parameter: str, known: dict[str, Any]) -> dict[str, Any]:
    """A value for every field that is read: by its meaning, else as the file declares it, flags off."""
    names = fields(source, parameter)
    declared = defaults(source, names)
    inner = {name: _inner(source, parameter, name) for name in names}
    claimed = {mean(name, list(known)) for name in names}
    sizes = [value for meaning, value in known.items() if meaning not in claimed and type(value) is int]
    found = {
        name: {"config": {word: guess(_full(name, word, known), known) for word in inner[name]}}
        if inner[name]
        else guess(name, known, declared.get(name))
        for name in names
        if not (_method(source, parameter, name) or _spare(source, parameter, name, known))
    }
    # A name nobody knows that is only added to something is a small number.
    for name in [n for n, value in found.items() if value is False and n not in declared]:
        if "eps" in known and "eps" not in claimed and _added(source, parameter, name):
            found[name] = known["eps"]
    # A name nobody knows, used as a size, most likely means the first that no other name claimed.
    for name in [n for n, value in found.items() if value is False and n not in declared]:
        if sizes and not mean(name, list(known)) and _sized(source, parameter, name):
            found[name] = sizes.pop(0)
    return found


def by_keyword(source: Source, member: str) -> str | None:
    """The name under which a constructor takes any keyword, where it reads fields of it: `**config` and `config["n"]`.

    >>> text = "class A:\\n    def __init__(self, **c):\\n        self.n = c['n']"
    >>> by_keyword(Source(text), "A")
    'c'
    """
    node = source.member(member)
    makers = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    name = makers[0].args.kwarg.arg if makers and makers[0].args.kwarg else ""
    return name if name and any(n == name for n in _indexed(makers[0])) else None


def _indexed(tree: ast.AST) -> list[str]:
    """Names that are asked for a field by a word."""
    return [
        n.value.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Subscript)
        and isinstance(n.value, ast.Name)
        and isinstance(n.slice, ast.Constant)
    ]


def _full(name: str, word: str, known: dict[str, Any]) -> str:
    """A field inside a field by the name that says what it is: `heads.count` is a number of heads.

    >>> _full("heads", "count", {"heads": 3}), _full("attention", "n_head", {"heads": 3})
    ('heads_count', 'n_head')
    """
    names = (word, f"{name}_{word}", f"{word}_{name}")
    return next((one for one in names if mean(one, list(known))), word)


def _meaning(source: Source, parameter: str, name: str) -> Callable[[ast.AST], bool]:
    """Whether an expression is a field, as it is or under the name it is kept by."""
    kept = {
        target.attr if isinstance(target, ast.Attribute) else target.id
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign) and _fields(node.value, parameter) == [name]
        for target in node.targets
        if isinstance(target, ast.Attribute | ast.Name)
    }

    def means(node: ast.AST) -> bool:
        own = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        return own in kept or _fields(node, parameter) == [name]

    return means


def _added(source: Source, parameter: str, name: str) -> bool:
    """Whether a field is a summand somewhere, or what something is at least."""
    means, floors = _meaning(source, parameter, name), {"add", "clamp", "clamp_min", "maximum", "clip"}
    parts: list[ast.AST] = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts += [node.left, node.right]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in floors:
            parts += [*node.args, *(held.value for held in node.keywords)]
    return any(map(means, parts))


def _sized(source: Source, parameter: str, name: str) -> bool:
    """Whether a field, as it is or under the name it is kept by, is divided by, or given to what shapes an array."""
    means = _meaning(source, parameter, name)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Mod):
            if means(node.left) or means(node.right):
                return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given = [part for word in node.args for part in (word, *ast.iter_child_nodes(word))]
            if node.func.attr in SHAPING and any(means(word) for word in given):
                return True
    return False


def _fields(node: ast.AST, parameter: str) -> list[str]:
    """The field that an expression is, if it is one and nothing else."""
    plain = isinstance(node, ast.Attribute | ast.Subscript) and _is(node.value, parameter)
    return list(_read(node, parameter)) if plain else []


def _inner(source: Source, parameter: str, name: str) -> list[str]:
    """Fields of a field that is a settings object itself: `config.attention["heads"]`, `config.attention.heads`."""
    held = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Subscript | ast.Attribute)
        and isinstance(node.value, ast.Attribute | ast.Subscript)
        and _fields(node.value, parameter) == [name]
    ]
    words = [node.attr if isinstance(node, ast.Attribute) else _constant(node.slice) for node in held]
    called = {id(node.func) for node in ast.walk(source.tree) if isinstance(node, ast.Call)}
    methods = {node.attr for node in held if isinstance(node, ast.Attribute) and id(node) in called}
    return [word for word in dict.fromkeys(words) if isinstance(word, str) and word not in methods]


def _constant(node: ast.AST) -> Any:
    """What stands in brackets, where it is written out."""
    return node.value if isinstance(node, ast.Constant) else None


def guess(name: str, known: dict[str, Any], declared: Any = None) -> Any:
    """What a field is likely to hold.

    >>> guess("n_embd", {"width": 24}), guess("use_flash_attn", {"width": 24}, True), guess("n_layer", {})
    (24, False, 4)
    """
    meaning = "head_width" if TURNED.match(name) and "head_width" in known else mean(name, list(known))
    if name == "device":
        return "cpu"
    if meaning:
        return known[meaning] if known[meaning] is not None else ASKED[meaning]
    if re.search(r"drop", name, re.I):
        return 0.0
    if isinstance(declared, bool):
        return False
    if declared is not None:
        return declared
    return None if WORDY.search(name) else SOME if COUNT.search(name) else False


def _spare(source: Source, parameter: str, name: str, known: dict[str, Any]) -> bool:
    """Whether the code asks first if there is a field of that name, which says nothing that is known: it is left out."""
    if mean(name, list(known)):
        return False
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "hasattr"
        and len(node.args) == 2
        and _is(node.args[0], parameter)
        and _constant(node.args[1]) == name
        for node in ast.walk(source.tree)
    )


def _method(source: Source, parameter: str, name: str) -> bool:
    """Whether a field is called, as `config.get(…)`, and so no setting."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == name
        and _is(node.func.value, parameter)
        for node in ast.walk(source.tree)
    )


def constant(source: Source, member: dict[str, Any], meaning: str) -> int | None:
    """A size that a member takes from the top of its file, where it is a plain number there, or from what the file imports.

    >>> constant(Source("d_k = 64\\ndef f(q):\\n    return q / d_k"), {"name": "f"}, "head_width")
    64
    >>> constant(Source("def f(q): ..."), {"name": "f", "constants": {"Sizes.n_heads": 8}}, "heads")
    8
    """
    names = {name for name in free(source.member(member["name"])) if mean(name, [meaning])}
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and type(node.value.value) is int
        ):
            own = {target.id for target in ast.walk(node) if isinstance(target, ast.Name)}
            if own & names:
                return node.value.value
    held = member.get("constants", {})
    return next((held[name] for name in sorted(held) if mean(name.rpartition(".")[2], [meaning])), None)


def _listed(node: ast.AST) -> bool:
    """Whether an expression takes parts of a list: `p[0]`, `p[-1]`, `p[1:]`."""
    place = node.slice if isinstance(node, ast.Subscript) else None
    number = isinstance(place, ast.Constant) and isinstance(place.value, int)
    return number or isinstance(place, ast.UnaryOp | ast.Slice)


def worded(source: Source, member: str, parameter: str) -> dict[str, Any] | None:
    """Fields that a function asks a parameter for by words, and what it takes where one is missing: `p["eps"]`, `p.get("eps", 1e-5)`.

    >>> asks = Source("def f(x, p): return x + p.get('eps', 1e-6) + p['n']")
    >>> worded(asks, "f", "p"), worded(Source("def f(x): return x[0]"), "f", "x")
    ({'n': None, 'eps': 1e-06}, None)
    """
    found: dict[str, Any] = {}
    for node in ast.walk(source.member(member)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            asked = node.func.attr in ("get", "setdefault") and _is(node.func.value, parameter)
            word = _constant(node.args[0]) if asked else None
            if isinstance(word, str):
                found[word] = _constant(node.args[1]) if len(node.args) > 1 else None
        if isinstance(node, ast.Subscript) and _is(node.value, parameter):
            word = _constant(node.slice)
            if isinstance(word, str):
                found[word] = None
    return found or None


def is_settings(source: Source, member: str, parameter: str) -> bool:
    """Whether a constructor uses a parameter by its fields alone: `p.X` or `p["X"]`, and never as a number."""
    node = source.member(member)
    makers = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    if not makers or isinstance(node, ast.Module):
        return False
    held = {
        id(n.value)
        for n in ast.walk(makers[0])
        if isinstance(n, ast.Attribute | ast.Subscript) and not _listed(n)
    }
    uses = [
        n
        for n in ast.walk(makers[0])
        if isinstance(n, ast.Name) and n.id == parameter and isinstance(n.ctx, ast.Load)
    ]
    fielded = [n for n in uses if id(n) in held]
    shaped = {"shape", "size", "device", "dtype", "ndim", "T"}
    # What is called is no setting, but for the word that asks for one: data have methods, too.
    asked = {n for n in _read(makers[0], parameter) if n == "get" or not _method(source, parameter, n)}
    return bool(fielded) and not asked <= shaped
