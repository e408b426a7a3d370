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
from regard.experiments.graphs.cora.claims import CLAIMS, NAMES
from regard.experiments.graphs.cora.experiment import EXPERIMENT, Settings
from regard.experiments.graphs.cora.nodes import STEPS, NodeTask, Recipe, Trained, train
from regard.models.graph.layers import GAT
from saboteurs import Plant, Saboteur, covers, fails, small, without_figures

EACH, LEARNED, NEAR = 40, 10, 3
"Papers of a field, how many of them train (as many validate), and how many each paper cites."


@cache
def planted() -> Network:
    """Papers that cite their own field four times in five; words that give a field away now and then."""
    generator = torch.Generator().manual_seed(0)
    paper, fields = torch.arange(EACH * len(FIELDS)), len(FIELDS)
    labels = paper % fields
    cites = paper.repeat_interleave(NEAR)
    within = torch.randint(EACH, cites.shape, generator=generator) * fields + labels[cites]
    anywhere = torch.randint(len(paper), cites.shape, generator=generator)
    cited = torch.where(torch.rand(cites.shape, generator=generator) < 0.8, within, anywhere)
    ends = torch.stack([torch.cat([cites, cited]), torch.cat([cited, cites])])
    source, target = ends[:, ends[0] != ends[1]].unique(dim=1)
    words = (torch.rand(len(paper), 36, generator=generator) < 0.06).float()
    words[paper, labels] = (torch.rand(len(paper), generator=generator) < 0.3).float()
    words[:, -1] = 1.0
    place = paper // fields
    parts = {
        "train": place < LEARNED,
        "validation": (place >= LEARNED) & (place < 2 * LEARNED),
        "test": place >= 2 * LEARNED,
    }
    return Network(
        features=words, source=source, target=target, labels=labels, classes=FIELDS, said="A planted graph.", **parts
    )  # fmt: skip


@cache
def once(recipe: Recipe, seed: int) -> Trained:
    """A training on the planted graph, the same for all saboteurs."""
    return train(NodeTask(planted()), recipe, seed)


def trained(
    which: Callable[[Recipe], bool] = lambda recipe: False,
    *,
    taught: Callable[[Recipe], Recipe] = lambda recipe: recipe,
    change: Callable[[Trained], Trained] = lambda one: one,
) -> Plant:
    """Some recipes taught otherwise, or changed afterwards."""

    def all_here(task: NodeTask, jobs: Sequence[tuple[Recipe, int]]) -> Iterator[Trained]:
        for recipe, seed in jobs:
            yield change(once(taught(recipe), seed)) if which(recipe) else once(recipe, seed)

    return lambda patch: patch.setattr(cora, "train_all", all_here)


def untaught(recipe: Recipe) -> Recipe:
    """The recipe with steps too small to learn anything."""
    return replace(recipe, rate=1e-9)


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
        trained(plain("GAT"), taught=untaught),
        {
            "GAT minus GCN, test accuracy in points",
            "GAT: test accuracy, %",
            "GAT with equal weights minus GAT, points",
            *(f"GAT, {name}, minus the recipe, points" for name in NAMES),
        },
    ),
    "a GCN that has learned nothing": Saboteur(
        trained(plain("GCN"), taught=untaught),
        {
            "GCN: test accuracy, %",
            "GCN: test accuracy after 200 epochs, %",
            "GCN without citations minus GCN, points",
            "GCN with GAT's width and training minus GCN, points",
        },
    ),
    "equal weights that have learned nothing": Saboteur(
        trained(recipe_of("GAT with equal weights"), taught=untaught),
        {"GAT with equal weights minus GCN, points"},
    ),
    "a first epoch taken for the best": Saboteur(
        trained(plain("GAT"), change=hasty), {"GAT, 200 epochs, no early stopping, minus the recipe, points"}
    ),
    "attention that chooses one": Saboteur(
        trained(plain("GAT"), change=choosy), {"entropy of attention / that of equal weights, first layer"}
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


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_what_is_measured_otherwise_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, cora)
    monkeypatch.setattr(cora, "load_cora", planted)
    trained()(monkeypatch)
    settings = Settings(seeds=3, explained=3, ablated=3, epochs=60)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)


def test_what_re_implementations_change_is_asked_in_a_sentence() -> None:
    asked = {claim.asks for claim in CLAIMS}
    assert "whether GAT trained with words as ones, not as shares is worse" in asked
    assert "whether GAT trained without weight decay is worse" in asked
