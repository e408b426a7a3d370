"""Captions of turned pictures: what they point at follows from the numbers, and no two sets share one."""

import torch

from regard.data.sets.images import Pictures
from regard.experiments.images.rotation.captions import (
    angles_caption,
    classes_caption,
    curves_caption,
    first_caption,
    half_turn_caption,
    said_of_own,
    turned_caption,
)
from regard.experiments.images.rotation.claims import TURNED, UPRIGHT
from regard.experiments.images.rotation.experiment import ANGLES

NAMES = ("ring", "bar", "hook")


def pictures(lit: slice) -> Pictures:
    made = torch.zeros(3, 1, 16, 16, dtype=torch.uint8)
    made[:, :, lit, lit] = 200
    labels = torch.arange(3)
    return Pictures(
        name="shapes", train=made, train_labels=labels, test=made, test_labels=labels, classes=NAMES, said=""
    )


def curve(**at: float) -> torch.Tensor:
    """Accuracy of two seeds, 50 % but for some angles."""
    return torch.tensor([[at.get(f"a{angle}", 50.0) for angle in ANGLES]] * 2)


def test_the_classes_most_and_least_alike_are_named() -> None:
    told = first_caption("shapes", pictures(slice(4, 12)), torch.tensor([0.2, 0.9, -0.3]))
    assert "bar is most like its own half turn (a correlation of 0.90) and hook least (-0.30)" in told
    missing = first_caption("shapes", pictures(slice(4, 12)), torch.tensor([0.2, 0.9, torch.nan]))
    assert "nan" not in missing and "ring least" in missing


def test_light_that_is_lost_with_the_corners_is_counted() -> None:
    inside, whole = (turned_caption("shapes", pictures(lit)) for lit in (slice(6, 10), slice(0, 16)))
    assert "loses next to nothing with them" in inside and "what was in the corners is lost" in whole


def test_maxima_at_quarter_turns_are_named_where_they_are() -> None:
    flat = {UPRIGHT: curve(a0=90.0, a150=20.0), TURNED: curve()}
    told = curves_caption("shapes", flat, ANGLES)
    assert "falls from 90 % to 20 % at 150 degrees" in told and "above its neighbours at 180 degrees" in told
    told = curves_caption("shapes", {UPRIGHT: curve(a90=40.0, a180=40.0, a270=40.0), TURNED: curve()}, ANGLES)
    assert "at no quarter turn" in told and "(-10.0, -10.0, -10.0 points" in told


def test_the_best_training_and_the_brightest_class_are_named() -> None:
    curves = {UPRIGHT: curve(a0=90.0), TURNED: curve() + 10}
    assert f"The highest is that of the network {TURNED}" in angles_caption("shapes", curves)
    by_class = {UPRIGHT: torch.tensor([[50.0, torch.nan], [50.0, 80.0], [50.0, 10.0]])}
    told = classes_caption("shapes", by_class, NAMES, 1)
    assert "bar is the brightest there (80 %) and hook the darkest (10 %)" in told


def test_symmetry_is_the_reason_only_where_the_alike_lead() -> None:
    rows = [("ring", 0.9, 80.0, "bar", 5.0)]
    assert ": symmetry has a part" in half_turn_caption("shapes", rows, [6.0, 6.5, 7.0])
    assert ": symmetry is not what" in half_turn_caption("shapes", rows, [-6.0, -6.5, -7.0])
    assert "leave open whether symmetry" in half_turn_caption("shapes", rows, [-4.0, 2.0])


def test_the_first_angle_does_not_count_twice() -> None:
    curves = {UPRIGHT: curve(a0=90.0, a360=90.0)}
    # One angle of twelve has 90 %, the others 50.
    assert f"{UPRIGHT}, {50 + 40 / 12:.1f}." in angles_caption("shapes", curves)


def test_a_second_set_is_not_told_in_the_words_of_the_first() -> None:
    curves, made = {UPRIGHT: curve(a0=90.0), TURNED: curve()}, pictures(slice(4, 12))
    by_class = {UPRIGHT: torch.tensor([[50.0, 20.0], [50.0, 80.0], [50.0, 10.0]])}
    rows = [("ring", 0.9, 80.0, "bar", 5.0)]
    for first, second in (
        [angles_caption("shapes", curves, again=again) for again in (False, True)],
        [curves_caption("shapes", curves, ANGLES, again=again) for again in (False, True)],
        [classes_caption("shapes", by_class, NAMES, 1, again=again) for again in (False, True)],
        [half_turn_caption("shapes", rows, [4.0, 8.0], again=again) for again in (False, True)],
        [turned_caption("shapes", made, again=again) for again in (False, True)],
    ):
        shared = set(first.split(". ")) & set(second.split(". "))
        assert len(second) < len(first) and len(shared) <= 2, shared


def test_pictures_of_ones_own_are_told_by_network() -> None:
    told = said_of_own({UPRIGHT: curve(a0=90.0, a360=90.0, a120=10.0), TURNED: curve()}, ANGLES)
    assert f"{UPRIGHT}, 90.0 % upright and 45.6 % turned by 60 to 300 degrees (least at 120: 10.0 %)" in told
