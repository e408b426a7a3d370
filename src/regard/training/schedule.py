"""Learning-rate schedule: warm-up and decay, told by progress from 0 to 1."""

from dataclasses import dataclass
from math import cos, pi
from typing import Literal

Schedule = Literal["constant", "linear", "cosine"]

FALLS = {"constant": lambda x: 0.0, "linear": lambda x: x, "cosine": lambda x: (1 - cos(pi * x)) / 2}
"What share of the way down lies behind, when a share x of the time after the warm-up does."


def factor(progress: float, *, schedule: Schedule, warmup: float = 0.0, floor: float = 0.0) -> float:
    """What the learning rate is multiplied by: from 0 to 1 while it warms up, then from 1 down to the floor.

    >>> [factor(x, schedule="linear", warmup=0.25) for x in (0.0, 0.125, 0.25, 0.625, 1.0)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    if progress < warmup:
        return progress / warmup
    return 1 - (1 - floor) * FALLS[schedule]((progress - warmup) / (1 - warmup))


@dataclass(frozen=True)
class Course:
    """How many steps there will be, and the progress at each; it can be fitted anew without a jump.

    >>> course = Course(10)
    >>> course.progress(0), course.progress(9)
    (0.05, 0.95)
    >>> shorter = course.fitted(5, 7)
    >>> shorter.progress(5), shorter.progress(6)
    (0.625, 0.875)
    """

    steps: int
    "Steps in all."
    since: int = 0
    "Steps that lay behind when it was last fitted."
    done: float = 0.0
    "Progress at that moment."

    def progress(self, step: int) -> float:
        """The progress in the middle of the step that has `step` steps before it."""
        return self._at(step + 0.5)

    def fitted(self, step: int, steps: int) -> "Course":
        """The course that goes on from here and ends after `steps` steps in all."""
        return self if steps == self.steps else Course(steps, step, self._at(step))

    def _at(self, step: float) -> float:
        return self.done + (1 - self.done) * (step - self.since) / (self.steps - self.since)
