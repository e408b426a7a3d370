"""Each wrong score, bias and mask is what its words say, and no two of a list are the same."""

import numpy as np
import pytest

from regard.checker.contracts.attention.similarity import BIASES, MASKS, OTHERS

Q, K = np.random.default_rng(0).standard_normal((2, 2, 5, 4))


@pytest.mark.parametrize("group", [OTHERS, BIASES, MASKS])
def test_every_sentence_is_its_own(group) -> None:
    assert len({words for words, _ in group}) == len(group)


def named(group, start: str):
    (found,) = [make for words, make in group if words.startswith(start)]
    return found


def test_no_other_score_is_the_product_or_another() -> None:
    made = [Q @ K.swapaxes(-1, -2), *(make(Q, K) for _, make in OTHERS)]
    assert all(one.shape == (2, 5, 5) for one in made)
    assert all(not np.allclose(a, b) for i, a in enumerate(made) for b in made[:i])


def test_distances_by_hand() -> None:
    squared = named(OTHERS, "the squared distance of queries and keys stands")(Q, K)
    assert squared[1, 2, 3] == pytest.approx(-sum((Q[1, 2, c] - K[1, 3, c]) ** 2 for c in range(4)))
    cosine = named(OTHERS, "the cosine")(Q, K)
    assert np.abs(cosine).max() <= 1 + 1e-12


def test_biases_by_hand() -> None:
    raw = np.zeros((1, 3, 3))
    assert named(BIASES, "the distance of the positions is taken off")(raw, 1.0)[0].tolist() == [
        [0, -1, -2],
        [-1, 0, -1],
        [-2, -1, 0],
    ]
    assert named(BIASES, "a one is added")(raw, 1.0)[0].tolist() == np.eye(3).tolist()
    hidden = named(BIASES, "the scores of a token with itself become minus infinity")(raw, 1.0)[0]
    assert np.isinf(hidden.diagonal()).all() and np.isfinite(hidden[0, 1:]).all()
    ones = np.ones((1, 1, 1))
    assert (
        named(BIASES, "the scores are divided by the width of a head minus one")(4 * ones, 0.5) == 4 / 3**0.5
    )


def test_masks_by_hand() -> None:
    seen = np.tril(np.ones((2, 4, 4), bool))
    window = named(MASKS, "the mask is a window: a token sees only itself and the 1 before it")(seen, 4)
    assert window[0].astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    few = named(MASKS, "the mask shows one token too few")(seen, 4)
    assert few[0].astype(int).tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]]
    first = named(MASKS, "the mask is applied to the first sample only")(seen, 4)
    assert (first[0] == seen[0]).all() and first[1].all()


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("causal-attention", "multi-head-attention", "scaled-dot-product")
