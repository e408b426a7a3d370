import numpy as np
import pytest
import torch

import golden
from regard.theory.theorem import bindings
from regard.theory.theorems.similarity_axioms import THEOREM, _at_angle, _cosines, off_the_sphere
from regard.theory.value import value


def test_the_cosine_is_torchs() -> None:
    known = bindings(THEOREM, np.random.default_rng(12))
    x, y = (torch.from_numpy(known[name][:, 0]) for name in "xy")
    assert float(value("s(x, y)", known)) == pytest.approx(torch.cosine_similarity(x, y, dim=0).item())


def test_vectors_have_the_angle_and_the_length() -> None:
    x, y = _at_angle(np.random.default_rng(13), 4, 1.2, 3.0)
    assert np.linalg.norm(y, axis=1) == pytest.approx(np.full(4, 3.0)) and _cosines(x, y) == pytest.approx(
        [np.cos(1.2)] * 4
    )


def test_distinct_vectors_reach_the_largest_similarity_off_the_sphere() -> None:
    sweep = off_the_sphere(np.random.default_rng(14), 3)
    assert (
        all(one == pytest.approx(1.0) for row in sweep.measured for one in row) and min(sweep.predicted) < 0
    )


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
