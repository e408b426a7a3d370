"""Accuracies beside the published ones in words: whether they differ, and whether the number of epochs is the reason."""

from collections.abc import Sequence
from statistics import fmean

from regard.experiments.images.padding.claims import BANDS, PUBLISHED
from regard.experiments.images.padding.training import Lesson, TrainedNet

AT_REST = 1.0
"Points of accuracy between the last two quarters of a training; what moves less is at rest."


def beside_published(border: str, outcomes: Sequence[TrainedNet], epochs: int) -> str:
    """What Net1 reaches with a border after at most so many epochs, beside Amsterdam A2's 50, and why it differs."""
    found, published = fmean(one.test for one in outcomes), PUBLISHED[border][1]
    low, high = BANDS[border]
    if low <= found <= high:
        return f"{border} gets {found:.1f} % of the test right, near the published {published:.1f} %."
    side = "below" if found < published else "above"
    told = f"{border} gets {found:.1f} % of the test right, {abs(found - published):.1f} points {side} the published {published:.1f} %. "
    cut = [one.course for one in outcomes if one.epochs >= epochs]
    if epochs >= Lesson.epochs:
        seeds = [one.test for one in outcomes]
        return f"{told}It was trained as long as there, so that the number of epochs is not the reason; the trainings differ among themselves, from {min(seeds):.1f} to {max(seeds):.1f} %."
    if not cut:
        return f"{told}No training was cut off by the limit of {epochs} epochs: each had ended before, and more epochs are not what it lacks."
    change = fmean(late_change(course) for course in cut)
    if abs(change) < AT_REST:
        return f"{told}The limit of {epochs} epochs cut off {len(cut)} of {len(outcomes)} trainings, but they were at rest ({change:+.1f} points from the third quarter of the training to the last): fewer epochs do not explain it."
    if (change > 0) == (found < published):
        return f"{told}It was trained for fewer epochs, and that is a reason: {len(cut)} of {len(outcomes)} trainings were cut off after {epochs} epochs, where Amsterdam A2 allows {Lesson.epochs}, and were still on their way there, by {change:+.1f} points from the third quarter of the training to the last."
    return f"{told}Fewer epochs do not explain it: the {len(cut)} of {len(outcomes)} trainings that were cut off after {epochs} epochs were moving away from the published value, by {change:+.1f} points from the third quarter of the training to the last."


def late_change(course: Sequence[float]) -> float:
    """The mean of the last quarter of a course minus that of the quarter before.

    >>> late_change((0, 0, 0, 0, 1, 2, 4, 5))
    3.0
    """
    quarter = max(1, len(course) // 4)
    return fmean(course[-quarter:]) - fmean(course[-2 * quarter : -quarter] or course[:1])
