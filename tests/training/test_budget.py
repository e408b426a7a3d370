"""How many steps fit, on a clock that the test turns."""

from math import inf

import pytest

from regard.training.budget import CALIBRATION, SHARE, SPARE, Budget


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def made(budget: Budget, clock: Clock, *steps: tuple[float, float]) -> None:
    for inside, outside in steps:
        clock.now += inside + outside
        budget.record(inside, outside)


def test_nothing_is_fitted_before_the_calibration() -> None:
    budget = Budget(10.0, clock := Clock())
    for _ in range(CALIBRATION):
        assert budget.room() == inf
        made(budget, clock, (0.1, 0.0))
    assert budget.room() < inf


def test_without_a_limit_there_is_room_without_end() -> None:
    budget = Budget(inf, clock := Clock())
    made(budget, clock, *[(1.0, 0.0)] * 9)
    assert budget.room() == inf


def test_the_room_is_what_is_left_by_what_a_step_takes() -> None:
    budget = Budget(100.0, clock := Clock())
    made(budget, clock, (30.0, 0.0), *[(0.5, 0.0)] * 20)
    assert budget.room() == pytest.approx(SHARE * 60 / 0.5 - SPARE), "the first step does not count"


def test_time_between_steps_counts() -> None:
    budget = Budget(100.0, clock := Clock())
    made(budget, clock, (0.5, 0.0), *[(0.5, 0.0), (0.5, 1.0)] * 10)
    left = 100 - 0.5 - 20 * 1.0 - 1.0  # another pause may come
    assert budget.room() == pytest.approx(SHARE * left / 1.0 - SPARE)


def test_a_machine_that_slows_down_is_seen_within_the_recent_steps() -> None:
    budget = Budget(1000.0, clock := Clock())
    made(budget, clock, *[(0.1, 0.0)] * 200, *[(1.0, 0.0)] * 50)
    assert budget.room() == pytest.approx(SHARE * (1000 - 20 - 50) / 1.0 - SPARE)


def test_after_the_end_there_is_no_room() -> None:
    budget = Budget(2.0, clock := Clock())
    made(budget, clock, *[(1.0, 0.0)] * 5)
    assert budget.room() == 0.0
