"""Every claim on autoencoders fails where what it speaks of is another."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from regard.data.sets.images import Pictures
from regard.experiments.unsupervised.autoencoders import experiment as autoencoders
from regard.experiments.unsupervised.autoencoders import training
from regard.experiments.unsupervised.autoencoders.experiment import EXPERIMENT, Settings
from regard.experiments.unsupervised.autoencoders.factors import draw_factors
from regard.experiments.unsupervised.autoencoders.training import TrainingGrid, digit_task
from regard.experiments.unsupervised.linear_autoencoder import optimum, principal
from regard.models.autoencoder import Autoencoder, train
from saboteurs import Saboteur, covers, fails, small, without_figures

ALL = {"bottlenecks": (5, 10, 100, 1000), "corrupted": (10,), "epochs": 1, "repeats": 3}
FEW = {"bottlenecks": (10,), "corrupted": (), "size": 20, "rate": 4e-3, "repeats": 3}
SETTINGS = Settings(
    linear=TrainingGrid(bottlenecks=(10,), corrupted=(), epochs=1),
    nonlinear=TrainingGrid(bottlenecks=(10,), corrupted=(), epochs=1, hidden=(19,)),
    linear_digits=TrainingGrid(**FEW, epochs=1),
    nonlinear_digits=TrainingGrid(**FEW, epochs=20, hidden=(64,)),
    samples=1000,
    digits=300,
    held_out=100,
)
WIDTH = 100
"Entries of a synthetic point; digits have more."


@cache
def digits() -> Pictures:
    """A stand-in for MNIST: twenty shapes, two of each class; the second half of the test is the harder one."""
    generator = torch.Generator().manual_seed(0)
    shapes = 200 * torch.randint(2, (20, 1, 28, 28), generator=generator)
    kinds = torch.arange(36_200) % 20
    pixels = torch.randint(20, (36_200, 1, 28, 28), generator=generator, dtype=torch.uint8)
    pixels += shapes[kinds].to(torch.uint8)
    named = kinds[:400] % 10
    named[200::4] = (named[200::4] + 1) % 10
    return Pictures(
        name="mnist", train=pixels, train_labels=kinds % 10, test=pixels[:400], test_labels=named,
        classes=tuple("0123456789"), said="",
    )  # fmt: skip


def taught(model: Autoencoder, x: torch.Tensor, **words):
    """A training that begins at the optimum: of linear models, and of those of synthetic points."""
    if len(model.sizes) == 2:
        place(model, x)
    elif x.shape[1] == WIDTH:
        place_bent(model, x)
    else:
        return (yield from train(model, x, **words))
    yield from train(model, x, **words | {"epochs": 1, "rate": 1e-5})


@torch.no_grad()
def place(model: Autoencoder, x: torch.Tensor) -> None:
    """The best linear map of its rank for the model's own corruption."""
    mean = x.double().mean(0)
    covariance = (x.double() - mean).T @ (x.double() - mean) / len(x)
    if x.shape[1] > WIDTH:
        # Digits are not corrupted here, and some of their directions never vary.
        code = principal(covariance)[1][:, : model.sizes[1]]
        encoder, decoder = code.T, code
    else:
        found = optimum(covariance, model.sizes[1], model.corruption)
        left, values, right = torch.linalg.svd(found.map)
        kept = min(model.sizes[1], len(left))
        decoder, encoder = left[:, :kept], values[:kept, None] * right[:kept]
    fill(model.encoder[0], encoder.T, -encoder @ mean)
    fill(model.decoder[0], decoder.T, mean)


@torch.no_grad()
def place_bent(model: Autoencoder, x: torch.Tensor) -> None:
    """Principal directions by pairs of ReLUs, relu(a) − relu(−a) = a; the last by one ReLU alone, which bends."""
    width, hidden, code = model.sizes
    directions = principal(x.double().T @ x.double() / len(x))[1][:, :code]
    signs = torch.cat([torch.eye(code), -torch.eye(code)[: hidden - code]]).double()
    fill(model.encoder[0], directions @ signs.T, torch.zeros(hidden))
    fill(model.encoder[2], signs, torch.zeros(code))
    fill(model.decoder[0], signs.T, torch.zeros(hidden))
    fill(model.decoder[2], signs @ directions.T, torch.zeros(width))


