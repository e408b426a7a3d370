"""The operator's document: the very weights of `attend`, for every choice, or three lines why not."""

from itertools import product

import numpy
import pytest
import torch

from regard.core.attend import attend
from regard.core.support import Causal
from regard.web.worker.models import Models
from regard.web.worker.operator import CHOICES, HEADS, WIDTH, operator, ring

USUAL = {
    "similarity": "dot",
    "support": "full",
    "position": "none",
    "normalise": "softmax",
    "n": 6,
    "seed": 1,
}


def made(**chosen) -> dict:
    return operator(Models([]), USUAL | chosen)


def test_every_choice_is_answered_or_refused_in_three_lines() -> None:
    refused = 0
    for words in list(product(*CHOICES.values()))[::7]:
        found = made(**dict(zip(CHOICES, words, strict=True)))
        if found["refused"]:
            refused += 1
            assert all(found["refused"].values()) and found["weights"] is None
        else:
            assert numpy.isfinite(found["output"]).all() and numpy.shape(found["weights"]) == (6, 6)
            assert found["backend"] and found["reason"] and found["cost"]["operations"] > 0
    assert 10 < refused < 60


def test_weights_and_output_are_those_of_attend_and_of_each_other() -> None:
    found = made(support="causal")
    q, k, v = torch.randn(3, 1, HEADS, 6, WIDTH, generator=torch.Generator().manual_seed(1))
    own = attend(q, k, v, support=Causal(), weights=True)
    assert own.weights is not None
    numpy.testing.assert_allclose(found["weights"], own.weights[0, 0], rtol=1e-3, atol=1e-6)
    for support in ("full", "causal", "window", "edges"):
        one = made(support=support)
        numpy.testing.assert_allclose(numpy.array(one["weights"]) @ v[0, 0].numpy(), one["output"], atol=1e-3)
        numpy.testing.assert_allclose(numpy.sum(one["weights"], 1), 1, atol=1e-3)


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"similarity": "additive", "support": "edges", "position": "relative"},
        {"similarity": "kernel", "support": "causal", "normalise": "divide"},
        {"similarity": "constant", "support": "edges", "normalise": "symmetric"},
        {"similarity": "cosine", "support": "window", "position": "alibi", "seed": 3},
        {"similarity": "gaussian", "position": "rotary", "n": 2},
    ],
)
def test_the_lines_of_python_alone_give_the_result_that_is_shown(chosen: dict) -> None:
    found = made(**chosen)
    names: dict = {}
    exec("\n".join(found["python"]), names)
    numpy.testing.assert_allclose(names["attended"].output[0, 0].detach(), found["output"], atol=1e-4)


def test_the_row_of_the_table_is_named() -> None:
    assert made(similarity="additive", support="edges")["row"] == "a graph attention layer"
    assert made(similarity="constant", support="edges", normalise="symmetric")["row"] == "a graph convolution"


def test_a_ring_joins_each_with_two_neighbours_on_both_sides() -> None:
    edges = ring(6)
    pairs = set(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
    assert pairs == {(a, b) for a in range(6) for b in range(6) if min((a - b) % 6, (b - a) % 6) <= 2}
    assert {len(ring(n).source) for n in (1, 2)} == {1, 4}


def test_linear_attention_costs_no_table() -> None:
    found = made(similarity="kernel", normalise="divide", n=32)
    assert found["backend"] == "linear" and "n m" not in found["cost"]["formula"]
