"""Sabotaged graph convolution beside the same mistakes written with matrices."""

import numpy as np
import pytest

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.graph.gcn.mistakes import MISTAKES
from regard.checker.contracts.graph.reference import convolution

SLUGS = {m.slug: m for m in MISTAKES}
RNG = np.random.default_rng(0)
A = ((RNG.random((5, 5)) < 0.5) & ~np.eye(5, dtype=bool)).astype(float)
A[np.arange(5), np.arange(5)[::-1]] = 1
A[2, 2], A[2, 0] = 0, 1
X, W, B = RNG.standard_normal((5, 4)), RNG.standard_normal((4, 3)), RNG.standard_normal(3)
I = np.eye(5)  # noqa: E741


def root(a: np.ndarray, power: float = -0.5) -> np.ndarray:
    return np.diag(a.sum(1) ** power)


WRITTEN = {
    "self-loops-missing": root(A) @ A @ root(A),
    "self-loops-double": root(A + 2 * I) @ (A + 2 * I) @ root(A + 2 * I),
    "degree-before-loops": root(A) @ (A + I) @ root(A),
    "laplacian": I - root(A) @ A @ root(A),
    "row-normalised": root(A + I, -1) @ (A + I),
    "column-normalised": (A + I) @ root(A + I, -1),
    "left-only": root(A + I) @ (A + I),
    "right-only": (A + I) @ root(A + I),
    "root-missing": root(A + I, -1) @ (A + I) @ root(A + I, -1),
    "root-not-inverted": root(A + I, 0.5) @ (A + I) @ root(A + I, 0.5),
    "normalisation-missing": A + I,
    "direction-reversed": root(A.T + I) @ (A.T + I) @ root(A.T + I),
    "adjacency-ignored": I,
}


HALVES = {
    "self-loops-missing": root(A + I) @ A @ root(A + I),
    "self-loops-double": root(A + I) @ (A + 2 * I) @ root(A + I),
}


@pytest.mark.parametrize("slug", HALVES)
def test_loops_may_be_counted_in_the_degrees_and_not_in_the_sum(slug: str) -> None:
    case, frame = Case(name="", inputs={"x": X, "adjacency": A}), WeightMap(weights={"w": W, "bias": B})
    found = [convolution(case, frame, steps) for steps in SLUGS[slug].forms]
    wanted = HALVES[slug] @ X @ W + B
    assert [np.allclose(one, wanted) for one in found] == ["degree" in steps for steps in SLUGS[slug].forms]


@pytest.mark.parametrize("slug", WRITTEN)
def test_a_sabotaged_reference_is_the_mistake_it_is_called(slug: str) -> None:
    found = convolution(
        Case(name="", inputs={"x": X, "adjacency": A}),
        WeightMap(weights={"w": W, "bias": B}),
        SLUGS[slug].forms[0],
    )
    np.testing.assert_allclose(found, WRITTEN[slug] @ X @ W + B, rtol=1e-10, atol=1e-12)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gcn-layer")