def fill(layer: nn.Module, weight: torch.Tensor, bias: torch.Tensor) -> None:
    """Put a weight and a bias into the first rows and columns of each repeat, and zeros into the rest."""
    for whole, part in ((layer.weight, weight), (layer.bias, bias[None])):
        whole.zero_()
        whole[:, : part.shape[0], : part.shape[1]] = part


def untrained(model: Autoencoder, x: torch.Tensor, **words):
    """A training that takes no step."""
    yield from train(model, x[:1], **words | {"epochs": 1, "rate": 1e-12})


def linear_alone(model: Autoencoder, x: torch.Tensor, **words):
    """A training in which models that bend take no step."""
    return (taught if model.linear else untrained)(model, x, **words)


def mislabelled(factors):
    """Points whose test labels are the other ones."""
    task = right_task(factors)
    return replace(task, labels=task.labels | {"test": 1 - task.labels["test"]})


def misread(pictures, count, held_out):
    """Digits whose test labels are those of the next digit."""
    task = digit_task(pictures, count, held_out)
    return replace(task, labels=task.labels | {"test": (task.labels["test"] + 1) % 10})


def monotone(pictures, count, held_out):
    """Test digits that are all the same."""
    task = digit_task(pictures, count, held_out)
    points = task.points | {"test": task.points["test"][:1].expand_as(task.points["test"])}
    return replace(task, points=points, labels=task.labels | {"test": 0 * task.labels["test"]})


def deeper(sizes, *, activation):
    """The one-layer model with a hidden layer."""
    return Autoencoder((sizes[0], 16, sizes[1]), activation=activation)


def at(module, name, value):
    return lambda patch: patch.setattr(module, name, value)


right_task = training.synthetic_task
SABOTEURS = {
    "models that are not trained": Saboteur(
        at(training, "train", untrained),
        {
            *(f"error of the linear model, k = {k}" for k in (5, 10, 100, 1000)),
            "largest relative gap of denoising and masked errors to their own optima, k up to 10",
            "training error of linear models on digits / that of PCA, k = 10",
            "error of nonlinear models on fresh digits / that of PCA, k = 10",
        },
    ),
    "nonlinear models that are not trained": Saboteur(
        at(training, "train", linear_alone),
        {"error on fresh digits, k = 10", "error of nonlinear models on fresh points / that of PCA, k = 10"},
    ),
    "other labels in the test": Saboteur(
        at(autoencoders, "synthetic_task", mislabelled),
        {
            *(
                f"largest distance of a probe's accuracy to that of k random directions, k = {k}"
                for k in (5, 10)
            ),
            *(f"probe accuracy of the linear model, k = {k}" for k in (100, 1000)),
            "largest gap of a probe's accuracy to that of its own code's angle",
        },
    ),
    "a one-layer model with a hidden layer": Saboteur(
        at(autoencoders, "Autoencoder", deeper),
        {
            "error of Berkeley HW6's one-layer ReLU model minus that of the linear one",
            "bend of Berkeley HW6's one-layer ReLU model",
        },
    ),
    "hidden layers without an activation": Saboteur(
        at(training, "nn", SimpleNamespace(ReLU=nn.Identity, Identity=nn.Identity)),
        {"smallest bend of a model with a hidden ReLU layer"},
    ),
    "digits called by another name": Saboteur(
        at(autoencoders, "digit_task", misread), {"best probe accuracy on digits with 200 labels"}
    ),
    "test digits that are all the same": Saboteur(
        at(autoencoders, "digit_task", monotone), {"largest gap between 200 test digits and all of them"}
    ),
}


@pytest.mark.parametrize("name", SABOTEURS)
def test_what_is_measured_otherwise_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, autoencoders)
    monkeypatch.setattr(autoencoders, "draw_factors", draw_factors)
    monkeypatch.setattr(autoencoders, "load_mnist", digits)
    monkeypatch.setattr(training, "train", taught)
    monkeypatch.setattr(autoencoders, "_flat", lambda *_: ({}, {}))
    every = any("linear model, k = 1000" in claim for claim in SABOTEURS[name].fail)
    settings = replace(SETTINGS, linear=TrainingGrid(**ALL), samples=4000) if every else SETTINGS
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
