"""Means with their spread, and differences over paired seeds with their interval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import nan, sqrt

import numpy as np

LEVEL = 0.95


@dataclass(frozen=True)
class Summary:
    """The mean of some values, their standard deviation, and the interval of the mean at 95 %."""

    mean: float
    spread: float
    low: float
    high: float
    count: int


@cache
def student(freedom: int, level: float = LEVEL) -> float:
    """The half-width, in standard errors, of an interval at `level` with so many degrees of freedom.

    P(|T| < sqrt(f) tan(a)) is the integral of cos^(f-1) from 0 to a, as a share of that up to pi/2.

    >>> round(student(2), 3), round(student(9), 3)
    (4.303, 2.262)
    """
    angle = np.linspace(0.0, np.pi / 2, 100_001)
    height = np.cos(angle) ** (freedom - 1)
    mass = np.concatenate([[0.0], np.cumsum(height[1:] + height[:-1])])
    return float(sqrt(freedom) * np.tan(np.interp(level, mass / mass[-1], angle)))


def summarise(values: Sequence[float]) -> Summary:
    """Mean, spread and interval; one value alone has neither spread nor interval.

    >>> summarise([1.0, 2.0, 3.0]).mean
    2.0
    """
    if len(values) == 1:  # a long curve of one seed has thousands of them
        return Summary(float(values[0]), nan, nan, nan, 1)
    mean = float(np.mean(values))
    if not len(values):
        return Summary(mean, nan, nan, nan, 0)
    spread = float(np.std(values, ddof=1))
    half = student(len(values) - 1) * spread / sqrt(len(values)) if spread else 0.0
    return Summary(mean, spread, mean - half, mean + half, len(values))


def difference(first: Mapping[int, float], second: Mapping[int, float]) -> Summary:
    """`first` minus `second`, seed by seed.

    >>> difference({0: 3.0, 1: 5.0}, {0: 1.0, 1: 3.0}).mean
    2.0
    """
    assert first.keys() == second.keys(), "a comparison pairs the same seeds"
    return summarise([first[seed] - second[seed] for seed in sorted(first)])
