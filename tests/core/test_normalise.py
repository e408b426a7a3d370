"""Each normaliser on numbers worked out by hand, over a mask and over the same pairs as edges."""

from math import e, inf, nan

import pytest
import torch
from torch import Tensor

from regard.core.backends.reference import Cells, Links
from regard.core.edges import Edges
from regard.core.normalise import Divide, Mean, Raw, Softmax, Symmetric, nonzero, peak

#        keys 0  1  2
MASK = torch.tensor([[1, 1, 0], [0, 1, 1], [0, 0, 0]]).bool()
SCORES = torch.tensor([[1.0, 3.0, 50.0], [7.0, 1.0, 4.0], [9.0, 9.0, 9.0]], dtype=torch.float64)
LOG = torch.tensor([[1.0, 3.0, 50.0], [7.0, 1.0, 4.0], [9.0, 9.0, 9.0]], dtype=torch.float64).log()

KNOWN = {
    "softmax of logarithms": (Softmax(), LOG, [[1 / 4, 3 / 4, 0], [0, 1 / 5, 4 / 5], [0, 0, 0]]),
    "divide": (Divide(), SCORES, [[1 / 4, 3 / 4, 0], [0, 1 / 5, 4 / 5], [0, 0, 0]]),
    "mean": (Mean(), SCORES, [[1 / 2, 3 / 2, 0], [0, 1 / 2, 4 / 2], [0, 0, 0]]),
    # Rows sum to 4, 5, 0 and columns to 1, 4, 4: not the same, since the graph is directed.
    "symmetric": (
        Symmetric(),
        SCORES,
        [[1 / 4**0.5, 3 / 16**0.5, 0], [0, 1 / 20**0.5, 4 / 20**0.5], [0, 0, 0]],
    ),
    "raw": (Raw(), SCORES, [[1, 3, 0], [0, 1, 4], [0, 0, 0]]),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(name):
    normalise, scores, expected = KNOWN[name]
    expected = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(normalise(scores, Cells(MASK)), expected)
    target, source = MASK.nonzero().T
    weights = normalise(scores[MASK], Links(Edges(source, target, nodes=3)))
    torch.testing.assert_close(weights, expected[MASK])


def directed() -> tuple[Tensor, Tensor]:
    """0 -> 1, 0 -> 2, 1 -> 2: in-degrees 0, 1, 2 and out-degrees 2, 1, 0."""
    return torch.tensor([0, 0, 1]), torch.tensor([1, 2, 2])


def test_on_a_directed_graph_symmetric_takes_the_targets_in_degree_and_the_sources_out_degree():
    source, target = directed()
    weights = Symmetric()(torch.ones(3), Links(Edges(source, target, nodes=3)))
    torch.testing.assert_close(weights, torch.tensor([1 * 2, 2 * 2, 2 * 1]) ** -0.5)


def test_on_a_directed_graph_mean_counts_the_edges_that_point_to_the_target():
    source, target = directed()
    weights = Mean()(torch.ones(3), Links(Edges(source, target, nodes=3)))
    torch.testing.assert_close(weights, torch.tensor([1, 1 / 2, 1 / 2]))


@pytest.mark.slow
def test_parallel_edges_of_two_relations_are_two_members():
    edges = Edges(torch.tensor([0, 0, 1]), torch.tensor([1, 1, 1]), nodes=2, relation=torch.tensor([0, 1, 0]))
    torch.testing.assert_close(Softmax()(torch.zeros(3), Links(edges)), torch.full((3,), 1 / 3))


def test_a_softmax_is_blind_to_what_the_mask_hides_even_in_its_gradient():
    scores = torch.tensor([[0.0, 1.0, 1e4]], dtype=torch.float64, requires_grad=True)
    weights = Softmax()(scores, Cells(torch.tensor([[True, True, False]])))
    torch.testing.assert_close(weights.detach()[0], torch.tensor([1 / (1 + e), e / (1 + e), 0.0]).double())
    weights[0, 0].backward()
    assert scores.grad.isfinite().all()
    assert float(scores.grad[0, 2]) == 0


def test_zero_sums_become_one():
    assert nonzero(torch.tensor([0.0, -2.0, 3.0])).tolist() == [1.0, -2.0, 3.0]


def test_nothing_is_taken_off_where_all_is_hidden():
    assert peak(torch.tensor([-inf, 2.0, inf, -3.0])).tolist() == [0.0, 2.0, inf, -3.0]
    assert peak(torch.tensor([nan])).isnan().all()
