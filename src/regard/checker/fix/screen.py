"""Screen of candidates: the one probe that failed, asked of each changed file as it was asked of the first."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.family import TIGHT, distance
from regard.checker.process.session import Lost, Raised, Session
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit

Request = tuple[str, tuple, dict[str, Any]]
"What was asked of the child process: a verb and its arguments."


class Screened(Enum):
    """What one probe says of a changed file."""

    NEAR = "it answers as wanted"
    SAME = "it answers as before"
    FAR = "it answers otherwise, or not at all"
    UNKNOWN = "it cannot be asked as before"


@dataclass(frozen=True, kw_only=True)
class FixScreen:
    """How the file was made and asked, and the answers that are wanted: a changed file is asked the same."""

    session: Session
    load: Callable[[str], object]
    "Imports a text in the child process."
    subject: Subject
    making: list[Request]
    "What made the object and put its weights in."
    case: Case
    before: np.ndarray | None
    "What the file answers as it is; None where it raises."
    wanted: list[np.ndarray] = field(default_factory=list)

    def look(self, text: str) -> Screened:
        """Ask a changed file."""
        try:
            self.load(text)
            for verb, values, named in self.making:
                self.session.ask(verb, *values, **named)
        except (Raised, Lost, KeyError):
            return Screened.UNKNOWN
        try:
            answer = self.subject.answer(self.case)
        except (Raised, Lost, Unfit, KeyError, IndexError, ValueError, AttributeError, TypeError):
            return Screened.FAR
        if any(distance(answer, wanted) < TIGHT["float32"] for wanted in self.wanted):
            return Screened.NEAR
        before = self.before
        same = before is not None and np.array_equal(answer, before, equal_nan=True)
        return Screened.SAME if same else Screened.FAR


def making(past: list[Request], number: int) -> list[Request]:
    """The requests that made one object, without those about others that were tried.

    >>> making([("load", ("a.py",), {}), ("make", ("A", 1), {}), ("make", ("A", 2), {}), ("set", (2, {}), {})], 2)
    [('make', ('A', 2), {}), ('set', (2, {}), {})]
    """
    own = [(verb, values[1 if verb == "make" else 0]) for verb, values, _ in past if verb != "load"]
    rest = [one for one in past if one[0] != "load"]
    return [one for one, (_, about) in zip(rest, own, strict=True) if about == number]
