import pytest
import torch
from torch import nn

from regard.data.sets.images import Pictures
from regard.experiments.unsupervised.autoencoders.factors import draw_factors
from regard.experiments.unsupervised.autoencoders.training import (
    Points,
    TrainingGrid,
    bend,
    cells,
    digit_task,
    linear_bounds,
    probe,
    shares,
    synthetic_task,
    try_grid,
)
from regard.models.autoencoder import Autoencoder


@pytest.fixture(scope="module")
def task() -> Points:
    return synthetic_task(draw_factors(samples=1000, width=11, strong=3))


@pytest.mark.slow
def test_a_grid_tries_every_bottleneck_and_corrupts_at_some(task: Points) -> None:
    grid = TrainingGrid(bottlenecks=(2, 5), corrupted=(5,), epochs=2, repeats=2)
    found = dict(try_grid(task, grid))
    assert list(found) == cells(grid) == [(2, "vanilla"), (5, "vanilla"), (5, "denoising"), (5, "masked")]
    trial = found[5, "masked"]
    assert trial.train.shape == trial.valid.shape == (2, 2)
    assert trial.correct.shape == trial.few.shape == (2, 100)
    assert torch.allclose(trial.valid[-1], trial.model.error(task.points["valid"]))
    assert trial.model.linear and grid.kind == "linear"


def test_a_grid_with_hidden_layers_bends_and_another_seed_is_another_model(task: Points) -> None:
    grid = TrainingGrid(bottlenecks=(2,), corrupted=(), hidden=(7,), epochs=1, repeats=2)
    first, other = (dict(try_grid(task, grid, seed))[2, "vanilla"] for seed in (0, 1))
    assert grid.kind == "nonlinear" and not first.model.linear
    assert not {*first.train[-1].tolist()} & {*other.train[-1].tolist()}


def test_the_bound_is_pca_on_both_splits(task: Points) -> None:
    decomposition = pytest.importorskip("sklearn.decomposition")
    peer = decomposition.PCA(2).fit(task.points["train"].double().numpy())
    bounds = linear_bounds(task, (2, 50))
    for split, ours in zip(("train", "valid"), bounds[2], strict=True):
        x = task.points[split].double().numpy()
        error = ((peer.inverse_transform(peer.transform(x)) - x) ** 2).mean()
        assert ours == pytest.approx(error, rel=1e-9)
    assert bounds[50] == pytest.approx((0, 0), abs=1e-12)


def test_the_probe_learns_from_the_first_labels_alone(task: Points) -> None:
    model = Autoencoder((11, 11))
    spoiled = {**task.labels, "train": task.labels["train"].clone()}
    spoiled["train"][50:] = 1 - spoiled["train"][50:]
    other = Points("synthetic", task.points, spoiled, 2)
    assert torch.equal(probe(model, task, 50), probe(model, other, 50))
    assert not torch.equal(probe(model, task, 700), probe(model, other, 700))
    assert probe(model, task, 700).mean() > 0.9


def test_the_bend_tells_a_linear_model_from_another() -> None:
    x = torch.randn(20, 5, generator=torch.Generator().manual_seed(0))
    assert bend(Autoencoder((5, 3), activation=nn.ReLU), x) < 1e-5
    assert bend(Autoencoder((5, 4, 3), activation=nn.ReLU), x) > 0.05


def test_digits_are_split_as_berkeley_does_and_scaled() -> None:
    pixels = torch.zeros(36_010, 1, 2, 2, dtype=torch.uint8)
    pixels[0], pixels[36_000] = 255, 51
    labels = torch.zeros(36_010, dtype=torch.int64)
    labels[36_000] = 7
    digits = Pictures(
        name="mnist",
        train=pixels,
        train_labels=labels,
        test=pixels[:3],
        test_labels=labels[:3],
        classes=tuple("0123456789"),
        said="",
    )
    task = digit_task(digits, 5, 4)
    assert [len(task.points[split]) for split in ("train", "valid", "test")] == [5, 4, 3]
    assert task.points["train"][0].tolist() == [1.0] * 4 and task.classes == 10
    assert task.points["valid"][0].tolist() == pytest.approx([0.2] * 4) and task.labels["valid"][0] == 7


def test_shares_follow_the_work_and_leave_three_percent() -> None:
    grid = TrainingGrid(bottlenecks=(5,), corrupted=(), epochs=2, repeats=3)
    # 10 × 5 weights and 5000 for the layer, 2 epochs, 3 repeats; the second part has three times the points.
    assert shares([(grid, 10, 100), (grid, 10, 300)]) == [
        (0.0, pytest.approx(0.97 / 4)),
        (pytest.approx(0.97 / 4), 0.97),
    ]


def test_a_wide_code_is_trained_once_and_briefly(task: Points) -> None:
    grid = TrainingGrid(bottlenecks=(2, 5), corrupted=(), brief=(5,), epochs=5, repeats=2)
    found = dict(try_grid(task, grid))
    assert found[2, "vanilla"].valid.shape == (5, 2) and found[5, "vanilla"].valid.shape == (1, 1)
