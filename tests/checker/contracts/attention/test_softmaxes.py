"""What stands in place of a softmax is what its sentence says, each held to a loop."""

import numpy as np
import pytest

from regard.checker.contracts.attention.softmaxes import BLOCKWISE, SOFTMAXES


def streamed(scores: np.ndarray, values: np.ndarray, size: int, *, forgets: str) -> np.ndarray:
    """One query block by block, forgetting to rescale one of the sums; forgetting none, it is the softmax."""
    peak, held, total = -np.inf, np.zeros(values.shape[-1]), 0.0
    for start in range(0, len(scores), size):
        higher = max(peak, scores[start : start + size].max())
        fade = np.exp(peak - higher)
        held = held if forgets == "values" else held * fade
        total = total if forgets == "weights" else total * fade
        for score, value in zip(scores[start : start + size], values[start : start + size], strict=True):
            held, total = held + np.exp(score - higher) * value, total + np.exp(score - higher)
        peak = higher
    return held / total


@pytest.mark.parametrize("edit", BLOCKWISE, ids=lambda edit: edit[0])
def test_a_sum_that_is_not_rescaled(edit: tuple) -> None:
    slug, words, steps = edit
    rng = np.random.default_rng(0)
    scores, values = np.sort(rng.standard_normal((2, 3, 4, 7))) * 2, rng.standard_normal((2, 3, 7, 5))
    what, size = slug.partition("-")[0], int(slug.rpartition("-")[2])
    expected = streamed(scores[1, 2, 3], values[1, 2], size, forgets=what)
    assert np.allclose(steps["mix"](scores, values)[1, 2, 3], expected)
    assert what in words
    raised = np.exp(scores[1, 2, 3])
    right = raised @ values[1, 2] / raised.sum()
    assert np.allclose(streamed(scores[1, 2, 3], values[1, 2], size, forgets=""), right)
    assert not np.allclose(expected, right)


def test_a_key_of_zeros_takes_its_share() -> None:
    ((_, one_more),) = SOFTMAXES
    scores = np.random.default_rng(0).standard_normal((4, 5)) * 300
    with_zero = np.concatenate([scores, np.zeros((4, 1))], axis=-1)
    raised = np.exp(with_zero - with_zero.max(-1, keepdims=True))
    assert np.allclose(one_more(scores), (raised / raised.sum(-1, keepdims=True))[:, :-1])
