from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from regard.lab.statistics import difference, student, summarise

numbers = some.floats(-1e3, 1e3)


@pytest.mark.parametrize("freedom", [1, 2, 4, 9, 29, 200])
def test_student_agrees_with_scipy(freedom: int) -> None:
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-7)


@given(some.lists(numbers, min_size=2, max_size=12))
def test_the_interval_agrees_with_scipy(values: list[float]) -> None:
    found = summarise(values)
    if found.spread > 1e-9:
        low, high = stats.t.interval(0.95, len(values) - 1, loc=found.mean, scale=stats.sem(values))
        assert (found.low, found.high) == (
            pytest.approx(low, abs=1e-6 * found.spread),
            pytest.approx(high, abs=1e-6 * found.spread),
        )


def test_one_value_has_no_interval() -> None:
    assert isnan(summarise([2.0]).low) and isnan(summarise([2.0]).spread)


@given(some.dictionaries(some.integers(0, 9), some.tuples(numbers, numbers), min_size=2))
def test_the_difference_is_taken_seed_by_seed(pairs: dict[int, tuple[float, float]]) -> None:
    found = difference(
        {seed: a for seed, (a, _) in pairs.items()}, {seed: b for seed, (_, b) in reversed(pairs.items())}
    )
    assert found.mean == pytest.approx(sum(a - b for a, b in pairs.values()) / len(pairs), abs=1e-9)


def test_unpaired_seeds_are_refused() -> None:
    with pytest.raises(AssertionError, match="same seeds"):
        difference({0: 1.0}, {1: 1.0})
