"""Exceptions that no way to call a person's code could have caused: what torch does not have, a size that was overwritten."""

import ast
import difflib
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from regard.checker.reading.source import Source

ATTRIBUTE = re.compile(r"'Tensor' object has no attribute '(\w+)'")
KEYWORD = re.compile(r"^_?(\w+)\(\) got an unexpected keyword argument '(\w+)'")
COMBINATION = re.compile(
    r"^(\w+)\(\) received an invalid combination of arguments - got \(([^)]*)\)(.*)", re.S
)
MISSING = re.compile(r"module 'torch[\w.]*' has no attribute '(\w+)'")
FIELD = re.compile(r"^'(\w+)' object has no attribute '(\w+)'")
MISCALLED = re.compile(r"(?:(\w+)\.)?(\w+)\(\) (?:missing|takes) .*argument")
UNBOUND = re.compile(r"descriptor '__init__' of 'super' object needs an argument")
SIZE = re.compile(r"argument 'size' failed to unpack .*got Tensor", re.S)
NO_TENSOR = re.compile(r"^(\w+)\(\): argument '\w+' \(position 1\) must be Tensor, not int")
SHAPES = {"view", "reshape", "expand", "repeat", "new_zeros"}
NEAR, LONG = 0.85, 7
"How much a name must look like one of torch to be a slip of the pen, and how long it must be: `dims` is a field of settings."


def own(source: Source, kind: str, words: str, line: int | None) -> bool:
    """Whether an exception is the code's own, however it was called.

    >>> code = Source("def f(x):\\n    s = torch.matmul(x, x)\\n    return s.mask_fill(x > 0, 1)")
    >>> own(code, "AttributeError", "'Tensor' object has no attribute 'mask_fill'", 3)
    True
    >>> own(Source("def f(x):\\n    return x.ndata"), "AttributeError", "'Tensor' object has no attribute 'ndata'", 2)
    False
    """
    if kind == "AttributeError":
        return bool(MISSING.search(words)) or _no_attribute(source, words, line) or _never_set(source, words)
    if kind == "TypeError":
        return (
            _no_keyword(source, words, line)
            or _overwritten(source, words, line)
            or _comma(source, words, line)
            or _of_a_size(source, words, line)
            or _miscalled(source, words, line)
        )
    return False


def _no_attribute(source: Source, words: str, line: int | None) -> bool:
    """What is asked of a tensor that torch itself made, or is spelt nearly as torch spells it."""
    found = ATTRIBUTE.search(words)
    if not found:
        return False
    if len(found[1]) >= LONG and difflib.get_close_matches(found[1], _methods(), 1, NEAR):
        return True
    return any(
        _made(node.value, source)
        for node in _at(source, line)
        if isinstance(node, ast.Attribute) and node.attr == found[1]
    )


def _never_set(source: Source, words: str) -> bool:
    """A field that a module of the file asks of itself and that nothing in the file sets, or one that no layer of torch has.

    >>> code = Source("class A(nn.Module):\\n    def forward(self, x):\\n        return self.maks")
    >>> _never_set(code, "'A' object has no attribute 'maks'"), _never_set(code, "'Linear' object has no attribute 'T'")
    (True, True)
    """
    found = FIELD.search(words)
    if not found:
        return False
    own = [n for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef) and n.name == found[1]]
    if not own:
        from torch import nn

        return inspect.isclass(getattr(nn, found[1], None))
    bases = {ast.unparse(base).rpartition(".")[2] for node in own for base in node.bases}
    return bases <= {"Module", "object"} and not any(_gives(node, found[2]) for node in ast.walk(source.tree))


