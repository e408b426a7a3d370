"""Candidates for a fix: small changes of the lines that a finding points to and of those around them, the likeliest first."""

import ast
import re
from collections.abc import Iterator

from regard.checker.fix import calls, forgotten, names, patterns, statements, together, values, wraps
from regard.checker.fix.texts import CodeChange, CodeText

KINDS = (
    values.numbers, values.signs, values.operators, values.brackets, calls.arguments, calls.renamed, calls.dropped, calls.heads, wraps.scaled, wraps.masked,
    wraps.modules, wraps.sides, names.exchanged, names.replaced, statements.order, statements.registered, statements.in_place, statements.gradients, statements.attached, statements.later,
    statements.stable, patterns.copies, patterns.centred, patterns.ends, patterns.earlier, patterns.axes, forgotten.epsilon, forgotten.widths, forgotten.unread, forgotten.applied, forgotten.chances, together.dropped, together.moved,
    together.numbers, together.axis, together.inside, together.unconditional, together.squares, wraps.around,
)  # fmt: skip
LIKELY: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^scale", ("scale", "operand-left-out", "root", "number", "operator", "attribute", "name")),
    (r"batch-order|pairing|repeat|interleav|share", ("copies", "function", "argument", "number")),
    (r"about-zero|mean-kept|variance|moments|centred", ("centred", "argument", "name", "function")),
    (r"degree|loops?", ("earlier", "call-missing", "order", "name", "number")),
    (r"sources|reversed|direction|source-term|target-term", ("ends", "targets-exchanged", "names-exchanged", "number", "name")),
    (r"^axis", ("axes", "number", "argument")),
    (r"before|after|twice|inside", ("brackets", "call-moved")),
    (r"training|only", ("unconditional",)),
    (r"similarity|cosine|normalised-q", ("call-left-out", "operand-left-out", "scale")),
    (r"shifted|exponent", ("number", "operator", "operand-left-out")),
    (r"eps", ("epsilon", "argument")),
    (r"offset|base-|slope", ("unread", "number", "call-missing")),
    (r"frequenc|sign|negated", ("sign", "operator", "number")),
    (r"^mask-after", ("mask-moved", "order")),
    (r"^mask-(missing|ignored)", ("mask", "argument", "sign", "call-left-out")),
    (r"^mask", ("sign", "comparison", "number", "function", "argument", "mask", "operator", "transpose", "index-left-out", "arguments-exchanged", "call-missing")),
    (r"^softmax-(unstable)|underflow", ("stable", "function")),
    (r"^softmax|axis|sum-over", ("number", "argument", "call-left-out", "name", "call-missing", "axes-exchanged")),
    (r"gradient", ("gradient", "call-left-out")),
    (r"dropout|training-only|sample", ("argument", "call-left-out", "number", "call-missing", "function", "attribute")),
    (r"input-modified|overwritten", ("in-place", "function", "call-missing")),
    (r"unregistered|shared|at-zero", ("registered", "function")),
    (r"heads", ("heads", "arguments-exchanged", "number", "call-left-out", "transpose", "function")),
    (r"swapped|-is-|reversed|source|value-|transposed|not-turned|exchanged|takes", ("applied", "unused", "targets-exchanged", "names-exchanged", "name", "operands-exchanged", "attribute", "arguments-exchanged", "number", "call-left-out", "transpose", "call-missing", "sign")),
    (r"before|inside|after", ("later", "brackets", "order", "moved", "operand-left-out", "call-left-out", "call-missing", "names-exchanged")),
    (r"not-normalised|not-logged|softmax-missing", ("softmax", "function")),
    (r"root", ("root", "number", "function")),
    (r"normalised|only|root-missing|column|row", ("both-sides", "number", "operator", "function")),
    (r"missing|dropped|left-out|unused|not-projected", ("module", "call-missing", "root", "argument", "operator")),
    (r"twice|double|subtracted|kept|square|laplacian", ("call-left-out", "operand-left-out", "operator", "sign", "statement-left-out", "number", "function")),
    (r"root|half|exponent|base|slope|positions|two-pi|log|deviation|variance|bessel|mean|sum|relu|leaky|unnormalised", ("number", "function", "argument", "operator", "root", "operand-left-out", "call-left-out", "call-missing", "sign")),
)  # fmt: skip
"Which kinds of change mend which mistakes."
LAST = (
    "moved",
    "name",
    "attribute",
    "call-missing",
    "scale",
    "centred",
    "earlier",
    "ends",
    "operator-kind",
    "call-moved",
)
"Kinds with many candidates: tried late where nothing speaks for them."


def candidates(
    text: str, member: str, slugs: tuple[str, ...], lines: tuple[int, ...]
) -> Iterator[CodeChange]:
    """Every change of a member and of what it calls in the same file, without repetition."""
    code = CodeText(text)
    scope = reached(code.tree, member)
    found = [change for kind in KINDS for change in kind(code, scope)]
    likely = [
        kind for slug in slugs for pattern, kinds in LIKELY if re.search(pattern, slug) for kind in kinds
    ]

    words = [word for slug in slugs for word in slug.split("-") if len(word) > 3]
    said = [any(word in line.lower() for word in words) for line in text.splitlines()]

    def far(change: CodeChange) -> int:
        """How far from the lines that were pointed at; a line that speaks of the mistake is near."""
        return 0 if said[change.line - 1] else min((abs(change.line - line) for line in lines), default=0)

    # The kinds take turns, the likely ones more often; of one kind the nearest to the lines that were pointed at.
    ranked: list[tuple[float, CodeChange]] = []
    for kind in dict.fromkeys(change.kind for change in found):
        weight = 1 + likely.index(kind) / 2 if kind in likely else 12 + 12 * (kind in LAST)
        own = sorted((change for change in found if change.kind == kind), key=far)
        ranked += [((place + 3) * weight * change.size, change) for place, change in enumerate(own)]
    seen = {text}
    for _, change in sorted(ranked, key=lambda pair: pair[0]):
        new = code.applied(change)
        if new not in seen and _reads(new):
            seen.add(new)
            yield change


def _reads(text: str) -> bool:
    """Whether a text is Python at all."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def reached(tree: ast.Module, member: str) -> list[ast.AST]:
    """The class or function of that name, and those of the file that it speaks of or may be given."""
    known = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    head = member.partition(".")[0]
    wanted, found = [head], list[str]()
    while wanted:
        name = wanted.pop(0)
        if name in known and name not in found:
            found.append(name)
            wanted += [n.id for n in ast.walk(known[name]) if isinstance(n, ast.Name)]
    if isinstance(known.get(head), ast.FunctionDef):
        # What makes a function's arguments, such as tables, is in the same file and not called by it.
        found += [name for name, n in known.items() if isinstance(n, ast.FunctionDef) and name not in found]
    own: list[ast.AST] = [known[name] for name in found]
    free = [n for n in tree.body if isinstance(n, ast.Assign)]
    return [*own, *free] or [tree]
