"""Candidates for a fix: small changes of the lines that a finding points to and of those around them, the likeliest first."""

import ast
from collections.abc import Iterator

from regard.checker.fix import (
    calls,
    elements,
    forgotten,
    lines,
    names,
    patterns,
    statements,
    terms,
    together,
    values,
    wraps,
)
from regard.checker.fix.everywhere import everywhere
from regard.checker.fix.likely import LAST, likely
from regard.checker.fix.names import Related
from regard.checker.fix.texts import CodeChange, CodeText

KINDS = (
    values.numbers, values.signs, values.operators, values.brackets, calls.arguments, calls.renamed, calls.dropped, calls.heads, wraps.scaled, wraps.masked,
    wraps.modules, wraps.sides, names.exchanged, names.replaced, statements.order, statements.registered, statements.in_place, statements.gradients, statements.attached, statements.later,
    statements.stable, patterns.copies, patterns.centred, patterns.ends, patterns.earlier, patterns.axes, forgotten.epsilon, forgotten.widths, forgotten.unread, forgotten.applied, forgotten.chances, together.dropped, together.moved,
    together.numbers, together.axis, together.inside, together.unconditional, together.squares, wraps.around,
    wraps.halved, wraps.widened, names.sources, elements.exchanged, elements.signed, elements.branches, lines.loops, lines.grouped, lines.summed, lines.kept, lines.filled, lines.symmetric,
    patterns.across, patterns.positions, forgotten.slices, forgotten.sliced, forgotten.unapplied, forgotten.passed,
    terms.constants, terms.determinants, terms.mixed, terms.drawn, terms.logarithms,
)  # fmt: skip


BY_NAME = ("name", "attribute")
"Kinds of which those come first whose names have to do with each other or with the mistake."


def candidates(
    text: str, member: str, slugs: tuple[str, ...], places: tuple[int, ...]
) -> Iterator[CodeChange]:
    """Every change of a member and of what it calls in the same file, without repetition."""
    code = CodeText(text)
    scope = reached(code.tree, member)
    found = [change for kind in KINDS for change in kind(code, scope)]
    found += everywhere(code, found)
    first = likely(slugs)
    words = [word for slug in slugs for word in slug.split("-") if len(word) > 3]
    said = [any(word in line.lower() for word in words) for line in text.splitlines()]

    def far(change: CodeChange) -> int:
        """How far from the lines that were pointed at; a line that speaks of the mistake is next to them."""
        away = min((abs(change.line - line) for line in places), default=1)
        return min(away, 1) if said[change.line - 1] else away

    related = Related(code, slugs)
    # The kinds take turns, the likely ones more often; of one kind the nearest to the lines that were pointed at.
    ranked: list[tuple[float, CodeChange]] = []
    for kind in dict.fromkeys(change.kind for change in found):
        weight = 1 + first.index(kind) / 2 if kind in first else 12 + 12 * (kind in LAST)
        own = [change for change in found if change.kind == kind]
        own.sort(key=lambda change: (kind in BY_NAME and not related(change), far(change)))
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
