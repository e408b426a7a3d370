"""Autoencoders on trial: trained on a task, measured on points they have not seen, probed for its labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import torch
from torch import Tensor, nn

from regard.data.sets.images import Pictures
from regard.experiments.unsupervised.autoencoders.factors import Factors
from regard.experiments.unsupervised.autoencoders.probe import fit_probe
from regard.models.autoencoder import Autoencoder, Clean, Corruption, Masked, Noisy, train
from regard.training.device import find_device

CORRUPTIONS: dict[str, Corruption] = {"vanilla": Clean(), "denoising": Noisy(0.5), "masked": Masked(0.25)}
FEW = 200
"Labels of the second probe."


@dataclass(frozen=True)
class Points:
    """Points in three splits (train, valid, test) and their labels."""

    name: str
    points: dict[str, Tensor]
    labels: dict[str, Tensor]
    classes: int
    device: str = "cpu"
    "Where models of it are trained and probed."

    @property
    def width(self) -> int:
        return self.points["train"].shape[1]

    def there(self) -> "Points":
        """The same, held by its device."""
        device = find_device(self.device)
        points, labels = (
            {split: x.to(device) for split, x in part.items()} for part in (self.points, self.labels)
        )
        return replace(self, points=points, labels=labels)


def synthetic_task(factors: Factors) -> Points:
    """The synthetic points as a task."""
    return Points("synthetic points", factors.points, factors.labels, 2)


def digit_task(digits: Pictures, count: int, held_out: int) -> Points:
    """The first digits to train on, those from 36,000 on to validate, all test digits; rows from 0 to 1."""
    parts = {"train": slice(0, count), "valid": slice(36_000, 36_000 + held_out)}
    points = {name: digits.train[part].flatten(1) / 255 for name, part in parts.items()}
    labels = {name: digits.train_labels[part] for name, part in parts.items()}
    points["test"], labels["test"] = digits.test.flatten(1) / 255, digits.test_labels
    return Points("digits", points, labels, len(digits.classes))


@dataclass(frozen=True, kw_only=True)
class TrainingGrid:
    """A part of the experiment: vanilla models of several bottlenecks, denoising and masked ones of some."""

    bottlenecks: tuple[int, ...] = (5, 10, 100, 1000)
    "Widths k of the code."
    corrupted: tuple[int, ...] = (5, 10, 100, 1000)
    "Those at which denoising and masked models are trained as well."
    brief: tuple[int, ...] = ()
    "Those at which one model is trained, for a fifth of the epochs at half the rate, and probed less exactly: wide codes take longest."
    hidden: tuple[int, ...] = ()
    "Layers between input and bottleneck, each followed by a ReLU; with none the model is linear."
    epochs: int = 10
    "How often all points are seen."
    size: int = 100
    "Points in a batch."
    rate: float = 5e-4
    "Learning rate of Adam."
    repeats: int = 3
    "Models that differ in their first weights and in their corruption."
    tolerance: float = 1e-4
    "The steepest slope, for each point, at which a probe counts as at its minimum."

    @property
    def kind(self) -> str:
        return "nonlinear" if self.hidden else "linear"

    def at(self, bottleneck: int) -> "TrainingGrid":
        """How models with a code of that width are trained."""
        if bottleneck not in self.brief:
            return self
        epochs = max(1, self.epochs // 5)
        return replace(self, repeats=1, epochs=epochs, rate=self.rate / 2, tolerance=1e-3)


@dataclass(frozen=True)
class GridCell:
    """One cell of the grid, all repeats together, and what came of it."""

    model: Autoencoder
    train: Tensor
    "Error on the training points after each epoch (epochs × repeats), nothing corrupted."
    valid: Tensor
    "The same on the validation points."
    correct: Tensor
    "Whether the probe with all labels is right (repeats × test points)."
    few: Tensor
    "Whether the probe with few labels is right."

    @property
    def error(self) -> float:
        """The mean error on the validation points at the end."""
        return self.valid[-1].mean().item()

    @property
    def train_and_valid(self) -> tuple[float, float]:
        """The mean errors at the end."""
        return self.train[-1].mean().item(), self.error


Trials = dict[tuple[int, str], GridCell]
"Trials by bottleneck and corruption."


def cells(grid: TrainingGrid) -> list[tuple[int, str]]:
    """The bottlenecks and corruptions of a grid, in the order in which they are tried."""
    every = [(k, name) for k in grid.bottlenecks for name in CORRUPTIONS]
    return [(k, name) for k, name in every if name == "vanilla" or k in grid.corrupted]


def shares(parts: Sequence[tuple[TrainingGrid, int, int]]) -> list[tuple[float, float]]:
    """Where each part begins and ends, of the whole work; 3 % are left for what follows them.

    A part is a grid, the width of its points and how many there are.
    """
    costs = [0.0]
    for grid, width, count in parts:
        cost = 0.0
        for k, _ in cells(grid):
            weights = sum(a * b + 5000 for a, b in pairwise((width, *grid.hidden, k)))
            cost += weights * grid.at(k).epochs * grid.at(k).repeats * count
        costs.append(costs[-1] + cost)
    return [(0.97 * a / costs[-1], 0.97 * b / costs[-1]) for a, b in pairwise(costs)]


def try_grid(task: Points, grid: TrainingGrid, seed: int = 0) -> Iterator[tuple[tuple[int, str], GridCell]]:
    """Train, measure and probe each cell of a grid."""
    for bottleneck, name in cells(grid):
        here = grid.at(bottleneck)
        seeds = range(here.repeats * seed, here.repeats * (seed + 1))
        sizes = (task.width, *grid.hidden, bottleneck)
        activation = nn.ReLU if grid.hidden else nn.Identity
        model = Autoencoder(sizes, activation=activation, corruption=CORRUPTIONS[name], seeds=seeds)
        yield (bottleneck, name), try_model(model, task, here)


def try_model(model: Autoencoder, task: Points, grid: TrainingGrid) -> GridCell:
    """Train a model, measure it after each epoch on whole splits, and probe it."""
    there = task.there()
    model.to(there.points["train"].device)
    curves: dict[str, list[Tensor]] = {"train": [], "valid": []}
    for _ in train(model, there.points["train"], epochs=grid.epochs, size=grid.size, rate=grid.rate):
        for split, curve in curves.items():
            curve.append(model.error(there.points[split]).cpu())
    every = len(task.labels["train"])
    correct, few = (probe(model, there, labels, tolerance=grid.tolerance) for labels in (every, FEW))
    return GridCell(model.cpu(), torch.stack(curves["train"]), torch.stack(curves["valid"]), correct, few)


def probe(model: Autoencoder, task: Points, labels: int, *, tolerance: float = 1e-4) -> Tensor:
    """Whether a probe fitted to the first so many training points is right on each test point."""
    known, fresh = model.codes(task.points["train"][:labels]), model.codes(task.points["test"])
    found = []
    for code, other in zip(known.split(1), fresh.split(1), strict=True):
        # One repeat at a time: wide codes of many points fill gigabytes.
        named = task.labels["train"][:labels]
        fitted = fit_probe(code, named, classes=task.classes, tolerance=tolerance)
        found.append(fitted.correct(other, task.labels["test"]).cpu())
    return torch.cat(found)


def linear_bounds(task: Points, bottlenecks: Sequence[int]) -> dict[int, tuple[float, float]]:
    """PCA's error per entry on training points, below which no linear model goes, and on fresh points."""
    points, fresh = task.points["train"].double(), task.points["valid"].double()
    mean = points.mean(0)
    values, vectors = torch.linalg.eigh((points - mean).T @ (points - mean) / len(points))
    along = ((fresh - mean) @ vectors).square().mean(0)
    left = {k: max(0, task.width - k) for k in bottlenecks}
    return {k: (_share(values[:n], task), _share(along[:n], task)) for k, n in left.items()}


def _share(variances: Tensor, task: Points) -> float:
    return variances.clamp(min=0).sum().item() / task.width


@torch.no_grad()
def bend(model: Autoencoder, x: Tensor) -> float:
    """How far a model is from x ↦ Ax + b: |f(x) + f(y) − f(x + y) − f(0)| relative to |f(x) − f(0)|."""
    first, second = x[0::2][: len(x) // 2], x[1::2][: len(x) // 2]
    base = model(torch.zeros_like(first))
    gap = model(first) + model(second) - model(first + second) - base
    return (gap.norm() / (model(first) - base).norm()).item()
