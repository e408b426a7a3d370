from dataclasses import replace

import numpy as np
import pytest
import torch

from regard.experiments.unsupervised.autoencoders.figures import (
    behind,
    beside_pca,
    beside_vanilla,
    draw_accuracies,
    draw_blocks,
    draw_curves,
    draw_latent,
    draw_reconstructions,
)
from regard.experiments.unsupervised.autoencoders.training import Points, TrainingGrid, Trials, try_grid
from regard.experiments.unsupervised.linear_autoencoder import expected_accuracy


@pytest.fixture(scope="module")
def task() -> Points:
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(240) % 10
    shapes = torch.rand(10, 16, generator=generator)
    points = shapes[labels] + 0.1 * torch.rand(240, 16, generator=generator)
    parts = {"train": slice(0, 120), "valid": slice(120, 160), "test": slice(160, 240)}
    return Points(
        "digits", {name: points[part] for name, part in parts.items()}, {name: labels[part] for name, part in parts.items()}, 10
    )  # fmt: skip


@pytest.fixture(scope="module")
def trials(task: Points) -> tuple[Trials, Trials]:
    grid = {"bottlenecks": (2, 5), "corrupted": (5,), "epochs": 3, "size": 30, "repeats": 2}
    return dict(try_grid(task, TrainingGrid(**grid))), dict(try_grid(task, TrainingGrid(**grid, hidden=(7,))))


@pytest.mark.slow
def test_curves_show_the_errors_and_the_bound(trials) -> None:
    figure = draw_curves(trials[0], {2: 0.05, 5: 0.0})
    left, right = figure.axes
    assert [axis.get_title("left") for axis in (left, right)] == ["k = 2", "k = 5"]
    solid, *repeats, dashed, _, _, bound = left.lines
    trial = trials[0][2, "vanilla"]
    assert np.allclose(solid.get_ydata(), trial.train.mean(1)) and np.allclose(
        dashed.get_ydata(), trial.valid.mean(1)
    )
    assert np.allclose([line.get_ydata() for line in repeats], trial.train.T)
    assert list(bound.get_ydata()) == [0.05, 0.05]
    assert len(right.lines) == 18, (
        "three kinds, two splits, a mean and two repeats, and no line for a bound of nothing"
    )
    assert [text.get_text() for text in right.get_legend().texts] == ["vanilla", "denoising", "masked"]


@pytest.mark.slow
def test_accuracies_show_every_cell_and_the_theory(trials) -> None:
    figure = draw_accuracies({"synthetic points": trials, "digits": trials}, 20)
    assert [axis.get_title("left") for axis in figure.axes] == [
        "synthetic points, all labels",
        "synthetic points, 200 labels",
        "digits, all labels",
        "digits, 200 labels",
    ]
    shown = {line.get_label(): line for line in figure.axes[0].lines}
    assert shown["theory"].get_ydata()[-1] == pytest.approx(expected_accuracy(5, 20))
    vanilla = figure.axes[0].containers[0].lines[0].get_ydata()
    assert np.allclose(vanilla, [trials[0][k, "vanilla"].correct.mean() for k in (2, 5)])
    assert "theory" not in {line.get_label() for line in figure.axes[2].lines}


def test_reconstructions_begin_with_the_digits_themselves(task: Points, trials) -> None:
    (axis,) = draw_reconstructions(task, *trials).axes
    assert [label.get_text() for label in axis.get_yticklabels()] == [
        "as it is",
        "linear, k = 2",
        "linear, k = 5",
        "nonlinear, k = 2",
        "nonlinear, k = 5",
        "with noise",
        "denoising, k = 5",
        "masked",
        "masked, k = 5",
    ]
    mosaic = axis.images[0].get_array()
    assert mosaic.shape == (9 * 4, 10 * 4)
    third = task.points["test"][(task.labels["test"] == 6).nonzero()[3, 0]]
    assert np.allclose(mosaic[:4, 24:28], third.view(4, 4))
    masked = mosaic[7 * 4 : 8 * 4]
    assert 0.1 < (masked == 0).mean() < 0.45


@pytest.mark.slow
def test_codes_are_drawn_as_round_clouds_with_one_mark_for_each_class(task: Points) -> None:
    grid = {"bottlenecks": (2,), "corrupted": (), "epochs": 1, "repeats": 1}
    flat = [dict(try_grid(task, TrainingGrid(**grid, hidden=hidden))) for hidden in ((), (7,))]
    figure = draw_latent(task, *flat)
    assert len(figure.axes) == 2
    for axis in figure.axes:
        codes = np.concatenate([one.get_offsets() for one in axis.collections])
        assert len(axis.collections) == 10 and len(codes) == 80
        assert np.allclose(np.cov(codes.T, ddof=0), np.eye(2), atol=0.01)


def test_blocks_mark_the_first() -> None:
    (axis,) = draw_blocks(torch.tensor([0.9, 0.7, 0.8]), 0.8).axes
    every, first, whole = axis.lines
    assert np.allclose(every.get_ydata(), [0.9, 0.7, 0.8])
    assert np.allclose(first.get_ydata(), [0.9]) and list(whole.get_ydata()) == [0.8, 0.8]


def test_a_model_that_ends_away_from_pca_is_told_with_whether_it_had_come_to_rest(trials) -> None:
    trial = trials[0][2, "vanilla"]
    falling, resting = (
        replace(trial, valid=torch.tensor(errors)) for errors in ([[2.0], [1.0]], [[1.0], [1.0]])
    )
    assert behind(2, falling).endswith("still falling when the training ended, by 50 % in the last epoch.")
    assert "come to rest away from PCA" in behind(2, resting)
    assert behind(2, replace(trial, valid=torch.ones(1, 1))).startswith("At k = 2 one epoch is too little")
    told = beside_pca(trials[0], {2: trials[0][2, "vanilla"].error, 5: trials[0][5, "vanilla"].error / 2})
    assert "At k = 2" not in told and "At k = 5" in told


def test_a_change_that_rounds_to_nothing_has_no_sign_and_a_rise_is_no_fall(trials) -> None:
    plain = trials[0][2, "vanilla"]
    told = beside_vanilla({(2, "vanilla"): plain, (2, "masked"): replace(plain)})
    assert "0 % in error and 0.0 points" in told and "-0" not in told and "−0" not in told
    rising = replace(plain, valid=torch.tensor([[1.0], [1.5]]))
    assert behind(2, rising).endswith("in the last epoch its error rose by 50.0 %.")
