"""The learning rate at known places, and a course that is fitted anew without a jump."""

from math import cos, pi

import pytest
from hypothesis import given
from hypothesis import strategies as some

from regard.training.schedule import Course, factor


@pytest.mark.parametrize(
    ("progress", "schedule", "warmup", "floor", "expected"),
    [
        (0.0, "linear", 0.0, 0.0, 1.0),
        (0.05, "linear", 0.1, 0.0, 0.5),
        (0.1, "linear", 0.1, 0.0, 1.0),
        (0.55, "linear", 0.1, 0.0, 0.5),
        (1.0, "linear", 0.1, 0.0, 0.0),
        (1.0, "linear", 0.1, 0.25, 0.25),
        (0.5, "cosine", 0.0, 0.0, 0.5),
        (0.25, "cosine", 0.0, 0.0, (1 + cos(pi / 4)) / 2),
        (0.5, "cosine", 0.0, 0.1, 0.55),
        (1.0, "cosine", 0.2, 0.1, 0.1),
        (0.7, "constant", 0.2, 0.0, 1.0),
        (0.1, "constant", 0.2, 0.0, 0.5),
    ],
)
def test_known_values(progress: float, schedule, warmup: float, floor: float, expected: float) -> None:
    assert factor(progress, schedule=schedule, warmup=warmup, floor=floor) == pytest.approx(
        expected, abs=1e-15
    )


def test_the_cosine_recipe_of_two_thousand_steps() -> None:
    """1e-3 to 1e-4 with 100 steps of warm-up, against the formula in steps."""
    course = Course(2000)
    for step in (0, 50, 99, 100, 700, 1500, 1999):
        at = step + 0.5
        rise = 1e-3 * at / 100
        schedule = 1e-4 + 0.5 * (1 + cos(pi * (at - 100) / 1900)) * (1e-3 - 1e-4)
        rate = 1e-3 * factor(course.progress(step), schedule="cosine", warmup=0.05, floor=0.1)
        assert rate == pytest.approx(rise if step < 100 else schedule, rel=1e-12)


def test_a_plain_course_divides_the_way_evenly() -> None:
    course = Course(7)
    assert [course.progress(step) for step in range(7)] == pytest.approx([(k + 0.5) / 7 for k in range(7)])


@pytest.mark.slow
@given(data=some.data(), steps=some.integers(2, 500))
def test_fitting_goes_on_from_where_it_is_and_ends_at_the_end(data: some.DataObject, steps: int) -> None:
    course, step, before = Course(steps), 0, 0.0
    for _ in range(data.draw(some.integers(1, 4))):
        step = data.draw(some.integers(step, course.steps - 1))
        before = course._at(step)
        course = course.fitted(step, data.draw(some.integers(step + 1, 600)))
        assert course._at(step) == pytest.approx(before, abs=1e-12)
    left = [course.progress(k) for k in range(step, course.steps)]
    assert left == sorted(left)
    assert course._at(course.steps) == pytest.approx(1.0, abs=1e-12)
    assert all(before <= one < 1 for one in left)


def test_fitting_to_the_same_number_changes_no_bit() -> None:
    course = Course(1000)
    assert course.fitted(333, 1000) is course
