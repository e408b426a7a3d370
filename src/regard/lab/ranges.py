"""Ranges of settings: which numbers one may have, beside its type: `seeds: Annotated[int, Range(1, 100)]`."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from regard.errors import RegardError, nearest

FACTOR = 1000
"How many times its preset's value a number may be that declares no range."


@runtime_checkable
class Rule(Protocol):
    """What a setting must keep to: metadata of its type, `Annotated[str, Device()]`."""

    def check(self, value: Any, name: str) -> None:
        """Tell in three lines what is wrong with a value."""


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, or strictly above `above` and below `below`.

    >>> str(Range(1, 5000)), str(Range(above=0)), str(Range(0, below=1))
    ('from 1 to 5,000', 'above 0', 'at least 0 and below 1')
    """

    low: float = -inf
    "The smallest."
    high: float = inf
    "The largest."
    above: float = -inf
    "What is larger than this."
    below: float = inf
    "What is smaller than this."

    def check(self, value: Any, name: str) -> None:
        """Each number of a setting lies within; what is not finite lies nowhere."""
        for one in _numbers(value):
            inside = self.low <= one <= self.high and self.above < one < self.below
            if not (inside and isfinite(one)):
                kind = "a whole number" if isinstance(one, int) else "a number"
                raise RegardError(f"the setting '{name}' is out of range", str(one), f"give {kind} {self}")

    def __str__(self) -> str:
        if isfinite(self.low) and isfinite(self.high):
            return f"from {self.low:,.15g} to {self.high:,.15g}"
        ends = {"at least": self.low, "above": self.above, "at most": self.high, "below": self.below}
        told = [f"{word} {end:,.15g}" for word, end in ends.items() if isfinite(end)]
        return " and ".join(told) or "that is finite"


@dataclass(frozen=True)
class Distinct:
    """Several values, of which so many differ: a slope has two points."""

    count: int
    "How many differ at least."

    def check(self, value: Any, name: str) -> None:
        if len(set(value)) < self.count:
            raise RegardError(
                f"the setting '{name}' has too few values",
                ", ".join(map(str, value)),
                f"give {self.count} different ones or more",
            )


@dataclass(frozen=True)
class Device:
    """The name of a device that this machine has and that computes."""

    def check(self, value: Any, name: str) -> None:
        from regard.training.device import find_device  # brings torch, which reading a range does not need

        if find_device(value).type == "meta":
            raise RegardError("this device computes nothing", repr(value), "one of cpu, cuda, cuda:1, mps")


@dataclass(frozen=True)
class OwnPath:
    """A file or a folder of a person's own, by its path; none where the experiment's own data is used."""

    kind: Literal["file", "folder"]
    "What the path leads to."

    def check(self, value: Any, name: str) -> None:
        """Tell a path that leads nowhere, before anything is made."""
        if value is None or (value.is_dir() if self.kind == "folder" else value.is_file()):
            return
        if value.exists():
            other = "a folder" if value.is_dir() else "a file"
            raise RegardError(
                f"the setting '{name}' names a {self.kind}", f"'{value}', {other}", f"name a {self.kind}"
            )
        beside = [one.name for one in value.parent.iterdir()] if value.parent.is_dir() else []
        fix = nearest(value.name, beside, f"name a {self.kind} that is there")
        raise RegardError(f"no {self.kind} of that name", f"'{value}'", fix)


class Follows:
    """Parts of a group that follow from something else, so that setting them would do nothing.

    >>> Follows(vocabulary="the text").parts
    {'vocabulary': 'the text'}
    """

    def __init__(self, **parts: str) -> None:
        self.parts = parts

    def check(self, value: Any, name: str) -> None:
        """Whatever they are, they are replaced."""


def rules(kind: Any, preset: Any) -> list[Rule]:
    """What a setting of that type keeps to: what it declares, else a range around its preset's value."""
    found: list[Rule] = list(get_args(kind)[1:]) if hasattr(kind, "__metadata__") else []
    if not any(isinstance(rule, Range) for rule in found):
        found.append(usual(preset))
    return found


def usual(preset: Any) -> Range:
    """The range around a preset's value: a count stays a count, nothing changes its sign or grows for ever.

    >>> str(usual(5)), str(usual(0)), str(usual(0.5)), str(usual((4, 16)))
    ('from 1 to 5,000', 'from 0 to 1,000', 'from 0 to 1,000', 'from 1 to 16,000')
    """
    numbers = list(_numbers(preset))
    if not numbers:
        return Range(1, 10**9)
    whole = all(isinstance(one, int) for one in numbers)
    least = min(numbers)
    low = -inf if least < 0 else 1 if whole and least >= 1 else 0
    high = FACTOR * max(1, *map(abs, numbers))
    return Range(low if low > -inf else -high, high)


def _numbers(value: Any) -> Iterator[float]:
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, int | float) and not isinstance(one, bool):
            yield one
