"""Sequential test of a difference over paired seeds: it may be looked at after every pair and stays right.

Look k takes an interval of level 1 − 0.05 / (k (k + 1)). The errors of all looks sum to at most 5 %, however
many there are, so that stopping at the first clear answer does not cheat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, inf, nan, sqrt
from statistics import fmean, stdev
from typing import Literal

from regard.lab.statistics import student

ERROR = 0.05
FIRST = 3
"Pairs before the first look."
_student = cache(student)
Answer = Literal["first", "second", "alike", "open"]


@dataclass(frozen=True)
class Standing:
    """What the pairs so far say of second − first, a loss: below zero the second is better."""

    answer: Answer
    "Which is better; 'alike' where no difference above the margin is left, 'open' where nothing is settled."
    mean: float
    low: float
    high: float
    pairs: int
    floor: float
    "The noise floor: how far two trainings of the same thing with two seeds are apart, as a deviation."
    losses: tuple[float, float] = (nan, nan)
    "The mean loss of each."
    learning: tuple[float, float] = (0.0, 0.0)
    "By how much the second half of the steps has lowered each of them."

    @property
    def may_turn(self) -> bool:
        """Whether the one that is behind has learned more in half of the steps than they are apart."""
        return self.mean != 0 and self.learning[self.behind] > abs(self.mean)

    @property
    def behind(self) -> int:
        """Which has the higher loss: 0 is the first, 1 the second."""
        return int(self.mean > 0)

    def needed(self, margin: float) -> float:
        """About how many pairs it would take, if the differences go on as they are."""
        half = (self.high - self.low) / 2
        # The interval must shrink until zero lies outside of it, or all of it within the margin.
        room = max(abs(self.mean), margin - abs(self.mean))
        return ceil(self.pairs * (half / room) ** 2) if room > 0 and half < inf else inf


def stand(first: Sequence[float], second: Sequence[float], margin: float) -> Standing:
    """Where a comparison stands after some pairs of losses.

    >>> stand([1.0, 1.1, 0.9], [0.5, 0.6, 0.41], 0.01).answer
    'second'
    >>> stand([1.0, 1.1, 0.9], [1.2, 0.9, 0.9], 0.01).answer
    'open'
    """
    losses = fmean(first), fmean(second)
    apart = [b - a for a, b in zip(first, second, strict=True)]
    mean, count = fmean(apart), len(apart)
    spread = max(stdev(first), stdev(second)) if count > 1 else inf
    if count < FIRST:
        return Standing("open", mean, -inf, inf, count, sqrt(2) * spread, losses)
    look = count - FIRST + 1
    half = _student(count - 1, 1 - ERROR / (look * (look + 1))) * stdev(apart) / sqrt(count)
    low, high = mean - half, mean + half
    answer: Answer = "open"
    if high < 0 or low > 0:
        answer = "second" if high < 0 else "first"
    if -margin < low and high < margin:
        answer = "alike"
    return Standing(answer, mean, low, high, count, sqrt(2) * spread, losses)