def _gives(node: ast.AST, name: str) -> bool:
    """Whether a node may give something a field of that name: it is set, defined, or spelt out as a word."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name in (name, "__getattr__")
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.Constant) and node.value == name


def _methods() -> list[str]:
    """What a tensor has. Torch is loaded here alone, where a file has raised: it takes a second."""
    from torch import Tensor

    return [name for name in dir(Tensor) if not name.startswith("_")]


def _made(node: ast.expr, source: Source) -> bool:
    """Whether an expression is a tensor by itself: a call of torch, a matrix product; or a name for nothing else."""
    if isinstance(node, ast.Call):
        root = node.func
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id in source.bound_to("torch")
    if not isinstance(node, ast.Name):
        return False
    given = _values(source, node)
    return bool(given) and all(value is not None and _made(value, source) for value in given)


def _values(source: Source, name: ast.Name) -> list[ast.expr | None]:
    """What a name is set to above its line, in the function where it stands; None for what cannot be said: an argument, a loop."""
    function = around(source, name.lineno)
    if function is None:
        return [None]
    found: list[ast.expr | None] = [
        None for a in ast.walk(function.args) if isinstance(a, ast.arg) and a.arg == name.id
    ]
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Store):
            own = [
                n
                for n in ast.walk(function)
                if isinstance(n, ast.Assign) and any(target is node for target in n.targets)
            ]
            if node.lineno < name.lineno:
                found.append(own[0].value if own else None)
    return found


def around(source: Source, line: int) -> ast.FunctionDef | None:
    """The innermost function in which a line stands."""
    held = [
        n
        for n in ast.walk(source.tree)
        if isinstance(n, ast.FunctionDef) and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    return max(held, key=lambda n: n.lineno, default=None)


def _at(source: Source, line: int | None) -> list[ast.expr]:
    """The expressions that a line is part of."""
    return [
        n
        for n in ast.walk(source.tree)
        if isinstance(n, ast.expr) and line and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]


def _no_keyword(source: Source, words: str, line: int | None) -> bool:
    """An argument that neither torch nor NumPy has for a method of that name."""
    found = KEYWORD.match(words)
    if mixed := COMBINATION.match(words):
        given = [word for word in re.findall(r"(\w+)=", mixed[2]) if not re.search(rf"\b{word}\b", mixed[3])]
        found = (
            KEYWORD.match(f"{mixed[1]}() got an unexpected keyword argument '{given[0]}'") if given else None
        )
    if not found or found[1] not in _methods() or _takes(getattr(np, found[1], None), found[2]):
        return False
    if any(isinstance(n, ast.FunctionDef) and n.name == found[1] for n in ast.walk(source.tree)):
        return False
    calls = [n for n in _at(source, line) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return any(
        n.func.attr == found[1] and any(k.arg == found[2] for k in n.keywords)
        for n in calls
        if isinstance(n.func, ast.Attribute)
    )


def _takes(function: Callable[..., Any] | None, word: str) -> bool:
    """Whether a function has an argument of that name, or does not say which it has."""
    if function is None:
        return False
    try:
        return word in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True


def _overwritten(source: Source, words: str, line: int | None) -> bool:
    """A size that was taken from a shape, and whose name was given to something else before it was used."""
    if not SIZE.search(words):
        return False
    for call in _at(source, line):
        if (
            not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Attribute)
            or call.func.attr not in SHAPES
        ):
            continue
        for name in (word for word in call.args if isinstance(word, ast.Name)):
            function = around(source, name.lineno)
            if function and len(_assigned(function, name.id)) > 1 and _from_shape(function, name.id):
                return True
    return False


def _comma(source: Source, words: str, line: int | None) -> bool:
    """A tuple where a tensor is wanted, whose name was last set to a tuple that is written out: as by a comma too many.

    >>> code = Source("def f(x):\\n    v = x.mean(0),\\n    return linear(v)")
    >>> _comma(code, "linear(): argument 'input' (position 1) must be Tensor, not tuple", 3)
    True
    """
    if "must be Tensor, not tuple" not in words:
        return False
    for name in (n for n in _at(source, line) if isinstance(n, ast.Name)):
        function = around(source, name.lineno)
        own = _assigned(function, name.id) if function else []
        above = [node for node in own if node.lineno < name.lineno]
        if above and isinstance(above[-1].value, ast.Tuple) and isinstance(above[-1].targets[0], ast.Name):
            return True
    return False


def _of_a_size(source: Source, words: str, line: int | None) -> bool:
    """A function of torch that wants a tensor and is given a size, which is a number whatever the input: `torch.sqrt(x.size(1))`.

    >>> code = Source("import torch\\ndef f(x):\\n    d = x.shape[-1]\\n    return x / torch.sqrt(d)")
    >>> words = "sqrt(): argument 'input' (position 1) must be Tensor, not int"
    >>> _of_a_size(code, words, 4), _of_a_size(Source("import torch\\ndef f(x):\\n    return torch.sqrt(x)"), words, 3)
    (True, False)
    """
    found = NO_TENSOR.match(words)
    calls = [n for n in _at(source, line) if found and isinstance(n, ast.Call) and n.args]
    return any(
        ast.unparse(n.func).rpartition(".")[2] == found[1]
        and _made(n, source)
        and _is_size(source, n.args[0])
        for n in calls
        if found
    )


def _is_size(source: Source, node: ast.expr) -> bool:
    """Whether an expression is the length of an axis or of a list, or a name for nothing else."""
    if isinstance(node, ast.Name):
        function = around(source, node.lineno)
        given = _assigned(function, node.id) if function else []
        return bool(given) and all(
            _is_size(source, n.value)
            or (
                isinstance(n.targets[0], ast.Tuple)
                and re.search(r"\.(shape|size\(\))$", ast.unparse(n.value))
            )
            for n in given
        )
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        held = node.value.func if isinstance(node.value, ast.Call) else node.value
        return isinstance(held, ast.Attribute) and held.attr in ("shape", "size")
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and ast.unparse(node.func).rpartition(".")[2] in ("size", "len")
    )


def _miscalled(source: Source, words: str, line: int | None) -> bool:
    """A function of the file that a line of the file calls with too few arguments or too many, all written out; `super.__init__()`.

    >>> code = Source("def g(x, p):\\n    return x\\ndef f(x):\\n    return g(x)")
    >>> _miscalled(code, "g() missing 1 required positional argument: 'p'", 4)
    True
    """
    if UNBOUND.search(words):
        return True
    found = MISCALLED.match(words)
    if not found or not any(
        isinstance(n, ast.FunctionDef) and n.name == found[2] for n in ast.walk(source.tree)
    ):
        return False
    names = {found[1], found[2]} - {"__init__", "forward", None}
    calls = [n for n in _at(source, line) if isinstance(n, ast.Call)]
    return any(
        ast.unparse(n.func).rpartition(".")[2] in names
        and not any(isinstance(a, ast.Starred) for a in n.args)
        and all(k.arg for k in n.keywords)
        for n in calls
    )


def _assigned(function: ast.FunctionDef, name: str) -> list[ast.Assign]:
    return [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == name for target in n.targets for t in ast.walk(target))
    ]


def _from_shape(function: ast.FunctionDef, name: str) -> bool:
    return any(
        re.search(r"\.shape\b|\.size\(", ast.unparse(node.value)) for node in _assigned(function, name)
    )
