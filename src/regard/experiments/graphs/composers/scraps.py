"""Scraps of music to tell composers by: as graphs, as histograms, in folds that tear no work apart."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.edges import Edges
from regard.data.sets.music import COMPOSERS, Scrap, load_scores, shred
from regard.experiments.graphs.composers.score_graph import describe, describe_pitch, relate
from regard.models.graph.batch import Graph, union
from regard.shapes import Float, Int

PENALTIES = (1e-3, 1e-2, 1e-1)
"Among which a regression chooses."


@dataclass(frozen=True, eq=False)
class Pile:
    """Scraps, the graph of each, and the number of each one's composer."""

    scraps: list[Scrap]
    graphs: list[Graph]
    labels: Int[Tensor, " n"]

    @property
    def works(self) -> list[str]:
        """The work of each scrap, told apart from other composers' works of that name."""
        return [f"{scrap.composer}, {scrap.work}" for scrap in self.scraps]


def load_pile(files: int | None, *, notes: int, most: int) -> Pile:
    """At most `most` scraps of `notes` notes from each of so many scores."""
    return pile_up([scrap for score in load_scores(files) for scrap in shred(score, notes=notes, most=most)])


def pile_up(scraps: list[Scrap]) -> Pile:
    """The scraps with their graphs and labels."""
    labels = torch.tensor([COMPOSERS.index(scrap.composer) for scrap in scraps])
    return Pile(scraps, [graph_of(scrap) for scrap in scraps], labels)


def graph_of(scrap: Scrap) -> Graph:
    """A scrap as a graph; every relation is listed both ways round: a note hears what comes after it too."""
    source, target, relation = relate(scrap.notes)
    edges = Edges(source, target, nodes=len(scrap.notes), relation=relation).both_ways()
    label = torch.tensor([COMPOSERS.index(scrap.composer)])
    return Graph(describe(scrap.notes), edges, labels=label, classes=len(COMPOSERS))


def without(pile: Pile, relations: Collection[int]) -> Pile:
    """The same scraps without the edges of some relations."""
    return replace(pile, graphs=[_thinned(graph, relations) for graph in pile.graphs])


def _thinned(graph: Graph, relations: Collection[int]) -> Graph:
    kinds = graph.edges.relation
    assert kinds is not None, "scraps have relations"
    stay = ~torch.isin(kinds, torch.tensor(sorted(relations)))
    source, target = graph.edges.source[stay], graph.edges.target[stay]
    return replace(graph, edges=Edges(source, target, nodes=graph.nodes, relation=kinds[stay]))


def fold_by_work(pile: Pile, folds: int, seed: int) -> Int[Tensor, " n"]:
    """A fold for each scrap: all of a work's are in one, and each composer's works are dealt out evenly."""
    generator = torch.Generator().manual_seed(seed)
    fold: dict[str, int] = {}
    for composer in sorted({scrap.composer for scrap in pile.scraps}):
        works = sorted({work for work in pile.works if work.startswith(f"{composer}, ")})
        order = torch.randperm(len(works), generator=generator).tolist()
        fold |= {works[place]: turn % folds for turn, place in enumerate(order)}
    return torch.tensor([fold[work] for work in pile.works])


