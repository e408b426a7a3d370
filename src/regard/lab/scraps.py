"""Scraps of music to tell composers by: as graphs, as histograms, in folds that tear no work apart."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.edges import Edges
from regard.data.music import COMPOSERS, Scrap, load_scores, shred
from regard.data.music_graph import describe, describe_pitch, relate
from regard.models.graph_batch import Graph, union
from regard.shapes import Float, Int


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
    scraps = [scrap for score in load_scores(files) for scrap in shred(score, notes=notes, most=most)]
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


def regress(
    pile: Pile, see: Callable[[Scrap], Tensor], parts: tuple[Tensor, Tensor, Tensor]
) -> Int[Tensor, " m"]:
    """Answers of a softmax regression for the third part, fitted to the first, its penalty to the second."""
    x = torch.stack([see(scrap) for scrap in pile.scraps]).double()
    train, validation, test = parts
    x = (x - x[train].mean(0)) / x[train].std(0).clamp(min=1e-6)
    fits = [_fit(x[train], pile.labels[train], penalty) for penalty in (1e-3, 1e-2, 1e-1)]
    right = [(_answers(fit, x[validation]) == pile.labels[validation]).double().mean() for fit in fits]
    return _answers(fits[int(torch.stack(right).argmax())], x[test])


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


def _answers(fit: tuple[Tensor, Tensor], x: Tensor) -> Tensor:
    return (x @ fit[0] + fit[1]).argmax(1)
