"""The network that tells composers apart: what is chosen of it, its training, many trainings at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import cycle, islice
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from regard.data.formats.notes import Notes
from regard.data.sets.music import COMPOSERS, Scrap
from regard.experiments.graphs.composers.score_graph import FEATURES, RELATIONS
from regard.experiments.graphs.composers.scraps import Part, Pile, bundle, pile_up, without
from regard.lab.ranges import Range
from regard.lab.workers import processes
from regard.models.graph.aggregate import maxima, means
from regard.models.graph.batch import Graph, union
from regard.models.graph.relational import RelationalGAT
from regard.shapes import Float, Int
from regard.training import Plan, Training, cross_entropy

Readout = Literal["mean", "mean and maximum"]
READOUTS = {"mean": (means,), "mean and maximum": (means, maxima)}
HIDDEN = 8
"Channels of a head."
SIZE = 32
"Scraps of a batch."


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One candidate of the search."""

    depth: int
    "Layers of attention."
    heads: int
    "Heads of each layer, of eight channels."
    dropout: float
    "Dropout before each layer."
    rate: float
    "Highest learning rate."
    readout: Readout
    "What of the notes is passed on for the whole scrap."
    transposed: int
    "Semitones by which a training scrap is moved at most, up or down, anew each time it is seen."

    def __str__(self) -> str:
        layers = f"{self.depth} layer{'s' if self.depth > 1 else ''}"
        moved = f"moved by up to {self.transposed} semitones" if self.transposed else "not moved"
        trained = f"dropout {self.dropout:g}, rate {self.rate:g}"
        return f"{layers}, {self.heads} heads, {trained}, {self.readout}, {moved}"


@dataclass(frozen=True, kw_only=True)
class SearchGrid:
    """What there is to choose among; one field for each of `Choice`, in its order."""

    depths: tuple[int, ...] = (1, 2, 3)
    "Layers of attention."
    heads: tuple[int, ...] = (4,)
    "Heads of each layer."
    dropouts: Annotated[tuple[float, ...], Range(0, below=1)] = (0.0, 0.2, 0.5)
    "Dropout before each layer."
    rates: Annotated[tuple[float, ...], Range(above=0, high=10)] = (0.003, 0.01)
    "Highest learning rate."
    readouts: tuple[Readout, ...] = ("mean", "mean and maximum")
    "What of the notes is passed on for the whole scrap."
    transposed: tuple[int, ...] = (0, 6)
    "Semitones by which a training scrap is moved at most."


@dataclass(frozen=True, kw_only=True)
class Job:
    """One training: equal jobs give equal networks."""

    choice: Choice
    train: tuple[int, ...]
    "The numbers of the scraps to train on; no other is looked at."
    epochs: int
    "Passes over them."
    seed: int
    lost: frozenset[int] = frozenset()
    "Relations whose edges are taken away."


def draw(grid: SearchGrid, count: int, seed: int) -> list[Choice]:
    """At most `count` different candidates at random, in which the values of each kind are equally frequent.

    >>> sorted(one.depth for one in draw(SearchGrid(depths=(1, 2)), 4, seed=0))
    [1, 1, 2, 2]
    """
    generator = torch.Generator().manual_seed(seed)

    def shuffled(values: Sequence[Any]) -> list[Any]:
        return [values[place] for place in torch.randperm(len(values), generator=generator).tolist()]

    def column(values: Sequence[Any]) -> list[Any]:
        return shuffled(list(islice(cycle(shuffled(values)), count)))

    drawn = zip(*(column(getattr(grid, one.name)) for one in fields(grid)), strict=True)
    names = [one.name for one in fields(Choice)]
    return list(dict.fromkeys(Choice(**dict(zip(names, row, strict=True))) for row in drawn))


def build(choice: Choice) -> RelationalGAT:
    """The untrained network of a choice."""
    return RelationalGAT(
        FEATURES,
        HIDDEN,
        len(COMPOSERS),
        relations=len(RELATIONS),
        heads=choice.heads,
        depth=choice.depth,
        dropout=choice.dropout,
        readouts=READOUTS[choice.readout],
    )


