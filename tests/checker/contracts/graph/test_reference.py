"""The checker's own graph layers beside loops over edges."""

import math

import numpy as np

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.graph.reference import attention, convolution, listening, over

ADJACENCY = np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], float)


def test_attention_is_a_loop_over_edges() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((4, 5)), rng.standard_normal((5, 2, 3))
    weights = {"w": w, "bw": np.zeros((2, 3)), "ba": np.zeros(()), "bias": rng.standard_normal(6)}
    weights |= {"target": rng.standard_normal((2, 3)), "source": rng.standard_normal((2, 3))}
    case = Case(name="", inputs={"x": x, "adjacency": ADJACENCY})
    found, _ = attention(case, WeightMap(weights=weights), {})
    for i in range(3):
        for h in range(2):
            node = {j: x[j] @ w[:, h] for j in range(4)}
            near = [j for j in range(4) if ADJACENCY[i, j]]
            score = [float(weights["target"][h] @ node[i] + weights["source"][h] @ node[j]) for j in near]
            raised = [math.exp(s if s > 0 else 0.2 * s) for s in score]
            wanted = sum(r / sum(raised) * node[j] for r, j in zip(raised, near, strict=True))
            np.testing.assert_allclose(
                found[i, h * 3 : h * 3 + 3], wanted + weights["bias"][h * 3 : h * 3 + 3], atol=1e-12
            )
    np.testing.assert_allclose(found[3], weights["bias"], atol=1e-12)


def test_convolution_is_a_loop_over_edges() -> None:
    rng = np.random.default_rng(0)
    x, w, bias = rng.standard_normal((4, 5)), rng.standard_normal((5, 3)), rng.standard_normal(3)
    found = convolution(
        Case(name="", inputs={"x": x, "adjacency": ADJACENCY}), WeightMap(weights={"w": w, "bias": bias}), {}
    )
    near = [{j for j in range(4) if ADJACENCY[i, j]} | {i} for i in range(4)]
    for i in range(4):
        wanted = sum(x[j] @ w / math.sqrt(len(near[i]) * len(near[j])) for j in near[i])
        np.testing.assert_allclose(found[i], wanted + bias, atol=1e-12)


def test_who_is_joined_to_nothing_is_left_out() -> None:
    assert listening(Case(name="", inputs={"adjacency": ADJACENCY})).tolist() == [True, True, True, False]


def test_a_softmax_counts_as_often_as_it_is_told() -> None:
    e = np.log(np.array([[1.0, 2.0, 4.0]]))
    np.testing.assert_allclose(over(e, np.array([[2.0, 1.0, 0.0]])), [[0.5, 0.5, 0.0]])
    assert over(e, np.zeros((1, 3))).tolist() == [[0.0, 0.0, 0.0]]


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gat-layer", "gcn-layer")
