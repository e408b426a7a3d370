"""Numbers on the command line: seeds, counts, minutes; each is told where it makes no sense."""

import argparse
from math import inf, isfinite

SEEDS = 2**32
"How many seeds there are; all generators take these."
TOKENS = 10**6
"The most tokens that are generated at once."


def seed(text: str) -> int:
    """A seed that every generator takes."""
    return whole(text, 0, SEEDS - 1)


def count(text: str) -> int:
    """A number of things, at least one."""
    return whole(text, 1, TOKENS)


def place(text: str) -> int:
    """The number of a thing, counted from 0."""
    return whole(text, 0, TOKENS)


def port(text: str) -> int:
    """Where a server listens; 0 is any port that is free."""
    return whole(text, 0, 65_535)


def shape(text: str) -> list[int]:
    """Sizes with commas between them."""
    return [whole(part.strip(), 1, TOKENS) for part in text.split(",")]


def steps(text: str) -> int:
    """Steps of a training."""
    return whole(text, 1, 10_000_000)


def vocabulary(text: str) -> int:
    """Pieces of a byte-pair tokenizer: the 256 bytes, and more."""
    return whole(text, 256, TOKENS)


def whole(text: str, low: int, high: int) -> int:
    """A whole number within its ends."""
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {low:,} to {high:,}")
    return value


def minutes(text: str) -> float:
    """A budget: more than no time."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < inf:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of minutes above 0")
    return value


def positive(text: str) -> float:
    """A number above 0."""
    value = finite(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return value


def finite(text: str) -> float:
    """A number that is one."""
    try:
        value = float(text)
    except ValueError:
        value = inf
    if not isfinite(value):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number")
    return value
