"""Time budget: how long steps take on this machine, and how many more fit into the time left."""

import time
from collections import deque
from collections.abc import Callable
from math import inf

CALIBRATION = 3
"Steps whose time is measured before anything is fitted to it; they are steps of the training like any other."
RECENT = 50
"Steps over which the time of one is averaged."
SHARE = 0.97
"The share of the time left that is planned with."
SPARE = 2
"Steps' worth of time that is kept back besides."


class Budget:
    """The clock of a training that must end in time."""

    def __init__(self, seconds: float = inf, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.deadline = clock() + seconds
        self._inside: deque[float] = deque(maxlen=RECENT)
        self._outside = self._longest = 0.0
        self._count = 0

    def record(self, inside: float, outside: float) -> None:
        """Note how long a step took, and how long it was until the one before had been looked at."""
        self._count += 1
        # The first step also allocates and warms up; it says nothing about the others.
        if self._count > 1:
            self._inside.append(inside)
            self._outside += outside
            self._longest = max(self._longest, outside)

    def room(self) -> float:
        """How many more steps fit, not rounded; without end as long as nothing limits or nothing is known."""
        if self.deadline == inf or self._count < CALIBRATION:
            return inf
        each = sum(self._inside) / len(self._inside) + self._outside / (self._count - 1)
        # The longest pause so far may come again after the last step but one.
        left = self.deadline - self.clock() - self._longest
        return max(0.0, SHARE * left / each - SPARE)
