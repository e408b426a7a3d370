"""Words beside the published accuracies: they change with what was found, with the limit and with the course."""

import pytest

from regard.experiments.images.padding.beside import beside_published, late_change
from regard.experiments.images.padding.training import TrainedNet

RISING, RESTING, FALLING = (40.0, 45.0, 50.0, 60.0), (60.0,) * 4, (80.0, 75.0, 70.0, 60.0)


def outcome(test: float, epochs: int, course: tuple[float, ...]) -> TrainedNet:
    return TrainedNet(validation=99.0, test=test, together=test, apart=test, epochs=epochs, course=course)


@pytest.mark.parametrize(
    ("test", "epochs", "course", "limit", "expected"),
    [
        (82.0, 4, RISING, 4, "82.0 % of the test right, near the published 82.6 %"),
        (60.0, 4, RISING, 4, "22.6 points below the published 82.6 %. It was trained for fewer epochs, and that is a reason: 1 of 1"),
        (60.0, 4, RISING, 4, "by +10.0 points"),
        (60.0, 4, FALLING, 4, "moving away from the published value, by -10.0 points"),
        (60.0, 4, RESTING, 4, "they were at rest (+0.0 points"),
        (60.0, 3, RISING, 4, "No training was cut off by the limit of 4 epochs"),
        (60.0, 50, RISING, 50, "trained as long as there"),
        (95.0, 4, RISING, 4, "12.4 points above the published 82.6 %. Fewer epochs do not explain it"),
        (95.0, 4, FALLING, 4, "still on their way there, by -10.0 points"),
    ],
)  # fmt: skip
def test_the_reason_follows_from_the_numbers(
    test: float, epochs: int, course: tuple[float, ...], limit: int, expected: str
) -> None:
    assert expected in beside_published("circular", [outcome(test, epochs, course)], limit)


def test_only_trainings_that_were_cut_off_tell_whether_more_epochs_would_help() -> None:
    ended, cut = outcome(60.0, 3, FALLING), outcome(62.0, 4, RISING)
    told = beside_published("circular", [ended, cut], 4)
    assert "61.0 %" in told and "1 of 2 trainings were cut off" in told and "+10.0 points" in told


def test_a_course_of_one_epoch_has_no_change() -> None:
    assert late_change((50.0,)) == 0.0
