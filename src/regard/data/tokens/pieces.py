"""A long text in pieces whose tokens, one piece after the other, are those of the whole text."""

import re
from collections.abc import Iterable, Iterator

SIZE = 2**20
"Characters of a piece, about."
NEAR = 4096
"Characters at the end among which a cut is looked for first."
CUT = re.compile(r"(?<=\S)[ \n](?=\S)")
PATIENCE = 16
"Pieces without a place to cut after which any place must do."


def whole_pieces(parts: Iterable[str], size: int = SIZE) -> Iterator[str]:
    """The same text, cut only before a blank or a line end that stands alone between other characters.

    Byte-pair encoding as GPT-2 has it first parts a text before such a blank: no token lies across it. A text
    that has none for long is cut anywhere: still the same text, with some tokens shorter.

    >>> list(whole_pieces(["to be, o", "r not to be"], size=4))
    ['to be,', ' or not to', ' be']
    """
    waiting = ""
    for part in parts:
        waiting += part
        if len(waiting) > size and (place := last_cut(waiting)):
            yield waiting[:place]
            waiting = waiting[place:]
        elif len(waiting) > PATIENCE * size:
            yield waiting
            waiting = ""
    if waiting:
        yield waiting


def last_cut(text: str) -> int:
    """The last place before which a text can be cut; 0 if there is none.

    >>> last_cut("a b  c"), last_cut("a  b")
    (1, 0)
    """
    for start in (max(0, len(text) - NEAR), 0):
        places = [found.start() for found in CUT.finditer(text, start)]
        if places:
            return places[-1]
    return 0
