"""Values as JSON has them, what is not finite as a word; texts as a page shows them, formulas as Unicode."""

import re
from math import isfinite
from typing import Any

from regard.errors import RegardError
from regard.theory.text import plain as formula


def plain(value: Any) -> Any:
    """The value as JSON has it: nan, inf and -inf as words, tuples as lists, keys as texts.

    >>> plain({"a": (1.0, float("inf"))})
    {'a': [1.0, 'inf']}
    """
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return plain(value.item())
    return str(value)


def readable(text: str) -> str:
    r"""A text of an experiment without its marks: formulas as Unicode, names of experiments bare.

    >>> readable(r"the variance of $q \cdot k$ is $d$, as in [[positions]]")
    'the variance of q · k is d, as in positions'
    """

    def shown(found: re.Match[str]) -> str:
        try:
            return formula(found[1])
        except RegardError:
            return found[0]  # a dollar that begins no formula

    return re.sub(r"\[\[([\w-]+)\]\]", r"\1", re.sub(r"\$\$?([^$]+)\$\$?", shown, text))


def rounded(value: float, digits: int = 6) -> float:
    """The number with so many significant digits: a document has no use for more.

    >>> rounded(0.123456789)
    0.123457
    """
    return float(f"{value:.{digits}g}") if isfinite(value) else value
