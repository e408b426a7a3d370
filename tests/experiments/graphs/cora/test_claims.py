"""Every claim on GCN and GAT fails where what it speaks of is another."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch

from regard.data.sets.graphs import FIELDS, Network
from regard.experiments.graphs.cora import experiment as cora
from regard.experiments.graphs.cora.experiment import EXPERIMENT, Settings
from regard.experiments.graphs.cora.nodes import STEPS, VARIANTS, NodeTask, Recipe, Trained, train
from regard.models.graph.layers import GAT
from saboteurs import Plant, Saboteur, covers, fails, small, without_figures


def rings() -> Network:
    """Seven rings of eleven papers; words that give a field away now and then."""
    generator = torch.Generator().manual_seed(0)
    ring, labels = torch.arange(77), torch.arange(77) % 7
    words = (torch.rand(77, 29, generator=generator) < 0.1).float()
    words[ring, labels] = (torch.rand(77, generator=generator) < 0.4).float()
    words[:, 28] = 1.0
    ends = torch.stack([ring, (ring + 7) % 77])
    parts = {"train": ring < 28, "validation": (ring >= 28) & (ring < 49), "test": ring >= 49}
    return Network(
        features=words, source=torch.cat([ends[0], ends[1]]), target=torch.cat([ends[1], ends[0]]), labels=labels,
        classes=FIELDS, said="Seven rings.", **parts,
    )  # fmt: skip


@cache
def once(recipe: Recipe, seed: int) -> Trained:
    """A training on the rings, the same for all saboteurs."""
    return train(NodeTask(rings()), recipe, seed)


def trained(change: Callable[[Trained], Trained], which: Callable[[Recipe], bool]) -> Plant:
    """In place of what comes of some recipes, something else."""

    def all_here(task: NodeTask, jobs: Sequence[tuple[Recipe, int]]) -> Iterator[Trained]:
        for recipe, seed in jobs:
            one = once(recipe, seed)
            yield change(one) if which(recipe) else one

    return lambda patch: patch.setattr(cora, "train_all", all_here)


def untrained(one: Trained) -> Trained:
    """A network that never names the right class."""
    return replace(one, tests=(0.0,) * one.epochs)


def perfect(one: Trained) -> Trained:
    return replace(one, tests=(100.0,) * one.epochs)


def hasty(one: Trained) -> Trained:
    """The training as if its first epoch had been the best."""
    return replace(one, epoch=1)


def choosy(one: Trained) -> Trained:
    """The network with scores a thousand times as large: one neighbour takes all."""
    model = deepcopy(one.model)
    assert isinstance(model, GAT)
    with torch.no_grad():
        for score in model.first.similarity.parameters():
            score.mul_(1000)
    return replace(one, model=model)


def recipe_of(name: str) -> Callable[[Recipe], bool]:
    return lambda recipe: replace(recipe, epochs=1000) == STEPS[name]


def plain(model: str) -> Callable[[Recipe], bool]:
    """The recipe of a network itself, none of its variants."""
    base = {"GCN": cora.CONVOLUTION, "GAT": cora.ATTENTION}[model]
    return lambda recipe: replace(recipe, epochs=1000) == base


SABOTEURS = {
    "a GAT that has learned nothing": Saboteur(
        trained(untrained, plain("GAT")),
        {
            "GAT minus GCN, test accuracy in points",
            "GAT: test accuracy, %",
            "GAT with equal weights minus GAT, points",
            *(f"GAT, {name}, minus the recipe, points" for name in VARIANTS),
        },
    ),
    "a GCN that has learned nothing": Saboteur(
        trained(untrained, plain("GCN")),
        {
            "GCN: test accuracy, %",
            "GCN: test accuracy after 200 epochs, %",
            "GCN without citations minus GCN, points",
            "GCN with GAT's width and training minus GCN, points",
        },
    ),
    "a GCN that knows all": Saboteur(
        trained(perfect, plain("GCN")), {"GAT with equal weights minus GCN, points"}
    ),
    "a first epoch taken for the best": Saboteur(
        trained(hasty, plain("GAT")), {"GAT, 200 epochs, no early stopping, minus the recipe, points"}
    ),
    "attention that chooses one": Saboteur(
        trained(choosy, plain("GAT")), {"entropy of attention / that of equal weights, first layer"}
    ),
    "a convolution without loops": Saboteur(
        lambda patch: patch.setattr(cora, "dense_convolution", lambda x, weight, edges: x @ weight),
        {"GraphConvolution: largest gap to the formula with matrices"},
    ),
    "attention with another activation": Saboteur(
        lambda patch: patch.setattr(cora.F, "leaky_relu", lambda x, slope: x.relu()),
        {"GraphAttention: largest gap to the formula with matrices"},
    ),
}


@pytest.mark.parametrize("name", SABOTEURS)
def test_what_is_measured_otherwise_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, cora)
    monkeypatch.setattr(cora, "load_cora", rings)
    trained(lambda one: one, lambda recipe: False)(monkeypatch)
    settings = Settings(seeds=3, explained=3, ablated=3, epochs=12)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
