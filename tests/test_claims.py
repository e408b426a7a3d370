"""A band, a number or an interval, and the three ways it can end."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.claims import Claim

finite = st.floats(-1e6, 1e6)


def claim(low: float = -inf, high: float = inf) -> Claim:
    return Claim("variance", low=low, high=high, why="d / d", source="a test")


def test_the_name_alone_goes_without_saying() -> None:
    assert Claim("variance", low=0.9, why="so", source="here") == Claim(
        name="variance", low=0.9, why="so", source="here"
    )
    with pytest.raises(TypeError, match="positional argument"):
        Claim("variance", "so", "here", low=0.9)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (0.9, "held"),
        (1.0, "held"),
        (1.1, "held"),
        (0.89, "failed"),
        (1.11, "failed"),
        (nan, "failed"),
        (inf, "failed"),
    ],
)
def test_a_number_holds_inside_the_band_edges_included(value: float, state: str) -> None:
    verdict = claim(0.9, 1.1).settle(value)
    assert (verdict.state, verdict.claim, verdict.reason) == (state, claim(0.9, 1.1), "")
    assert verdict.value is value


@pytest.mark.parametrize(
    ("interval", "state"),
    [
        ((0.95, 1.05), "held"),
        ((0.9, 1.1), "held"),
        ((0.5, 0.89), "failed"),
        ((1.2, 1.4), "failed"),
        ((0.8, 1.0), "not settled"),
        ((1.0, 1.2), "not settled"),
        ((0.5, 1.5), "not settled"),
    ],
)
def test_the_whole_interval_must_agree(interval: tuple[float, float], state: str) -> None:
    assert claim(0.9, 1.1).settle(sum(interval) / 2, interval=interval).state == state


def test_an_interval_across_the_band_says_so() -> None:
    verdict = claim(0.9, 1.1).settle(1.0, interval=(0.5, 1.5))
    assert verdict.reason == "the interval 0.5 to 1.5 crosses the band"


def test_nan_fails_even_with_an_interval() -> None:
    assert claim(0.9, 1.1).settle(nan, interval=(nan, nan)).state == "failed"


def test_nothing_measured_is_not_settled_never_failed() -> None:
    verdict = claim(high=1.0).settle(None)
    assert (verdict.state, verdict.value) == ("not settled", None)
    assert verdict.reason == "nothing measured under the name 'variance'"
    assert (
        claim(high=1.0).settle(None, reason="the data is not reachable").reason == "the data is not reachable"
    )


@given(low=finite, width=st.floats(0, 1e6), value=finite)
def test_a_point_and_the_interval_of_that_point_alone_agree(low: float, width: float, value: float) -> None:
    band = claim(low, low + width)
    assert band.settle(value).state == band.settle(value, interval=(value, value)).state
    assert (band.settle(value).state == "held") == (low <= value <= low + width)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(0.9, 1.1, "0.9 to 1.1"), (2.0, inf, "at least 2"), (-inf, 1e-9, "at most 1e-09")],
)
def test_the_band_reads_as_people_say_it(low: float, high: float, words: str) -> None:
    assert claim(low, high).band == words


@pytest.mark.parametrize(("low", "high"), [(-inf, inf), (2.0, 1.0), (nan, 1.0)])
def test_a_band_that_cannot_fail_or_cannot_hold_is_refused(low: float, high: float) -> None:
    with pytest.raises(AssertionError, match="a band that cannot fail"):
        claim(low, high)
