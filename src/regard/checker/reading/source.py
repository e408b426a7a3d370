"""Source code of a person, read without running it: which line to look at, and what names say."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from regard.checker.reading.definitions import bound

Finder = Callable[[ast.AST], bool]
HEADER = re.compile(r"#\s*(contract|cause|target|convention|map):")
"What the checker's own material says of itself: nothing that a person says."


@dataclass(frozen=True)
class Place:
    """A line in the person's file."""

    line: int
    text: str
    cell: int | None = None
    "In a notebook: which code cell, counted from 1; the line is then that of the cell."


class Source:
    """The text of a file and its syntax tree, if it has one."""

    def __init__(self, text: str, file: str = "", cells: tuple[int, ...] = ()) -> None:
        self.text, self.file, self.cells = text, file, cells
        self.lines = text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; empty for what cannot be read."""
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])

    def member(self, name: str) -> ast.AST:
        """The class or function of that name, or the whole file."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
                return node
        return self.tree

    def text_of(self, name: str) -> str:
        """The source of a member."""
        node = self.member(name)
        return (
            ast.get_source_segment(self.text, node) or self.text
            if not isinstance(node, ast.Module)
            else self.text
        )

    def parts(self, name: str) -> list[ast.ClassDef]:
        """The classes of the file that a class is built of: those it names, and those that they name."""
        classes = {n.name: n for n in self.tree.body if isinstance(n, ast.ClassDef)}
        found: list[ast.ClassDef] = []
        queue: list[ast.AST] = [self.member(name)] if name in classes else []
        while queue:
            words = {n.id for n in ast.walk(queue.pop(0)) if isinstance(n, ast.Name)}
            new = [n for word, n in classes.items() if word in words and word != name and n not in found]
            found += new
            queue += new
        return found

    def is_numpy(self, name: str) -> bool:
        """Whether a member, with what it uses of the file, works on arrays of NumPy: it names NumPy or SciPy, and not torch.

        >>> Source("import numpy as np\\nimport torch\\ndef f(x):\\n    return np.exp(x)").is_numpy("f")
        True
        """
        tops = {n.name: n for n in self.tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
        words: set[str] = set()
        queue, seen = [name], {name}
        while queue:
            node = tops.get(queue.pop())
            new = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} if node else set()
            words |= new
            queue += (new & set(tops)) - seen
            seen |= new
        return not words & self.bound_to("torch") and bool(
            words & (self.bound_to("numpy") | self.bound_to("scipy"))
        )

    def bound_to(self, package: str) -> set[str]:
        """Names that the file's imports bind to a package or to something in it."""
        found = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found |= {
                    (a.asname or a.name).partition(".")[0]
                    for a in node.names
                    if a.name.partition(".")[0] == package
                }
            elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package:
                found |= {a.asname or a.name for a in node.names}
        return found

    def is_operation(self, name: str) -> bool:
        """Whether a class is an operation of autograd, which is not made but applied by what uses it.

        >>> Source("class F(torch.autograd.Function): ...").is_operation("F")
        True
        """
        bases = getattr(self.member(name), "bases", [])
        return any(re.fullmatch(r"(\w+\.)*Function", ast.unparse(base)) for base in bases)

    def is_abstract(self, name: str) -> bool:
        """Whether a class leaves a method to those that derive from it in the same file, and so is none of its own.

        >>> Source("class A:\\n    def f(self): raise NotImplementedError\\nclass B(A): ...").is_abstract("A")
        True
        """
        heirs = [
            n for n in self.tree.body if isinstance(n, ast.ClassDef) and name in map(ast.unparse, n.bases)
        ]
        methods = [n for n in getattr(self.member(name), "body", []) if isinstance(n, ast.FunctionDef)]
        left = [
            n
            for n in methods
            if any("abstractmethod" in ast.unparse(word) for word in n.decorator_list)
            or (
                isinstance(n.body[-1], ast.Raise)
                and "NotImplemented" in ast.unparse(n.body[-1])
                and len(n.body) < 3
            )
        ]
        return bool(heirs and left)

    def code(self) -> str:
        """The whole file without comments, in one spelling of numbers and spaces."""
        return ast.unparse(self.tree)

    def said(self, name: str) -> str:
        """What a person says of a member: names of file, arguments and classes in use, docstrings (also those of its parts), comments."""
        node = self.member(name)
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
        inner = [n for part in self.parts(name) for n in ast.walk(part)]
        docs = [
            ast.get_docstring(n) for n in (self.tree, *ast.walk(node), *inner) if isinstance(n, documented)
        ]
        arguments = [n.arg for n in ast.walk(node) if isinstance(n, ast.arg)]
        used = [getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(node)]
        classes = [word for word in used if word[:1].isupper()]
        opening = self.tree.body[0].lineno - 1 if self.tree.body else len(self.lines)
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", len(self.lines))
        while first > 1 and self.lines[first - 2].lstrip().startswith(("#", "@")):
            first -= 1
        near = [*self.lines[:opening], *self.lines[first - 1 : last]]
        comments = [line.partition("#")[2] for line in near if not HEADER.match(line)]
        return "\n".join(filter(None, [self.file, name, *docs, *arguments, *classes, *comments]))

    def running(self, name: str) -> str:
        """What runs when a member is called, without comments: forward, or the function itself."""
        node = self.member(name)
        methods = [
            n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name in ("forward", "__call__")
        ]
        return ast.unparse(methods[0] if methods else node)

    def place(self, name: str, look: str) -> Place | None:
        """The line of a member where an expression of some kind is, or where it should be."""
        node = self.member(name)
        finders = [FINDERS[word] for word in look.split() if word in FINDERS]
        for finder in finders:
            lines = [found.lineno for found in walk(node) if finder(found)]
            if lines:
                return self.at(lines[-1] if look.startswith("merge") else lines[0])
        forward = [
            n.lineno
            for n in ast.walk(node)
            if isinstance(n, ast.FunctionDef) and n.name in ("forward", "__call__")
        ]
        own = getattr(node, "lineno", None)
        return self.at(forward[0]) if forward else self.at(own) if own else None

    def at(self, line: int) -> Place:
        """A line with its text."""
        text = self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""
        cell = sum(start <= line for start in self.cells)
        return Place(line - self.cells[cell - 1] + 1, text, cell) if cell else Place(line, text)

    def numbers(self) -> list[int]:
        """The whole numbers that the code names, in order."""
        found = {n.value for n in ast.walk(self.tree) if isinstance(n, ast.Constant) and type(n.value) is int}
        return sorted(found)

    def lacks(self, words: str) -> bool:
        """Whether a NameError speaks of a name that nothing in the file binds, whatever of it was run.

        In a notebook a cell that cannot be read may bind it.

        >>> Source("import torch\\ntorhc.ones(2)").lacks("name 'torhc' is not defined")
        True
        >>> Source("def f(k):\\n    return k\\ndef g():\\n    return k").lacks("name 'k' is not defined")
        True
        """
        found = re.search(r"name '(\w+)' is not defined", words)
        stars = [n for n in ast.walk(self.tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
        if not found or stars or self.cells or not self.tree.body:
            return False
        top = {name for node in self.tree.body for name in bound(node)}
        top |= {name for n in ast.walk(self.tree) if isinstance(n, ast.Global) for name in n.names}
        return found[1] not in top

    def thirds(self, name: str, letters: str = "kqv") -> tuple[str, ...] | None:
        """The roles to which the parts of a fused projection are assigned: `k, q, v = x.split(…)`; or its halves."""
        for node in ast.walk(self.member(name)):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Tuple):
                continue
            names = [
                role(target.id) if isinstance(target, ast.Name) else None for target in node.targets[0].elts
            ]
            if sorted(filter(None, names)) != sorted(letters) or len(names) != len(letters):
                continue
            if isinstance(node.value, ast.Tuple):
                order = [_index(item) for item in node.value.elts]
                if sorted(order) == list(range(len(letters))):
                    return tuple(str(names[order.index(i)]) for i in range(len(letters)))
                continue
            if any(
                word in ast.dump(node.value)
                for word in ("split", "chunk", "unbind", "qkv", "rearrange", "map")
            ):
                return tuple(map(str, names))
        return None


ELSEWHERE = {
    "q": r"requetes?|consultas?|anfragen?|abfragen?|domand[ae]|interrogazion[ei]|perguntas?",
    "k": r"cles?|chaves?|claves?|schluessel|chiav[ei]",
    "v": r"valeurs?|valor(es)?|wert[e]?|valor[ei]",
}
"Queries, keys and values in other languages."


def role(name: str) -> str | None:
    """The role that a variable's name speaks of: q, k, v, or none.

    >>> role("key_states"), role("chave"), role("valeurs"), role("mask")
    ('k', 'k', 'v', None)
    """
    plain = name.lower().strip("_")
    if foreign := [letter for letter, words in ELSEWHERE.items() if re.fullmatch(words, plain)]:
        return foreign[0]
    found = re.search(r"^(q|k|v)(?![a-z])|^(quer(?:y|ies)|keys?|values?)|(?:^|_)(q|k|v)$", plain)
    return plain[found.start() :].lstrip("_")[0] if found else None


def _index(node: ast.AST) -> int:
    if isinstance(node, ast.Subscript):
        index = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
        if isinstance(index, ast.Constant) and isinstance(index.value, int):
            return index.value
    return -1


def walk(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Nodes with a line, in the order of the source; methods that run come before the constructor."""
    nodes = [n for n in ast.walk(node) if isinstance(n, ast.expr | ast.stmt)]
    makers = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    late = {id(n) for maker in makers for n in ast.walk(maker)}
    yield from sorted(nodes, key=lambda n: (id(n) in late, n.lineno, n.col_offset))


def calls(*words: str) -> Finder:
    """A call of a function or method whose name contains one of the words."""

    def finds(node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return any(word in name.lower() for word in words)

    return finds


def power(node: ast.AST) -> bool:
    """A power, as `** -0.5`."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)


def product(node: ast.AST) -> bool:
    """A matrix product, as `@`."""
    return (isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)) or calls(
        "matmul", "einsum", "bmm", "mm"
    )(node)


def names(*words: str) -> Finder:
    """An attribute or variable whose name contains one of the words."""

    def finds(node: ast.AST) -> bool:
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        return any(word in name.lower() for word in words)

    return finds


FINDERS: dict[str, Finder] = {
    "power": power,
    "root": calls("sqrt", "rsqrt"),
    "product": product,
    "softmax": calls("softmax", "scaled_dot_product"),
    "exponential": calls("exp"),
    "mask": calls("masked_fill", "tril", "triu", "where", "scaled_dot_product"),
    "masked": names("mask", "tril", "triu"),
    "view": calls("view", "reshape", "rearrange", "unflatten"),
    "merge": calls("view", "reshape", "rearrange", "flatten"),
    "transpose": calls("transpose", "permute", "swapaxes"),
    "split": calls("split", "chunk", "unbind"),
    "repeat": calls("repeat", "expand", "tile"),
    "dropout": calls("dropout"),
    "leaky": calls("leaky", "relu"),
    "variance": calls("var", "std"),
    "mean": calls("mean", "sum", "norm"),
    "degree": calls("sum", "degree", "scatter", "bincount", "index_add"),
    "loops": calls("eye", "self_loops", "diag"),
    "trigonometry": calls("cos", "sin", "polar"),
    "frequency": calls("arange"),
    "concatenate": calls("cat", "stack", "flatten"),
    "logsumexp": calls("logsumexp", "log"),
    "log_softmax": calls("log_softmax", "softmax"),
    "gather": calls("scatter", "index_add", "gather", "index_select"),
    "random": calls("randn", "normal", "multinomial", "categorical", "rand"),
    "loss": lambda node: isinstance(node, ast.FunctionDef) and "loss" in node.name,
    "bias": names("bias"),
    "address": calls("data_ptr"),
    "out": names("proj", "out", "wo", "w_o"),
    "pi": names("pi"),
    "training": names("training"),
    "precision": names("dtype", "half", "float16", "bfloat16"),
}
"Kinds of expressions that a finding may point at."
