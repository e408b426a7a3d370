"""The sequential test: right however often it is looked at, quick where the answer is clear."""

from dataclasses import replace

import numpy as np
import pytest

from regard.lab.compare.sequential import ERROR, FIRST, stand


@pytest.mark.slow
def test_looking_after_every_pair_errs_in_no_more_than_five_percent() -> None:
    """Comparisons of things that are alike, each looked at eighteen times."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        first, second = rng.normal(size=(2, 20)).tolist()
        wrong += any(
            stand(first[:n], second[:n], 1e-9).answer in ("first", "second") for n in range(FIRST, 21)
        )
    assert wrong / 400 <= ERROR + 0.02


def test_a_clear_difference_is_settled_at_the_first_looks_and_the_right_way() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=6).tolist()
    second = [x - 0.5 + 0.01 * float(rng.normal()) for x in first]
    assert stand(first[:3], second[:3], 0.02).answer == "second"
    assert stand(second[:3], first[:3], 0.02).answer == "first"
    now = stand(first, second, 0.02)
    assert now.low < -0.5 < now.high < 0 and now.floor > 0.5


def test_what_lies_within_the_margin_is_alike() -> None:
    first, second = [1.0, 1.5, 0.7, 1.2], [1.0001, 1.4999, 0.7002, 1.2]
    assert stand(first, second, 0.02).answer == "alike"


def test_before_the_first_look_nothing_is_settled_and_the_need_is_told() -> None:
    assert stand([1.0, 1.1], [0.0, 0.1], 0.02).answer == "open"
    now = stand([1.0, 1.2, 0.9, 1.1], [1.3, 0.8, 1.2, 1.0], 0.02)
    assert now.answer == "open" and now.needed(0.02) > now.pairs


def test_it_may_turn_where_the_one_behind_still_learns_more_than_they_are_apart() -> None:
    now = stand([2.0, 2.1, 1.9], [1.5, 1.61, 1.4], 0.02)
    assert now.losses == pytest.approx((2.0, 4.51 / 3)) and now.behind == 0
    assert replace(now, learning=(0.6, 0.0)).may_turn and not replace(now, learning=(0.4, 0.6)).may_turn
    assert stand([1.5, 1.6, 1.4], [2.0, 2.1, 1.91], 0.02).behind == 1


def test_of_two_that_are_alike_to_the_last_digit_none_is_behind() -> None:
    now = stand([1.5, 1.6, 1.4], [1.5, 1.6, 1.4], 0.02)
    assert not replace(now, learning=(0.6, 0.6)).may_turn
