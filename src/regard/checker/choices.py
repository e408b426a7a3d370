"""Which conventions may be meant: by the person's words, by what was asked for, by what the file holds."""

import re
from dataclasses import replace

from regard.checker.contract import Contract, Convention
from regard.checker.workbench import Workbench


def asked(contract: Contract, bench: Workbench) -> Contract:
    """The contract with only those conventions that may be meant: by the person's words, and by what is asked for."""
    words = "\n".join([bench.source.said(bench.name), *bench.said, *bench.said.values()])

    def possible(found: Convention) -> bool:
        hinted = not found.hint or re.search(found.hint, bench.source.text, re.I)
        free = not (bench.strict and found.mistake) or said(found, bench)
        meant = found.asked(words) or (found.choice and found.choice in bench.wanted)
        return bool(meant and hinted and free)

    left = tuple(filter(possible, contract.conventions))
    return replace(
        contract, conventions=left, stated=tuple(c.slug for c in left if c.harmless or said(c, bench))
    )


def said(found: Convention, bench: Workbench) -> bool:
    """Whether the file itself, or the command, says that a convention is meant."""
    if found.choice and found.choice in bench.wanted:
        return True
    return bool(found.words) and bool(re.search(found.words, bench.source.said(bench.name), re.I))
