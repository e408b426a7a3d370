"""Answers in the reference's layout, and weights to probe with."""

import numpy as np

from regard.checker.subject import draw, first, kind_of


def test_the_first_array_of_an_answer_counts() -> None:
    assert first([[np.ones(2), None], 3]).tolist() == [1.0, 1.0]
    assert first(2.5) == 2.5
    assert first(None) is None


def test_values_in_words() -> None:
    assert kind_of({"other": "dict"}) == "a dict"
    assert kind_of(None) == "nothing"
    assert kind_of(np.array(["a"])).startswith("an array of str")


def test_probe_weights_are_large_and_no_bias_is_zero() -> None:
    weights = {"lin.weight": np.zeros((24, 24)), "lin.bias": np.zeros(24), "gain": np.ones(24)}
    drawn = draw(weights, list(weights), np.random.default_rng(0))
    assert 0.2 < drawn["lin.weight"].std() < 0.5
    assert (drawn["lin.bias"] != 0).all()
    assert (np.abs(drawn["gain"]) >= 0.5).all()
    assert (drawn["gain"] != 1).all()
