"""The same change wherever the same thing stands: keys as values, the cosine as the sine, one method as the other."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from regard.checker.fix.texts import CodeChange, CodeText, functions

ALONE = ("name", "attribute", "unused", "number", "sign", "operator", "operator-kind", "comparison", "call-missing", "unread")  # fmt: skip
"Kinds that say nothing about other places."
MOST = 6
"Places that are changed at once."
LEAST = 4
"Letters of what is changed: less stands everywhere."
NAMES = re.compile(r"(?<=self\.)[A-Za-z_]\w*|(?<![\w.])[A-Za-z_]\w*(?!\w*\s*\()")
KEPT = ("self", "torch", "nn", "F", "math", "np", "None", "True", "False", "dim", "keepdim", "if", "else", "is", "not", "for", "in", "float", "str")  # fmt: skip


def everywhere(code: CodeText, changes: Iterable[CodeChange]) -> Iterator[CodeChange]:
    """Changes of one place that are the same but for names, made at all their places, in the file and in each function."""
    groups: dict[tuple[str, str], dict[int, CodeChange]] = defaultdict(dict)
    for change in changes:
        if change.kind in ALONE or len(change.edits) != 1:
            continue
        edit = change.edits[0]
        old = code.bytes[edit.start : edit.end].decode()
        if len(old) >= LEAST:
            groups[change.kind, _form(old, edit.new)].setdefault(edit.start, change)
    spans = [(*code.lines(f), f) for f in functions(code.tree)]
    for found in groups.values():
        whole = [found[start] for start in sorted(found)]
        parts = [[c for c in whole if a <= c.edits[0].start < b] for a, b, _ in spans]
        for group in [*parts, whole] if len(whole) > 1 else ():
            edits = [change.edits[0] for change in group]
            if 1 < len(edits) <= MOST and all(one.end <= two.start for one, two in pairwise(edits)):
                yield CodeChange(group[0].kind, group[0].line, tuple(edits))


def _form(old: str, new: str) -> str:
    """A change without the names in it.

    >>> _form("k.repeat(1, g)", "k.repeat_interleave(g, dim=1)") == _form("v.repeat(1, g)", "v.repeat_interleave(g, dim=1)")
    True
    """
    order = {
        name: f"${i}" for i, name in enumerate(dict.fromkeys(n for n in NAMES.findall(old) if n not in KEPT))
    }
    return "\0".join(NAMES.sub(lambda found: order.get(found[0], found[0]), text) for text in (old, new))