def fold_by_scrap(pile: Pile, folds: int, seed: int) -> Int[Tensor, " n"]:
    """A fold for each scrap, whatever work it is from: scraps of one work stand on both sides."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randperm(len(pile.scraps), generator=generator) % folds


@dataclass(frozen=True, eq=False)
class Part:
    """What a fold tests, what may be learnt from for it, and how the latter is split in order to choose."""

    test: Int[Tensor, " t"]
    "The scraps of the fold."
    learn: Int[Tensor, " l"]
    "All others."
    inner: list[tuple[Tensor, Tensor]]
    "Scraps to train on and scraps to validate on: for each neighbouring fold, all but the two, and that one."


def part(folds: Int[Tensor, " n"], reach: int) -> list[Part]:
    """Each fold in its turn; the `reach` folds before it and after it, in a circle, validate.

    >>> first = part(torch.tensor([0, 1, 2, 3, 4]), reach=1)[0]
    >>> first.test, first.learn, first.inner[0]
    (tensor([0]), tensor([1, 2, 3, 4]), (tensor([2, 3, 4]), tensor([1])))
    """
    count = int(folds.max()) + 1
    steps = [step for far in range(1, reach + 1) for step in (far, -far)]
    parts = []
    for fold in range(count):
        validating = dict.fromkeys((fold + step) % count for step in steps)
        inner = [(_at((folds != fold) & (folds != other)), _at(folds == other)) for other in validating]
        parts.append(Part(_at(folds == fold), _at(folds != fold), inner))
    return parts


def _at(mask: Tensor) -> Tensor:
    return mask.nonzero().flatten()


@dataclass(frozen=True, eq=False)
class Bundle:
    """Scraps side by side, and the pitch of every note."""

    graph: Graph
    pitch: Int[Tensor, " n"]

    def moved(self, semitones: Int[Tensor, " g"]) -> Graph:
        """The same scraps, each moved up by so many semitones."""
        new, old = describe_pitch(self.pitch + semitones[self.graph.group]), self.graph.features
        assert isinstance(old, Tensor), "scraps have dense features"
        return replace(self.graph, features=torch.cat([new, old[:, new.shape[1] :]], 1))


def bundle(pile: Pile, which: Sequence[int], size: int, seed: int) -> list[Bundle]:
    """Some scraps in random order, `size` of them side by side at a time."""
    order = torch.randperm(len(which), generator=torch.Generator().manual_seed(seed)).tolist()
    parts = [[which[place] for place in order[first : first + size]] for first in range(0, len(order), size)]
    return [
        Bundle(
            union([pile.graphs[place] for place in part]),
            torch.cat([pile.scraps[place].notes.pitch for place in part]),
        )
        for part in parts
    ]


def macro_f1(truth: Int[Tensor, " n"], answers: Int[Tensor, " n"], classes: int) -> float:
    """The mean over classes of 2 · hits / (there + answered): a class that is never named counts as nothing.

    >>> macro_f1(torch.tensor([0, 0, 1]), torch.tensor([0, 1, 1]), 2)
    0.666...
    """
    table = confusion(truth, answers, classes).double()
    both = table.sum(0) + table.sum(1)
    return (2 * table.diagonal() / both.clamp(min=1)).mean().item()


def confusion(truth: Int[Tensor, " n"], answers: Int[Tensor, " n"], classes: int) -> Int[Tensor, "k k"]:
    """How often each class (row) was given each answer (column)."""
    return torch.bincount(truth * classes + answers, minlength=classes**2).view(classes, classes)


def pitch_histogram(scrap: Scrap) -> Float[Tensor, " 12"]:
    """The share of each pitch class among the notes."""
    return torch.bincount(scrap.notes.pitch % 12, minlength=12).float() / len(scrap.notes)


def note_averages(scrap: Scrap) -> Float[Tensor, " f"]:
    """Mean and spread of all that describes a note: what a network that sees no edges could go by."""
    features = describe(scrap.notes)
    return torch.cat([features.mean(0), features.std(0)])


def regress(pile: Pile, see: Callable[[Scrap], Tensor], parts: Sequence[Part]) -> Int[Tensor, " n"]:
    """Answers of softmax regressions, each fold's by one that learnt from all others.

    The penalty is the one of the most right answers on the scraps that validate for that fold.
    """
    x, answers = torch.stack([see(scrap) for scrap in pile.scraps]).double(), torch.zeros_like(pile.labels)

    @cache
    def answered(train: tuple[int, ...], penalty: float) -> Tensor:
        learnt = list(train)
        scaled = (x - x[learnt].mean(0)) / x[learnt].std(0).clamp(min=1e-6)
        weight, bias = _fit(scaled[learnt], pile.labels[learnt], penalty)
        return (scaled @ weight + bias).argmax(1)

    def right(one: Part, penalty: float) -> int:
        given = ((answered(tuple(train.tolist()), penalty), scraps) for train, scraps in one.inner)
        return sum(int((found[scraps] == pile.labels[scraps]).sum()) for found, scraps in given)

    for one in parts:
        best = max(PENALTIES, key=partial(right, one))
        answers[one.test] = answered(tuple(one.learn.tolist()), best)[one.test]
    return answers


def _fit(x: Tensor, labels: Tensor, penalty: float) -> tuple[Tensor, Tensor]:
    weight = torch.zeros(x.shape[1], len(COMPOSERS), dtype=x.dtype, requires_grad=True)
    bias = torch.zeros(len(COMPOSERS), dtype=x.dtype, requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = F.cross_entropy(x @ weight + bias, labels) + penalty * weight.square().sum() / 2
        value.backward()
        return value

    optimiser.step(loss)  # type: ignore[arg-type]
    return weight.detach(), bias.detach()
