"""The network by hand: its matrix, its cost and its gradient."""

import torch

from regard.core.edges import Edges
from regard.experiments.graphs.karate.handmade import (
    Weights,
    apart,
    backward,
    cost,
    differences,
    forward,
    normalised,
    some,
)

PATH = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3).both_ways()


def weights(seed: int = 0, nodes: int = 3) -> Weights:
    return Weights.drawn([torch.Generator().manual_seed(seed)], (nodes, 5, 2, 2), torch.float64)


def test_the_matrix_of_a_path_by_hand():
    half, sixth = 1 / 2, 6**-0.5
    expected = torch.tensor([[half, sixth, 0], [sixth, 1 / 3, sixth], [0, sixth, half]], dtype=torch.float64)
    assert torch.allclose(normalised(PATH), expected, atol=1e-15)


def test_weights_stay_within_their_bound():
    first, second, last, bias = weights(nodes=34)
    assert first.abs().max() <= (5 / 39) ** 0.5 and second.abs().max() <= (5 / 7) ** 0.5
    assert last.abs().max() <= (5 / 4) ** 0.5 and not bias.any()


def test_the_gradient_by_hand_is_that_of_the_cost():
    a, w = normalised(PATH), weights()
    wanted = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    mask = torch.tensor([[1.0], [1.0], [0.0]], dtype=torch.float64)
    by_hand = backward(w, a, forward(w, a), wanted, mask, 1.0)
    assert apart(by_hand, differences(w, a, wanted, mask, 1.0, 1e-4)) < 1e-7
    # What one mistake does to the check: the mask forgotten, the decay forgotten.
    assert apart(backward(w, a, forward(w, a), wanted, torch.ones_like(mask), 1.0), by_hand) > 1e-3
    assert apart(backward(w, a, forward(w, a), wanted, mask, 0.0), by_hand) > 1e-3


def test_the_cost_by_hand():
    """Zero weights make both classes equally likely: log 2 per masked node, over all nodes."""
    w = Weights(*(torch.zeros_like(x) for x in weights()))
    wanted, mask = torch.eye(2, dtype=torch.float64)[[0, 1, 0]], torch.tensor([[1.0], [1.0], [0.0]])
    assert abs(cost(w, normalised(PATH), wanted, mask, 1.0).item() - 2 * 0.6931471805599453 / 3) < 1e-12
    ones = w._replace(last=torch.ones(1, 2, 2, dtype=torch.float64))
    more = cost(ones, normalised(PATH), wanted, mask, 1.0) - cost(w, normalised(PATH), wanted, mask, 1.0)
    assert abs(more.item() - 4 / 2 / 3) < 1e-12


def test_of_many_weights_some_are_tried_evenly(monkeypatch) -> None:
    monkeypatch.setattr("regard.experiments.graphs.karate.handmade.TRIED", 3)
    whole = Weights(torch.ones(1, 2, 4), torch.ones(1, 1, 3), torch.ones(1, 1, 2), torch.ones(1, 1, 1))
    kept = some(whole)
    assert kept.first.flatten().tolist() == [1, 0, 0, 1, 0, 0, 1, 0]
    assert [x.sum().item() for x in kept] == [3, 3, 2, 1]
