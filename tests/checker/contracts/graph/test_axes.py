"""Sizes of the wrong axis are told from layers that are made for batches, or for features that lie across."""

from typing import Any

import numpy as np
import pytest

from regard.checker.contract import Case
from regard.checker.contracts.graph.axes import AXES, alone, confused, square, turned
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit

RNG = np.random.default_rng(0)
ERROR = Raised("RuntimeError", "index 5 is out of bounds", 9, "")


class Layer(Subject):
    """Answers by a function, with nothing behind it."""

    kind = "float64"

    def __init__(self, function: Any = None, **facts: Any) -> None:
        self.function, self.facts = function, facts

    def answer(self, case: Case, *, seed: int = 0) -> np.ndarray:
        return self.function(case)


def test_every_node_has_a_loop_and_some_neighbours() -> None:
    case = square(10, 4, RNG)
    assert case["x"].shape == (10, 4)
    assert set(case["adjacency"].sum(1)) == {3.0}


@pytest.mark.parametrize(
    ("answer", "slug"),
    [
        (lambda case: case["adjacency"] @ case["x"], "nodes-from-features"),
        (lambda case: case["adjacency"].T @ case["x"], "nodes-from-features"),
        (lambda case: case["x"] @ case["x"].T @ case["x"], None),
        (lambda case: case["x"].cumsum(0), None),
    ],
)
def test_what_runs_for_as_many_nodes_as_features_must_be_a_graph_layer_there(answer: Any, slug: str) -> None:
    found = confused(lambda case: [Layer(answer)], 10, (13,), RNG, ERROR)
    assert (found.slug if found else None) == slug


def test_features_that_lie_across_are_seen() -> None:
    across = Layer(lambda case: np.ones((3, 10)) @ case["x"] @ case["adjacency"])
    assert turned(lambda case: [across], 10, RNG)
    assert not turned(lambda case: [Layer(lambda case: case["x"] @ np.ones((7, 3)))], 10, RNG)


@pytest.mark.parametrize(("named", "told"), [(((),), False), ((("column-normalised",),), True), ((), True)])
def test_a_layer_that_is_right_for_batches_need_not_take_one_graph(named: tuple, told: bool) -> None:
    found = Unfit(AXES.slug, "10 nodes: it runs", AXES.remedy)
    broken = alone(Layer(confused=found, named=named), RNG)
    assert bool(broken) is told
    assert not broken or broken.instead == tuple(slug for slugs in named for slug in slugs)
