import numpy as np
import pytest
import torch

import golden
from regard.theory.theorems.low_rank import THEOREM, sharper, softmax, truncated


def test_softmax_is_torchs() -> None:
    scores = 50 * np.random.default_rng(19).standard_normal((3, 4))
    assert softmax(scores) == pytest.approx(torch.from_numpy(scores).softmax(-1).numpy())


def test_the_cut_off_is_missed_by_what_is_left_out_and_nothing_is_nearer() -> None:
    random = np.random.default_rng(20)
    a = random.standard_normal((6, 6))
    values = torch.linalg.svdvals(torch.from_numpy(a)).numpy()
    near = truncated(a, 2)
    assert np.linalg.matrix_rank(near) == 2
    assert np.linalg.norm(a - near) == pytest.approx(np.sqrt((values[2:] ** 2).sum()))
    for _ in range(100):
        other = near + 0.1 * random.standard_normal((6, 6))
        assert np.linalg.norm(a - truncated(other, 2)) >= np.linalg.norm(a - near) - 1e-12


def test_sharper_attention_has_higher_rank() -> None:
    errors = [np.mean(one) for one in sharper(np.random.default_rng(21), 5).measured]
    assert errors[0] < 1e-12 and errors == sorted(errors) and errors[-1] > 0.5


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
