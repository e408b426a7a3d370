"""A layer norm behind a graph layer: which weights are its own, and what it does to the output."""

import numpy as np

from regard.checker.contract import WeightMap
from regard.checker.contracts.graph.normed import ATTENTION, CONVOLUTION, parted

OWNERS = {"w": "Layer", "one.weight": "LayerNorm", "one.bias": "LayerNorm", "two.weight": "LayerNorm"}


def test_a_norm_without_a_bias_shifts_nothing() -> None:
    drawn = {"w": np.eye(2), "two.weight": np.full(2, 3.0)}
    rest, norm = parted(drawn, OWNERS)
    assert list(rest) == ["w"]
    assert norm["gain"].tolist() == [3.0, 3.0] and norm["shift"].tolist() == [0.0, 0.0]


def test_of_two_norms_none_is_the_one_behind_the_layer() -> None:
    drawn = {"w": np.eye(2), "one.weight": np.ones(2), "one.bias": np.ones(2), "two.weight": np.ones(2)}
    assert parted(drawn, OWNERS) == (drawn, {})


def test_the_output_has_the_norms_own_mean_and_deviation() -> None:
    y = np.random.default_rng(0).standard_normal((4, 600))
    drawn = {"bias": np.zeros(600), "gain": np.full(600, 2.0), "shift": np.full(600, 5.0)}
    w = WeightMap(weights=drawn)
    for found in (ATTENTION.forms[0]["finish"](y, w), CONVOLUTION.forms[0]["finish"](y, None, w)):
        assert np.allclose(found.mean(1), 5.0) and np.allclose(found.std(1), 2.0, atol=1e-4)
