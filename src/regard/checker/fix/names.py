"""Changes of names: another variable, another weight, two of them exchanged."""

import ast
from collections.abc import Iterator
from itertools import combinations

from regard.checker.fix.texts import CodeChange, CodeText, functions
from regard.checker.reading.source import role

MOST = 24
"Names of one function that are tried in each other's place."
ROLES = {"query": "q", "key": "k", "value": "v", "q": "q", "k": "k", "v": "v", "keys": "k", "queries": "q"}
"Words in the names of mistakes that are roles."


class Related:
    """Whether two names that are exchanged were bound together, or are what a mistake is about."""

    def __init__(self, code: CodeText, slugs: tuple[str, ...]) -> None:
        self.code = code
        self.roles = {ROLES[word] for slug in slugs for word in slug.split("-") if word in ROLES}
        bound = [
            n.targets[0]
            for n in ast.walk(code.tree)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple)
        ]
        self.bound = [{code.of(part) for part in one.elts} for one in bound if isinstance(one, ast.Tuple)]

    def __call__(self, change: CodeChange) -> bool:
        """Of a change of one name."""
        edit = change.edits[0]
        old, new = self.code.bytes[edit.start : edit.end].decode(), edit.new
        roles = {role(name.rpartition(".")[2]) for name in (old, new)}
        return any({old, new} <= names for names in self.bound) or (bool(self.roles) and roles <= self.roles)


def exchanged(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Two names exchanged in one statement, wherever it reads or gives them; or two targets of one assignment."""
    for statement in _simple(scope):
        nodes = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and _local(n.id)]
        names = list(dict.fromkeys(n.id for n in nodes))[:8]
        for one, two in combinations(names, 2):
            edits = [code.replace(n, two if n.id == one else one) for n in nodes if n.id in (one, two)]
            yield CodeChange("names-exchanged", statement.lineno, tuple(edits))
        if isinstance(statement, ast.Assign):
            targets = statement.targets[0]
            if isinstance(targets, ast.Tuple):
                for first, second in combinations(targets.elts, 2):
                    edits = (code.replace(first, code.of(second)), code.replace(second, code.of(first)))
                    yield CodeChange("targets-exchanged", statement.lineno, edits)


def replaced(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """One name in place of another of the same function, or one attribute of self in place of another."""
    own = list(
        dict.fromkeys(
            n.attr for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Attribute) and _own(n)
        )
    )
    read = (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Attribute) and _own(n))
    used = {n.attr for n in read if isinstance(n.ctx, ast.Load)}
    for function in (f for tree in scope for f in functions(tree)):
        stored = [
            n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        ]
        names = list(dict.fromkeys([a.arg for a in function.args.args if a.arg != "self"] + stored))[:MOST]
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
                for other in names:
                    if other != node.id:
                        yield code.change("name", node, other)
            elif _weight(node) and isinstance(node, ast.Attribute) and function.name != "__init__":
                for other in own[:MOST]:
                    if other != node.attr:
                        kind = "unused" if other not in used else "attribute"
                        yield code.change(kind, node, f"self.{other}")


def sources(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The second and third of three projections of one input take the second and third input, at their own length."""
    for function in (f for tree in scope for f in functions(tree)):
        given = [a.arg for a in function.args.args if a.arg != "self"][:3]
        lines = [
            (statement, [n.args[0] for n in ast.walk(statement) if isinstance(n, ast.Call) and _projects(n)])
            for statement in function.body
        ]
        used = (
            [(s, part) for s, parts in lines for part in parts if code.of(part) == given[0]] if given else []
        )
        if len(given) < 3 or len(used) < 3:
            continue
        edits = [code.replace(part, name) for (_, part), name in zip(used[1:3], given[1:], strict=True)]
        yield CodeChange("sources", used[1][0].lineno, tuple(edits))
        for (statement, _), name in zip(used[1:3], given[1:], strict=True):
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call) and len(n.args) > 3):
                edits.append(code.replace(call.args[1], f"{name}.shape[1]"))
        yield CodeChange("sources", used[1][0].lineno, tuple(edits))


def _projects(node: ast.Call) -> bool:
    return _own(node.func) and len(node.args) == 1 and isinstance(node.args[0], ast.Name)


def _weight(node: ast.AST) -> bool:
    """An attribute of self that is no switch of torch's own."""
    return _own(node) and isinstance(node, ast.Attribute) and node.attr != "training"


def _simple(scope: list[ast.AST]) -> Iterator[ast.stmt]:
    for node in (n for tree in scope for n in ast.walk(tree)):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr):
            yield node


def _local(name: str) -> bool:
    return name not in ("self", "torch", "nn", "F", "math", "np", "float", "int", "range", "len", "super")


def _own(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
