"""Values as JSON has them: what is not finite becomes a word."""

from math import isfinite
from typing import Any


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


def rounded(value: float, digits: int = 6) -> float:
    """The number with so many significant digits: a document has no use for more.

    >>> rounded(0.123456789)
    0.123457
    """
    return float(f"{value:.{digits}g}") if isfinite(value) else value
