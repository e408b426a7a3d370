"""Answers in the reference's layout, and weights to probe with."""

from typing import Any

import numpy as np

from regard.checker.reading.arguments import Built
from regard.checker.subject import by_role, draw, first, kind_of, takes_roles
from regard.checker.workbench import Made


def test_the_first_array_of_an_answer_counts() -> None:
    assert first([[np.ones(2), None], 3]).tolist() == [1.0, 1.0]
    assert first(2.5) == 2.5
    assert first(None) is None


def test_values_in_words() -> None:
    assert kind_of({"other": "dict"}) == "a dict"
    assert kind_of(None) == "nothing"
    assert kind_of(np.array(["a"])).startswith("an array of str")


def made(weights: dict[str, np.ndarray], **more: Any) -> Made:
    return Made(0, weights, {}, list(weights), {}, {}, [], True, Built({}, {}), **more)


def test_names_of_one_weight_are_drawn_together() -> None:
    weights = {name: np.zeros((4, 4)) for name in ("q", "k", "v")}
    drawn = draw(made(weights, same=[["q", "v"]]), np.random.default_rng(0))
    assert np.array_equal(drawn["q"], drawn["v"])
    assert not np.array_equal(drawn["q"], drawn["k"])


def test_probe_weights_are_large_and_no_bias_is_zero() -> None:
    weights = {"lin.weight": np.zeros((24, 24)), "lin.bias": np.zeros(24), "gain": np.ones(24)}
    drawn = draw(made(weights), np.random.default_rng(0))
    assert 0.2 < drawn["lin.weight"].std() < 0.5
    assert (drawn["lin.bias"] != 0).all()
    assert (np.abs(drawn["gain"]) >= 0.5).all()
    assert (drawn["gain"] != 1).all()


def test_queries_keys_and_values_go_where_the_names_want_them() -> None:
    given = {"q": 1, "k": 2, "v": 3}
    plain = [{"name": name, "named": False} for name in ("values", "key", "q")]
    assert by_role(plain, given) == ([3, 2, 1], {})
    named = [{"name": name, "named": True} for name in ("query", "key", "value")]
    assert by_role(named, given) == ([], {"query": 1, "key": 2, "value": 3})
    assert takes_roles(plain)
    assert not takes_roles([{"name": name} for name in ("x", "mask", "value")])


def test_a_query_a_key_and_a_value_are_found_behind_a_mask_and_behind_a_nameless_query() -> None:
    def taken(*names: str) -> list[dict[str, Any]]:
        return [{"name": name, "required": True, "named": False} for name in names]

    given = {"q": 1, "k": 2, "v": 3}
    assert by_role(taken("mask", "q", "k", "v"), given) == ([], {"q": 1, "k": 2, "v": 3})
    assert by_role(taken("x", "value", "key"), given) == ([1, 3, 2], {})
    assert not takes_roles(taken("x", "y", "key"))
