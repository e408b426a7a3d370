"""Numbers as a page sets them (typography): minus signs, powers of ten, thousands, percentages."""

import re
from math import isfinite

from regard.lab.events import Value

POWER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e([+-]?\d+)(?!\w)")
MINUS = re.compile(r"(?<![\w)\]}.\-])-(?=\.?\d|inf\b)")
PERCENT = re.compile(r"(?<=\d) ?%(?![\w%]| \d)")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
THOUSANDS, BILLIONS = 1e4, 1e9
INFINITE = re.compile(r"(?<![\w.])inf(?![\w.])")
"How Python writes what has no end."
FIGURES = re.compile(r"(?:[-−+±\d.,;:×/()\[\]\s%°]|e(?=[-+]?\d)|inf\b)+")
"A text of nothing but numbers."
NUMBER = re.compile(r"[-−+]?[\d.,]+(?:e[-+]?\d+)?(?: ?± ?[\d.]+)?(?: ?%)?|–|")
LINE_END, BREAK = "⏎", "\u200b"
"What stands for the end of a line inside a cell, and a place where a page may break one."


def shown(value: Value) -> str:
    """A value as a page shows it, to four digits; whole thousands to the last one.

    >>> shown(0.123456), shown(-12345.6), shown(3), shown(None)
    ('0.1235', '−12,346', '3', '')
    >>> shown(8.88e-16), shown(104064), shown("top-k 5")
    ('8.88 × 10⁻¹⁶', '104,064', 'top-k 5')
    >>> shown("-1.1, -inf")
    '−1.1, −∞'
    """
    if value is None or isinstance(value, str | bool):
        text = "" if value is None else str(value)
        return (
            typeset(text) if FIGURES.fullmatch(text) else _percent(text).replace(LINE_END, LINE_END + BREAK)
        )
    if not isfinite(value):
        return str(value).replace("inf", "∞").replace("-", "−")
    if abs(value) >= THOUSANDS and (isinstance(value, int) or abs(value) < BILLIONS):
        return typeset(f"{value:,.0f}")
    return typeset(f"{value:.4g}" if isinstance(value, float) else str(value))


def typeset(text: str) -> str:
    """A text with its numbers set.

    >>> typeset("-0.05 to 1e-10, GPT-2, 0e+00 and 2.1e+04")
    '−0.05 to 10⁻¹⁰, GPT-2, 0 and 21,000'
    """
    return _percent(INFINITE.sub("∞", MINUS.sub("−", POWER.sub(_power, text))))


def _percent(text: str) -> str:
    """Percentages with a space that no line breaks at.

    >>> _percent("90% and 100 %, i % 2").split("\u00a0")
    ['90', '% and 100', '%, i % 2']
    """
    return PERCENT.sub("\u00a0%", text)


def _power(found: re.Match[str]) -> str:
    digits, power = found[1], int(found[2])
    value = float(found[0])
    if value == 0 or power == 0:
        return digits if value else "0"
    if THOUSANDS <= abs(value) < BILLIONS:
        return f"{value:,.0f}"
    raised = f"10{str(power).translate(RAISED)}"
    return raised if digits == "1" else f"-{raised}" if digits == "-1" else f"{digits} × {raised}"


def is_number(value: Value) -> bool:
    """Whether a cell holds a number, alone or with its spread; an empty one might.

    >>> [is_number(one) for one in (3, "82.1 ± 0.7", "12%", "", "3 heads")]
    [True, True, True, True, False]
    """
    return not isinstance(value, str) or NUMBER.fullmatch(value) is not None
