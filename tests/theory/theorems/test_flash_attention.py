import numpy as np
import pytest
import torch
import torch.nn.functional as F

import golden
from regard.theory.theorems.flash_attention import THEOREM, online, traffic, traffic_queries_outside


@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
def test_blocks_give_what_torch_gives(blocks: int) -> None:
    random = np.random.default_rng(42)
    q, k, v = (random.standard_normal((9, 4)) for _ in range(3))
    expected = F.scaled_dot_product_attention(*(torch.from_numpy(one)[None] for one in (q, k, v)), scale=3.0)[
        0
    ]
    found, held = online(3.0 * q @ k.T, v, blocks)
    assert found == pytest.approx(expected.numpy(), abs=1e-12) and held == 9 * -(-9 // blocks)


def test_scores_that_would_overflow_do_not() -> None:
    scores = np.array([[900.0, 1000.0, 950.0, 990.0]])
    assert online(scores, np.arange(4.0)[:, None], 4)[0] == pytest.approx(1.0, abs=1e-3)


def test_without_the_factor_the_result_is_another() -> None:
    scores, values = np.array([[0.0, 5.0]]), np.array([[1.0], [0.0]])
    assert online(scores, values, 2, rescaled=False)[0] == pytest.approx(0.5)
    assert online(scores, values, 2)[0] == pytest.approx(1 / (1 + np.exp(5.0)))


def test_traffic_by_hand() -> None:
    assert traffic(4, 2, 16) == 2 * (2 * 2 * 2) + 2 * 2 * (3 * 2 * 2)
    assert traffic_queries_outside(4, 2, 16) == 2 * (2 * 2 * 2) + 2 * 2 * (2 * 2 * 2)


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
