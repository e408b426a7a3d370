"""Symmetry of classes, counted by hand."""

import pytest
import torch

from regard.experiments.images.rotation.symmetry import likeness, mistaken, upside_down


def test_a_picture_that_is_its_own_half_turn_is_alike_to_it() -> None:
    pictures = torch.zeros(3, 1, 5, 5, dtype=torch.uint8)
    pictures[0, 0, 2] = 200
    pictures[1, 0, 0] = 200
    pictures[2, 0, 0] = 100
    found = likeness(pictures, torch.tensor([0, 1, 1]), 2)
    assert found[0] == pytest.approx(1.0) and found[1] == pytest.approx(-0.25)


def test_mistakes_are_shares_of_the_true_class_over_all_angles() -> None:
    said = torch.tensor([[0, 1, 1], [1, 1, 0]])
    assert mistaken(said, torch.tensor([0, 1, 1]), 3).tolist() == [[0.5, 0.5, 0], [0.25, 0.75, 0], [0, 0, 0]]


def test_the_most_alike_lead_by_their_accuracy_seed_by_seed() -> None:
    labels = torch.tensor([0, 0, 1, 1])
    said = torch.tensor([[0, 0, 1, 0], [0, 1, 0, 0]])
    rows, lead = upside_down(said, labels, torch.tensor([0.2, 0.9]), ("a", "b"))
    assert lead == [-50.0, -50.0], "class b is the most alike one"
    assert rows == [("b", pytest.approx(0.9), 25.0, "a", 75.0), ("a", pytest.approx(0.2), 75.0, "b", 25.0)]
