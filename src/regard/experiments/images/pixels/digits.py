"""Digits to learn from and to be tried on, and how many of them a model knows."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from regard.data.sets.folder import read_pictures
from regard.data.sets.images import load_mnist


@dataclass(frozen=True)
class Digits:
    """Digits of mean 0 and variance 1, with their labels, for learning and for the test."""

    train: Tensor
    labels: Tensor
    test: Tensor
    answers: Tensor
    classes: int = 10
    names: tuple[str, ...] = tuple("0123456789")
    "What the classes are called."
    mean: float = 0.0
    "Of the pixels, 0 to 255, before they were brought to mean 0."
    spread: float = 1.0
    "Their deviation."
    word: str = "digit"
    "What one of them is called."

    def batches(self, size: int, seed: int) -> Callable[[int], tuple[Tensor, Tensor]]:
        """Batch number i."""

        def batch(index: int) -> tuple[Tensor, Tensor]:
            draw = torch.Generator().manual_seed(1_000_003 * seed + index)
            chosen = torch.randint(len(self.train), (size,), generator=draw)
            return self.train[chosen], self.labels[chosen]

        return batch


def load(pictures: int, tests: int, folder: Path | None = None) -> tuple[Digits, str]:
    """The digits, and which they are; or pictures of a person's own, in grey."""
    found = load_mnist() if folder is None else read_pictures(folder, side=28, colour="grey")
    parts = [found.train[:pictures].float(), found.test[:tests].float()]
    mean, spread = parts[0].mean(), parts[0].std()
    train, test = ((part - mean) / spread for part in parts)
    labels = found.train_labels[:pictures], found.test_labels[:tests]
    scale = {"names": found.classes, "mean": float(mean), "spread": float(spread)}
    scale |= {} if folder is None else {"word": "picture"}
    return Digits(train, labels[0], test, labels[1], len(found.classes), **scale), found.said


@torch.no_grad()
def answers(model: nn.Module, pictures: Tensor) -> Tensor:
    """The scores of each picture, without dropout."""
    model.eval()
    return torch.cat([model(part) for part in pictures.split(250)])


def accuracy(model: nn.Module, pictures: Tensor, labels: Tensor) -> float:
    """The share of pictures that get their label."""
    return float((answers(model, pictures).argmax(1) == labels).float().mean())