def fit(pile: Pile, job: Job) -> RelationalGAT:
    """The network of a job, trained."""
    torch.manual_seed(job.seed)
    model = build(job.choice)
    ready = bundle(without(pile, job.lost) if job.lost else pile, job.train, SIZE, job.seed)
    reach = job.choice.transposed

    def batch(index: int) -> tuple[Graph, Tensor | None]:
        one = ready[index % len(ready)]
        if not reach:
            return one.graph, one.graph.labels
        generator = torch.Generator().manual_seed(100_000 * job.seed + index)
        semitones = torch.randint(-reach, reach + 1, (one.graph.graphs,), generator=generator)
        return one.moved(semitones), one.graph.labels

    plan = Plan(
        steps=job.epochs * len(ready), learning_rate=job.choice.rate, weight_decay=1e-2, seed=job.seed
    )
    for _ in Training(model, batch, cross_entropy, plan):
        pass
    return model.eval()


def answers(model: RelationalGAT, pile: Pile, which: Sequence[int]) -> Int[Tensor, " m"]:
    """The composer that a network gives to each of some scraps."""
    with torch.no_grad():
        return model(union([pile.graphs[place] for place in which])).argmax(1)


def answers_apart(model: RelationalGAT, pile: Pile, job: Job) -> Int[Tensor, " n"]:
    """The answer to each scrap that the job was not trained on, and -1 at the others."""
    given = torch.full_like(pile.labels, -1)
    apart = sorted(set(range(len(pile.scraps))) - set(job.train))
    given[apart] = answers(model, pile, apart)
    return given


def trials(parts: Sequence[Part], choices: Sequence[Choice], epochs: int, seed: int) -> list[list[list[Job]]]:
    """The trainings that the search needs: of each choice, for each fold, on each of its inner splits.

    Of two folds that validate for one another, both trainings leave out both folds: they are equal jobs.
    """
    return [
        [
            [
                Job(choice=choice, train=tuple(train.tolist()), epochs=epochs, seed=seed)
                for train, _ in one.inner
            ]
            for one in parts
        ]
        for choice in choices
    ]


def validate(
    pile: Pile, parts: Sequence[Part], tried: Sequence[Sequence[Sequence[Job]]], given: Mapping[Job, Tensor]
) -> Float[Tensor, "c f"]:
    """Accuracy in per cent of each choice for each fold, on the scraps that validate for that fold."""
    shares = torch.zeros(len(tried), len(parts))
    for row, by_part in enumerate(tried):
        for column, (one, jobs) in enumerate(zip(parts, by_part, strict=True)):
            splits = zip(jobs, one.inner, strict=True)
            right = [given[job][scraps] == pile.labels[scraps] for job, (_, scraps) in splits]
            shares[row, column] = 100 * torch.cat(right).float().mean()
    return shares


Fit = Callable[[Sequence[Job]], Iterator[RelationalGAT]]
"Takes jobs, gives their networks."


@contextmanager
def crew(pile: Pile, workers: int) -> Iterator[Fit]:
    """What trains jobs on a pile, so many at a time in processes of one thread; networks come in order."""
    if workers < 2:
        yield lambda jobs: (fit(pile, job) for job in jobs)
        return
    with processes(workers, _get_ready, [_packed(scrap) for scrap in pile.scraps]) as pool:
        yield lambda jobs: map(_revive, jobs, pool.map(_fit_here, jobs))


def _packed(scrap: Scrap) -> tuple[tuple[str, str, str], list[Any]]:
    """A scrap as words and arrays."""
    notes = scrap.notes
    arrays = [part.numpy() for part in (notes.pitch, notes.onset, notes.length, notes.voice)]
    return (scrap.composer, scrap.work, scrap.name), arrays


_here: list[Pile] = []
"The pile of a process that trains for another."


def _get_ready(packed: list[tuple[tuple[str, str, str], list[Any]]]) -> None:
    scraps = [Scrap(*words, Notes(*map(torch.from_numpy, arrays))) for words, arrays in packed]
    _here.append(pile_up(scraps))


def _fit_here(job: Job) -> dict[str, Any]:
    return {name: value.numpy() for name, value in fit(_here[0], job).state_dict().items()}


def _revive(job: Job, state: dict[str, Any]) -> RelationalGAT:
    model = build(job.choice)
    model.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()})
    return model.eval()
