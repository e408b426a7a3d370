"""Each wrong score, sum and division by degrees is what its words say, and no two of a list are the same."""

import numpy as np
import pytest

from regard.checker.contracts.graph.others import DEGREES, GRAPHS, MIXES, SCORES, SPREADS, WEIGHTS
from regard.checker.contracts.graph.reference import over

RANDOM = np.random.default_rng(0)
H, G = RANDOM.standard_normal((2, 5, 2, 3))
T, S = RANDOM.standard_normal((2, 2, 3))
A = RANDOM.random((2, 5, 5))
A /= A.sum(-1, keepdims=True)
E = RANDOM.standard_normal((2, 5, 5))
EDGES = (RANDOM.random((5, 5)) < 0.5) + np.eye(5)
PLAIN = (EDGES > 0).astype(float)


def named(group, start: str):
    (found,) = [make for words, make in group if words.startswith(start)]
    return found


@pytest.mark.parametrize("group", [SCORES, MIXES, DEGREES, WEIGHTS, GRAPHS, SPREADS])
def test_every_sentence_is_its_own(group) -> None:
    assert len({words for words, _ in group}) == len(group)


def test_no_two_are_the_same() -> None:
    right = np.einsum("nhd,hd->hn", G, T)[:, :, None] + np.einsum("nhd,hd->hn", H, S)[:, None]
    degree = EDGES.sum(1)
    even = degree**-0.5
    made = {
        "scores": [right, *(make(H, G, T, S, 0.0) for _, make in SCORES)],
        "mixes": [np.einsum("hij,jhd->ihd", A, H), *(make(A, H, H) for _, make in MIXES)],
        "degrees": [even[:, None] * EDGES * even[None], *(make(EDGES, degree) for _, make in DEGREES)],
        "weights": [over(E, np.broadcast_to(PLAIN, E.shape)), *(make(E, PLAIN) for _, make in WEIGHTS)],
        "graphs": [PLAIN, *(make(PLAIN) for _, make in GRAPHS)],
        "spreads": [PLAIN @ H[:, 0], *(make(PLAIN, H[:, 0]) for _, make in SPREADS)],
    }
    for group in made.values():
        assert all(one.shape == group[0].shape for one in group)
        assert all(not np.allclose(a, b) for i, a in enumerate(group) for b in group[:i])


def test_by_hand() -> None:
    score = named(SCORES, "the two terms of the score are multiplied")(H, G, T, S, 0.5)
    assert score[1, 2, 3] == pytest.approx((G[2, 1] @ T[1]) * (H[3, 1] @ S[1]) + 0.5)
    other = named(MIXES, "the weights go the other way")(A, H, H)
    assert np.allclose(other[2, 1], sum(A[1, j, 2] * H[j, 1] for j in range(5)))
    degree = EDGES.sum(1)
    powered = named(DEGREES, "the degree divides on the left and its root on the right")(EDGES, degree)
    assert np.allclose(powered, EDGES / degree[:, None] / np.sqrt(degree)[None])
    assert np.allclose(named(DEGREES, "a softmax")(EDGES, degree).sum(1), 1)
