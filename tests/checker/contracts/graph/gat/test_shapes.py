"""Readings of weights whose names say nothing."""

import numpy as np
import pytest

from regard.checker.contracts.graph.gat.shapes import shaped

RNG = np.random.default_rng(0)
W = RNG.standard_normal((10, 3, 4))
ENDS = RNG.standard_normal((2, 3, 4))


@pytest.mark.parametrize(
    "vectors",
    [
        {"vec": ENDS.transpose(1, 2, 0)},
        {"vec": ENDS},
        {"vec": np.concatenate([*ENDS], -1)[None]},
        {"un": ENDS[0], "deux": ENDS[1][..., None]},
        {f"liste.{i}": np.concatenate([ENDS[0, i], ENDS[1, i]]) for i in range(3)},
    ],
    ids=["ends last", "ends first", "side by side", "two weights", "a list"],
)
@pytest.mark.parametrize("flat", [True, False], ids=["one matrix", "one for each head"])
def test_vectors_are_found_in_every_layout(vectors: dict[str, np.ndarray], flat: bool) -> None:
    w = W.reshape(10, 12) if flat else W.transpose(1, 0, 2)
    weights = {"poids": w, "biais": np.arange(12.0)} | vectors
    found = shaped(weights, dict.fromkeys(weights, "Couche"), 10)
    right = [
        f
        for f in found
        if np.array_equal(f["w"], W)
        and np.array_equal(f["target"], ENDS[0])
        and np.array_equal(f["source"], ENDS[1])
    ]
    assert right
    assert np.array_equal(right[0]["bias"], np.arange(12.0))
    assert right[0].facts["heads"] == 3


def test_each_head_has_its_bias_of_the_scores() -> None:
    weights = {"w": W.reshape(10, 12), "a": ENDS[0], "b": ENDS[1], "c": np.arange(3.0)}
    found = next(f for f in shaped(weights, dict.fromkeys(weights, "L"), 10) if f["w"].shape == W.shape)
    assert np.array_equal(found["ba"].reshape(-1), np.arange(3.0))


def test_a_weight_that_is_none_of_these_leaves_no_reading() -> None:
    weights = {"w": W.reshape(10, 12), "a": ENDS[0], "b": ENDS[1], "other": np.zeros((5, 5))}
    assert shaped(weights, dict.fromkeys(weights, "L"), 10) == []
