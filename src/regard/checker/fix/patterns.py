"""Changes of whole idioms: copies in another order, squares about the mean, an end of an edge, a line made first."""

import ast
from collections.abc import Iterator
from itertools import combinations, permutations

from regard.checker.fix.texts import CodeChange, CodeText, TextEdit, atom, called, functions
from regard.checker.fix.values import number

RUN = 6
"The most neighbouring statements in which one name takes the place of another."


def copies(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Copies side by side for copies one after the other, pairs apart for pairs together, and the reverse."""
    for node in (n for tree in scope for n in ast.walk(tree) if isinstance(n, ast.Call)):
        name, own = called(node), _receiver(node)
        if name == "repeat" and own:
            new = _interleaved(code, node, own)
        elif name == "repeat_interleave":
            new = _repeated(code, node, own)
        elif name in ("cat", "concat", "stack") and node.args:
            new = _paired(code, name, node.args[0])
        elif name in ("flatten", "reshape", "view") and isinstance(own, ast.Call) and called(own) == "stack":
            new = iter([f"torch.cat({code.of(own.args[0])}, dim=-1)"] if own.args else [])
        else:
            continue
        yield from (code.change("copies", node, text) for text in new)


def _interleaved(code: CodeText, node: ast.Call, own: ast.expr) -> Iterator[str]:
    """x.repeat(1, n) as x.repeat_interleave(n, dim=-1)."""
    counts = [code.of(a) for a in node.args]
    many = [axis for axis, count in enumerate(counts) if count != "1"]
    if len(many) == 1:
        axis = -1 if many[0] == len(counts) - 1 else many[0]
        yield f"{atom(own, code.of(own))}.repeat_interleave({counts[many[0]]}, dim={axis})"


def _repeated(code: CodeText, node: ast.Call, own: ast.expr | None) -> Iterator[str]:
    """x.repeat_interleave(n, dim=-1) as a repeat or, for two, as cat([x, x])."""
    given = ([own] if own else []) + list(node.args)
    axes = [code.of(k.value) for k in node.keywords if k.arg == "dim"] + [code.of(a) for a in given[2:]]
    if len(given) < 2 or not axes:
        return
    text, count, axis = code.of(given[0]), code.of(given[1]), axes[0]
    if count == "2":
        yield f"torch.cat([{text}, {text}], dim={axis})"
    for size in range(1, 5) if axis.lstrip("-").isdigit() else ():
        ones = ["1"] * size
        if -size <= int(axis) < size:
            ones[int(axis)] = count
            yield f"{atom(given[0], text)}.repeat({', '.join(ones)})"


def _paired(code: CodeText, name: str, parts: ast.expr) -> Iterator[str]:
    """cat([x, x]) as copies one after the other; cat([a, b]) as pairs."""
    listed = [code.of(part) for part in parts.elts] if isinstance(parts, ast.List | ast.Tuple) else []
    if len(listed) == 2 and listed[0] == listed[1]:
        assert isinstance(parts, ast.List | ast.Tuple)
        yield f"{atom(parts.elts[0], listed[0])}.repeat_interleave(2, dim=-1)"
        yield f"torch.cat([{listed[0]}, {listed[0]}], dim=-1)"
    elif len(listed) == 2 and name != "stack":
        yield f"torch.stack([{', '.join(listed)}], dim=-1).flatten(-2)"


def centred(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """What should be taken less its mean: an input, wherever it is squared, multiplied or divided."""
    for function in (f for tree in scope for f in functions(tree) if f.name != "__init__"):
        means = [
            n.targets[0].id
            for n in ast.walk(function)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and _averages(n.value)
        ]
        names = [a.arg for a in function.args.args if a.arg != "self"]
        for node in ast.walk(function):
            if not isinstance(node, ast.BinOp | ast.Call):
                continue
            inner = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.Name) and n.id in names]
            own = _receiver(node) if isinstance(node, ast.Call) else None
            inner += [own] if isinstance(own, ast.Name) and own.id in names else []
            for mean in (*dict.fromkeys(means), "") if inner else ():
                edits = []
                for name in inner:
                    about = mean or f"{name.id}.mean(dim=-1, keepdim=True)"
                    edits.append(code.replace(name, f"({name.id} - {about})"))
                yield CodeChange("centred", node.lineno, tuple(edits))
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
                for name in names[:2]:
                    text = f"{name}.var(-1, keepdim=True, unbiased=False)"
                    yield code.change("centred", node, text)
            if isinstance(node, ast.Call) and called(node) in ("mean", "sum") and own is not None:
                for name in names[:2]:
                    axis = code.of(node.args[0]) if node.args else "-1"
                    text = f"{name}.var({axis}, keepdim=True, unbiased=False)"
                    yield code.change("centred", node, text)


def _averages(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in ("mean", "average")


def ends(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """One of two names that were bound together, such as the ends of edges, for the other in neighbouring lines."""
    for function in (f for tree in scope for f in functions(tree)):
        pairs = [
            [t.id for t in n.targets[0].elts if isinstance(t, ast.Name)]
            for n in function.body
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple)
        ]
        for one, two in (pair for names in pairs for pair in permutations(names[:4], 2)):
            reads = [
                [n for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == one and isinstance(n.ctx, ast.Load)]
                for s in function.body
            ]  # fmt: skip
            for first, last in combinations(range(len(reads) + 1), 2):
                nodes = [n for line in reads[first:last] for n in line]
                ended = 1 < last - first <= RUN and reads[first] and reads[last - 1]
                if ended and len(nodes) > 1:
                    edits = tuple(code.replace(n, two) for n in nodes)
                    yield CodeChange("ends", nodes[0].lineno, edits)


def earlier(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """A line that comes too late, made before another line that then uses what it gives."""
    for function in (f for tree in scope for f in functions(tree)):
        body = function.body
        for i, j in combinations(range(len(body)), 2):
            late, early = body[j], body[i]
            if not (isinstance(late, ast.Assign) and isinstance(late.targets[0], ast.Name)):
                continue
            given, takes = late.targets[0].id, _read(late.value)
            if any(given in _read(s) for s in body[i:j]):
                continue
            for used in sorted(takes & _read(early) - {"self", "torch", given}):
                nodes = [
                    n
                    for n in ast.walk(early)
                    if isinstance(n, ast.Name) and n.id == used and isinstance(n.ctx, ast.Load)
                ]
                (a, b), start = code.lines(late), code.lines(early)[0]
                moved = TextEdit(start, start, code.bytes[a:b].decode())
                edits = (moved, TextEdit(a, b, ""), *(code.replace(n, given) for n in nodes))
                yield CodeChange("earlier", early.lineno, edits)
                if isinstance(early, ast.Assign) and not _stored(early) & _all_read(body[i + 1 : j + 1]):
                    (c, d), text = code.lines(early), code.bytes
                    spans = sorted(code.span(n) for n in nodes)
                    new, last = "", c
                    for first, end in spans:
                        new, last = new + text[last:first].decode() + given, end
                    new += text[last:d].decode()
                    yield CodeChange("earlier", early.lineno, (TextEdit(c, d, ""), TextEdit(b, b, new)))


def _stored(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _all_read(nodes: list[ast.stmt]) -> set[str]:
    return {name for node in nodes for name in _read(node)}


def _read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _receiver(node: ast.Call) -> ast.expr | None:
    """What a method is called on; nothing for a function of a module."""
    if not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value
    return None if isinstance(owner, ast.Name) and owner.id in ("torch", "F", "nn", "np", "math") else owner


AXES = ("mean", "sum", "var", "std", "var_mean", "softmax", "log_softmax", "norm", "amax", "max", "logsumexp")
"Functions that run over an axis."


def axes(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Another axis in all calls of a function that name the same one."""
    for function in (f for tree in scope for f in functions(tree)):
        found: dict[str, list[ast.expr]] = {}
        for node in (n for n in ast.walk(function) if isinstance(n, ast.Call) and called(n) in AXES):
            given = [k.value for k in node.keywords if k.arg in ("dim", "axis")]
            given += node.args[:1] if _receiver(node) else node.args[1:2]
            if given and code.of(given[0]).lstrip("-").isdigit():
                found.setdefault(code.of(given[0]), []).append(given[0])
        for axis, nodes in found.items():
            for new in ("-1", "-2", "0", "1") if len(nodes) > 1 else ():
                if new != axis:
                    edits = tuple(code.replace(node, new) for node in nodes)
                    yield CodeChange("axes", nodes[0].lineno, edits)
        for node in ast.walk(function):
            many = isinstance(node, ast.Call) and called(node) == "tuple" and "range" in code.of(node)
            if isinstance(node, ast.Tuple) and node.elts:
                many = all(number(part) is not None for part in node.elts)
            if isinstance(node, ast.Call | ast.Tuple) and many:
                yield code.change("axes", node, "-1")


def across(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """The first two axes of an input exchanged before anything is done with it, and back in what is returned."""
    for function in (f for tree in scope for f in functions(tree) if f.name == "forward"):
        ends = [n.value for n in function.body if isinstance(n, ast.Return) and n.value]
        for argument in [a.arg for a in function.args.args if a.arg != "self"][:1] if ends else ():
            first = function.body[0]
            start, indent = code.lines(first)[0], " " * first.col_offset
            line = TextEdit(start, start, f"{indent}{argument} = {argument}.transpose(0, 1)\n")
            back = code.replace(ends[-1], f"{atom(ends[-1], code.of(ends[-1]))}.transpose(0, 1)")
            yield CodeChange("across", function.lineno, (line, back))


def positions(code: CodeText, scope: list[ast.AST]) -> Iterator[CodeChange]:
    """Another axis that is counted, and tables that are not spread over axes of their own."""
    for function in (f for tree in scope for f in functions(tree)):
        spread = [
            code.replace(n, code.of(n.value))
            for n in ast.walk(function)
            if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Tuple) and len(n.slice.elts) == 4
        ]
        for node in ast.walk(function):
            if isinstance(node, ast.Subscript) and code.of(node).endswith(".shape[1]") and spread:
                counted = code.replace(node.slice, "-2")
                yield CodeChange("positions", node.lineno, (counted, *spread))
