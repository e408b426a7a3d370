"""Digits as models read them, on a handful of made-up ones."""

import pytest
import torch

from regard.data.sets.images import Pictures
from regard.experiments.images.pixels import digits as home
from regard.experiments.images.pixels.digits import Digits, accuracy, load


def test_a_batch_is_a_function_of_seed_and_number() -> None:
    digits = Digits(
        torch.arange(50.0).view(-1, 1, 1, 1), torch.arange(50), torch.zeros(1, 1, 1, 1), torch.zeros(1).long()
    )
    first, again, other = (digits.batches(8, seed)(3)[1] for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(*(one.flatten().long() for one in digits.batches(8, 1)(3)))
    assert not torch.equal(first, digits.batches(8, 1)(4)[1])


def test_digits_have_mean_zero_and_variance_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = torch.randint(256, (20, 1, 28, 28), dtype=torch.uint8)
    labels = torch.arange(20) % 10
    parts = {"train": shown, "train_labels": labels, "test": shown, "test_labels": labels}
    few = Pictures(name="few", **parts, classes=tuple("0123456789"), said="Made up.")
    monkeypatch.setattr(home, "load_mnist", lambda: few)
    digits, said = load(20, 4)
    assert said == "Made up." and len(digits.test) == 4
    assert abs(float(digits.train.mean())) < 1e-5 and abs(float(digits.train.std()) - 1) < 1e-5


def test_accuracy_counts_what_is_right() -> None:
    scores = torch.eye(4)
    assert accuracy(torch.nn.Identity(), scores, torch.tensor([0, 1, 0, 3])) == 0.75
