"""Constants are estimated at several sizes and then recognised."""

import numpy as np

from regard.checker.contracts.attention.reference import FUNCTION, function
from regard.checker.contracts.table import named
from regard.checker.family import computed, distance
from regard.checker.grammar.constants import estimated, mistake, places, recognised, sizes


def asked(puppet, steps):
    subject = puppet("scaled-dot-product", steps)
    case = named("scaled-dot-product").cases(subject, np.random.default_rng(0))[1]
    return case, subject.frames[0], subject.answer(case)


def scale():
    return next(place for place in places(FUNCTION) if place.step.name == "scale")


def test_a_scale_is_estimated_to_many_digits(puppet) -> None:
    case, frame, answer = asked(puppet, {"scale": lambda size: 0.37})
    contract = named("scaled-dot-product")
    found = estimated(scale(), answer, lambda steps: computed(contract, case, frame, steps), distance)
    assert found is not None
    assert abs(found[0] - 0.37) < 1e-6 and found[1] < 1e-6


def test_a_number_that_plays_no_part_is_not_estimated(puppet) -> None:
    case, frame, _ = asked(puppet, {})
    still = {"mix": lambda weights, v: 0 * (weights @ v)}
    answer = function(case, frame, still)[0]
    assert estimated(scale(), answer, lambda steps: function(case, frame, steps | still)[0], distance) is None


def test_sizes_have_the_names_of_axes(puppet) -> None:
    case, frame, _ = asked(puppet, {})
    found = sizes(FUNCTION, lambda steps: function(case, frame, steps))
    assert found["channels of a head"] == 8 and found["keys"] == case["key"].shape[-2]


def test_powers_of_sizes_and_plain_numbers_are_recognised() -> None:
    def words(*seen):
        return [text for text, _ in recognised(list(seen))]

    assert words((1 / 64, {"channels": 8, "keys": 5}), (1 / 144, {"channels": 12, "keys": 5}))[0] == (
        "one over the square of the number of channels"
    )
    assert words((2.0, {"keys": 7}), (2.0, {"keys": 5}))[0] == "2"
    assert words((72**-0.5, {"heads": 3, "channels": 24}), (144**-0.5, {"heads": 3, "channels": 48})) == [
        "0.5774 times one over the root of the number of channels",
        "one over the root of the number of heads times the number of channels",
    ]
    assert words((0.123456, {"keys": 7}), (0.7, {"keys": 5})) == []


def test_a_number_in_words() -> None:
    found = mistake(scale(), "one over the number of channels of a head", 0.125)
    assert found.cause == "the scale of the scores is one over the number of channels of a head"


def test_a_bound_is_estimated_from_both_sides(puppet) -> None:
    case, frame, answer = asked(puppet, {"scaled": lambda raw, factor: np.clip(raw * factor, -1.5, 1.5)})
    contract = named("scaled-dot-product")
    place = next(p for p in places(FUNCTION) if p.step.name == "scaled" and p.way == "clip")
    found = estimated(place, answer, lambda steps: computed(contract, case, frame, steps), distance)
    assert found is not None and abs(abs(found[0]) - 1.5) < 1e-6
    assert mistake(place, "-1.5", -1.5).cause == "the scores are clipped to between -1.5 and 1.5"


def test_a_softmax_with_powers_of_two_is_recognised() -> None:
    words, _ = next(recognised([(float(np.log(2)), {"keys": 7}), (float(np.log(2)), {"keys": 5})]))
    assert words.startswith("the natural logarithm of 2")
