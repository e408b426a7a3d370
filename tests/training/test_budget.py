"""How many steps fit, on a clock that the test turns."""

from math import inf

import pytest

from regard.training.budget import CALIBRATION, SHARE, SPARE, Pace


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def made(pace: Pace, clock: Clock, *steps: tuple[float, float]) -> None:
    for inside, outside in steps:
        clock.now += inside + outside
        pace.record(inside, outside)


def test_nothing_is_fitted_before_the_calibration() -> None:
    pace = Pace(10.0, clock := Clock())
    for _ in range(CALIBRATION):
        assert pace.room() == inf
        made(pace, clock, (0.1, 0.0))
    assert pace.room() < inf


def test_without_a_limit_there_is_room_without_end() -> None:
    pace = Pace(inf, clock := Clock())
    made(pace, clock, *[(1.0, 0.0)] * 9)
    assert pace.room() == inf


def test_the_room_is_what_is_left_by_what_a_step_takes() -> None:
    pace = Pace(100.0, clock := Clock())
    made(pace, clock, (30.0, 0.0), *[(0.5, 0.0)] * 20)
    assert pace.room() == pytest.approx(SHARE * 60 / 0.5 - SPARE), "the first step does not count"


def test_time_between_steps_counts() -> None:
    pace = Pace(100.0, clock := Clock())
    made(pace, clock, (0.5, 0.0), *[(0.5, 0.0), (0.5, 1.0)] * 10)
    left = 100 - 0.5 - 20 * 1.0 - 1.0  # another pause may come
    assert pace.room() == pytest.approx(SHARE * left / 1.0 - SPARE)


def test_a_machine_that_slows_down_is_seen_within_the_recent_steps() -> None:
    pace = Pace(1000.0, clock := Clock())
    made(pace, clock, *[(0.1, 0.0)] * 200, *[(1.0, 0.0)] * 50)
    assert pace.room() == pytest.approx(SHARE * (1000 - 20 - 50) / 1.0 - SPARE)


def test_after_the_end_there_is_no_room() -> None:
    pace = Pace(2.0, clock := Clock())
    made(pace, clock, *[(1.0, 0.0)] * 5)
    assert pace.room() == 0.0
