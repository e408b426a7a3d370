"""Whose score is this scrap of 50 notes? A network over notes and five relations. About 35 s on a CPU.   regard run composers"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import mean

import torch
from torch import Tensor

from regard.claims import Claim
from regard.data.music import COMPOSERS
from regard.data.music_graph import FEATURES, RELATIONS
from regard.lab.events import Compared, Doing, Drawn, Event, Measured, Said, Tabled
from regard.lab.experiment import Experiment, Session
from regard.lab.node_figures import draw_changes
from regard.lab.scrap_figures import draw_confusion, draw_roll
from regard.lab.scraps import (
    Pile,
    bundle,
    confusion,
    fold_by_scrap,
    fold_by_work,
    load_pile,
    macro_f1,
    note_averages,
    pitch_histogram,
    regress,
    without,
)
from regard.lab.statistics import difference
from regard.models.graph_batch import Graph, union
from regard.models.graph_groups import maxima, means
from regard.models.graph_relational import RelationalGAT
from regard.training import Plan, Training, cross_entropy

HIDDEN = 8
RIVALS = {"pitch histogram": pitch_histogram, "averages of notes": note_averages}


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

    def __str__(self) -> str:
        layers = f"{self.depth} layer{'s' if self.depth > 1 else ''}"
        return f"{layers}, {self.heads} heads, dropout {self.dropout:g}, rate {self.rate:g}"


@dataclass(frozen=True, kw_only=True)
class Settings:
    files: int | None = 60
    "Scores to read, as many of each composer; none reads all."
    most: int = 8
    "Scraps of each score at most."
    notes: int = 50
    "Notes on a scrap."
    folds: int = 5
    "Parts into which the works are dealt: each is tested once, the next one validates."
    epochs: int = 20
    "Passes over the training scraps."
    transposed: int = 6
    "Semitones by which a training scrap is moved at most, up or down, anew each time it is seen."
    depths: tuple[int, ...] = (1, 2)
    "Layers to choose among."
    heads: tuple[int, ...] = (4,)
    "Heads to choose among."
    dropouts: tuple[float, ...] = (0.1,)
    "Dropouts to choose among."
    rates: tuple[float, ...] = (0.01,)
    "Learning rates to choose among."
    retrained: bool = False
    "Whether the network is trained anew without each relation, beside losing it after training."


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained network and how well it does on the part that validates."""

    model: RelationalGAT
    choice: Choice
    validation: float


def run(settings: Settings, session: Session) -> Iterator[Event]:
    """Search and test in every fold; then the leak, the relations, and what attention looks at."""
    yield Doing("reading scores", 0.0)
    pile = load_pile(settings.files, notes=settings.notes, most=settings.most)
    yield Said("The data", _said(pile))
    folds = fold_by_work(pile, settings.folds, session.seed)
    answers, fitted, searched = torch.zeros_like(pile.labels), [], []
    for number, parts in enumerate(_parts(folds, settings.folds)):
        yield Doing(f"search, fold {number}", 0.05 + 0.5 * number / settings.folds)
        tried = [_fit(pile, parts, choice, settings, session.seed) for choice in _choices(settings)]
        searched.append(tried)
        fitted.append(max(tried, key=lambda one: one.validation))
        answers[parts[2]] = _answers(fitted[-1].model, [pile.graphs[i] for i in parts[2]])
    yield _searched(searched, fitted)
    yield from _judge(pile, folds, settings, answers)
    yield Doing("folds by scrap", 0.6)
    yield from _leak(pile, folds, settings, session, fitted, answers)
    yield Doing("relations", 0.75)
    yield from _relations(pile, folds, settings, session, fitted, answers)
    yield Drawn("attention", _roll(pile, folds, fitted[0].model), ROLL)


def _choices(settings: Settings) -> list[Choice]:
    every = product(settings.depths, settings.heads, settings.dropouts, settings.rates)
    return [
        Choice(depth=depth, heads=heads, dropout=dropout, rate=rate) for depth, heads, dropout, rate in every
    ]


def _parts(folds: Tensor, count: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """For each fold the scraps that train, validate and test; the next fold validates."""
    for number in range(count):
        validates = (number + 1) % count
        train = (folds != number) & (folds != validates)
        yield tuple(mask.nonzero().flatten() for mask in (train, folds == validates, folds == number))  # type: ignore[misc]


def _fit(pile: Pile, parts: tuple[Tensor, ...], choice: Choice, settings: Settings, seed: int) -> Fitted:
    torch.manual_seed(seed)
    model = RelationalGAT(
        FEATURES, HIDDEN, len(COMPOSERS), relations=len(RELATIONS), heads=choice.heads, depth=choice.depth,
        dropout=choice.dropout, readouts=(means, maxima),
    )  # fmt: skip
    ready = bundle(pile, parts[0].tolist(), 32, seed)

    def batch(index: int) -> tuple[Graph, Tensor | None]:
        one, generator = ready[index % len(ready)], torch.Generator().manual_seed(100_000 * seed + index)
        reach = settings.transposed
        semitones = torch.randint(-reach, reach + 1, (one.graph.graphs,), generator=generator)
        return one.moved(semitones), one.graph.labels

    plan = Plan(steps=settings.epochs * len(ready), rate=choice.rate, decay=1e-2, seed=seed)
    for _ in Training(model, batch, cross_entropy, plan):
        pass
    held = [pile.graphs[i] for i in parts[1]]
    return Fitted(model, choice, _share(_answers(model, held), held))


def _answers(model: RelationalGAT, graphs: Sequence[Graph]) -> Tensor:
    model.eval()
    with torch.no_grad():
        return model(union(graphs)).argmax(1)


def _share(answers: Tensor, graphs: Sequence[Graph]) -> float:
    truth = torch.cat([graph.labels for graph in graphs if graph.labels is not None])
    return 100 * (answers == truth).float().mean().item()


def _by_group(pile: Pile, groups: Tensor, answers: Tensor) -> dict[int, float]:
    """The share of right answers in each fold, or in each work, in per cent."""
    right = (answers == pile.labels).float()
    return {group: 100 * right[groups == group].mean().item() for group in groups.unique().tolist()}


def _searched(searched: Sequence[Sequence[Fitted]], fitted: Sequence[Fitted]) -> Tabled:
    rows = [
        (str(tried[0].choice), *(f"{one.validation:.1f}" for one in tried), f"{mean(one.validation for one in tried):.1f}",
         sum(one.choice == tried[0].choice for one in fitted))
        for tried in zip(*searched, strict=True)
    ]  # fmt: skip
    columns = ("network", *(f"fold {number}" for number in range(len(searched))), "mean", "times chosen")
    return Tabled(
        "search",
        columns,
        rows,
        "Accuracy in per cent on the works that validate, which are neither trained on nor tested in that fold. In every fold the network with the highest is the one that is tested; test works play no part in it.",
    )


def _judge(pile: Pile, folds: Tensor, settings: Settings, answers: Tensor) -> Iterator[Event]:
    given = {"graph attention": answers}
    for name, see in RIVALS.items():
        given[name] = torch.zeros_like(answers)
        for parts in _parts(folds, settings.folds):
            given[name][parts[2]] = regress(pile, see, parts)
    given["most frequent composer"] = torch.zeros_like(answers)
    for train, _, test in _parts(folds, settings.folds):
        given["most frequent composer"][test] = pile.labels[train].mode().values
    rows = []
    tests = {name: _by_group(pile, folds, found) for name, found in given.items()}
    for name, found in given.items():
        score = macro_f1(pile.labels, found, len(COMPOSERS))
        spread = torch.tensor(list(tests[name].values())).std().item()
        rows.append((name, f"{mean(tests[name].values()):.1f} ± {spread:.1f}", f"{score:.3f}"))
        for fold, value in tests[name].items():
            yield Measured(f"{name}: accuracy, %", value, fold)
        yield Measured(f"{name}: macro F1", score)
    yield Tabled(
        "accuracy",
        ("what answers", "accuracy, %", "macro F1"),
        rows,
        "Accuracy: mean ± standard deviation over the folds. Macro F1: over all scraps, each composer counted alike. The histogram sees twelve numbers, the averages all that describes a note, and neither sees which notes belong together.",
    )
    for name in RIVALS:
        yield Compared(
            f"graph attention minus {name}, points",
            ("graph attention", name),
            tests["graph attention"],
            tests[name],
        )
    lead = difference(tests["graph attention"], tests["pitch histogram"])
    yield Measured("lead over the histogram / its spread over folds", lead.mean / max(lead.spread, 1e-9))
    yield Drawn("confusion", draw_confusion(confusion(pile.labels, answers, len(COMPOSERS))), CONFUSION)


def _leak(
    pile: Pile, folds: Tensor, settings: Settings, session: Session, fitted: Sequence[Fitted], answers: Tensor
) -> Iterator[Event]:
    """The same networks on folds that tear works apart."""
    mixed = fold_by_scrap(pile, settings.folds, session.seed)
    torn = _given(pile, mixed, _again(pile, mixed, settings, session, fitted))
    names = {work: number for number, work in enumerate(sorted(set(pile.works)))}
    works = torch.tensor([names[work] for work in pile.works])
    first, second = (_by_group(pile, works, given) for given in (torn, answers))
    yield Compared(
        "folds by scrap minus folds by work, points, work by work", ("by scrap", "by work"), first, second
    )


def _relations(
    pile: Pile, folds: Tensor, settings: Settings, session: Session, fitted: Sequence[Fitted], answers: Tensor
) -> Iterator[Event]:
    """What is lost without a relation: taken away after training, and from the start."""
    whole, models = _by_group(pile, folds, answers), [one.model for one in fitted]
    taken: dict[str, Mapping[int, float]] = {}
    for relation, name in enumerate(RELATIONS):
        cut = without(pile, {relation})
        taken[f"{name}, after training"] = _tested(cut, folds, models)
        if settings.retrained:
            taken[f"{name}, from the start"] = _tested(
                cut, folds, _again(cut, folds, settings, session, fitted)
            )
    bare = without(pile, set(range(len(RELATIONS))))
    taken["all, from the start"] = _tested(bare, folds, _again(bare, folds, settings, session, fitted))
    for name, tests in taken.items():
        yield Compared(f"without {name}, minus whole, points", (f"without {name}", "whole"), tests, whole)
    yield Drawn(
        "relations", draw_changes(whole, taken, "accuracy minus that of the whole network, points"), LOSSES
    )


def _again(
    pile: Pile, folds: Tensor, settings: Settings, session: Session, fitted: Sequence[Fitted]
) -> list[RelationalGAT]:
    """The chosen networks, trained on another pile or other folds."""
    return [
        _fit(pile, parts, one.choice, settings, session.seed).model
        for one, parts in zip(fitted, _parts(folds, settings.folds), strict=True)
    ]


def _given(pile: Pile, folds: Tensor, models: Sequence[RelationalGAT]) -> Tensor:
    """The answer for each scrap by the network that was not trained on its fold."""
    answers = torch.zeros_like(pile.labels)
    for model, (_, _, test) in zip(models, _parts(folds, len(models)), strict=True):
        answers[test] = _answers(model, [pile.graphs[i] for i in test])
    return answers


def _tested(pile: Pile, folds: Tensor, models: Sequence[RelationalGAT]) -> dict[int, float]:
    return _by_group(pile, folds, _given(pile, folds, models))


def _said(pile: Pile) -> str:
    counts = ", ".join(
        f"{name}: {len({scrap.work for scrap in pile.scraps if scrap.composer == name})} works and {sum(scrap.composer == name for scrap in pile.scraps)} scraps"
        for name in COMPOSERS
    )
    return f"Scores of the corpus of music21, read from its wheel. {counts}."


def _roll(pile: Pile, folds: Tensor, model: RelationalGAT):
    """The scrap of the first fold of which the network is surest, and where its first layer looks."""
    test = (folds == 0).nonzero().flatten().tolist()
    model.eval()
    with torch.no_grad():
        scores = model(union([pile.graphs[i] for i in test])).softmax(1)
        sure = scores[torch.arange(len(test)), pile.labels[test]]
        chosen = test[int(sure.argmax())]
        weights = model.weights(pile.graphs[chosen])[0].mean(0)
    return draw_roll(pile.scraps[chosen], pile.graphs[chosen].edges, weights)


CONFUSION = "Each row is a composer (in brackets: scraps), each column an answer; numbers are per cent of the row, over all folds. The diagonal is right, all else a confusion: look which pairs go both ways."
LOSSES = "What accuracy is lost when edges are taken away. Grey: one fold each; blue: the mean and its 95 % interval. 'After training' takes the edges from a network that was trained with them; 'from the start' trains it anew without them (all relations: a network that sees notes alone)."
ROLL = "The test scrap of which the network was surest, as a piano roll: time to the right, pitch upwards, a bar for each note. Bright notes are regarded much by others in the first layer, dark ones little. Arrows, coloured by relation, lead from a note to one that regards it far more than its other neighbours of that relation: the thirty edges that exceed an equal share the most."

EXPERIMENT = Experiment(
    chapter="graphs",
    question="The scores went through a shredder: whose is a scrap of 50 notes?",
    answers=(18, 19, 20),
    method="""Scores of six composers, from the corpus of music21, are cut into scraps of 50 successive notes. A scrap
        becomes a graph: a note is a node (pitch class, octave, duration relative to the scrap's median, onset,
        voice), and five relations join notes: same onset, during, following, after a rest, same voice. Every
        relation is listed both ways round.

        The network has layers of graph attention in which each relation has its own map and its own softmax, then the
        mean and the maximum over the notes and two linear maps. The number of layers is searched in every fold, on
        its validating works; dropout, rate and the maximum were settled in trials before, by the same works' mean
        accuracy: every work validates in one fold and is tested in another, which flatters a little (the full preset
        searches dropout and rate inside each fold). A composer is not a key: whenever a scrap is trained on it is
        moved up or down by up to six semitones (`--set transposed=0` shows what that is worth; it was added after a
        first run without it, whose lead over the histogram was no larger than its spread).

        The works are dealt into five folds: one is tested, the next validates, the others train. All scraps of a
        work are in one fold: a network that has seen other scraps of a quartet can know its key, its theme and its
        texture without knowing Mozart. What that leak is worth is measured by dealing scraps instead of works.

        Rivals: the most frequent composer, a softmax regression on the histogram of pitch classes, and one on the
        mean and spread of all that describes a note. They have the same folds, and their penalty is chosen on the
        same validating works. Differences are taken fold by fold; that between the two ways of dealing, whose folds
        are not the same, work by work.""",
    see="""Far more is right than by the most frequent composer or by pitches alone. The averages of notes are the
        harder rival: what lies above them, if anything, is what the relations bring. Folds by scrap flatter. Each
        composer has few works here, and the folds differ much: the intervals say what is settled and what is not.""",
    correction="""Document 000 gives neither its scores nor how they were split. These are other scores; that all of
        Palestrina's come from one editor and all of Ciconia's from another is a leak that folds by work cannot
        close, which is why durations are taken relative to the scrap's median.""",
    claims=(
        Claim(
            name="graph attention minus pitch histogram, points",
            low=0.0,
            why="the network sees pitches too, and durations, voices and relations beside them",
            source="document 000, 5",
        ),
        Claim(
            name="lead over the histogram / its spread over folds",
            low=1.0,
            why="a lead smaller than the spread over folds would not be worth the network",
            source="this experiment",
        ),
        Claim(
            name="graph attention minus averages of notes, points",
            low=0.0,
            why="relations tell which notes belong together",
            source="document 000, 5",
        ),
        Claim(
            name="without all, from the start, minus whole, points",
            high=0.0,
            why="the relations carry what notes alone do not",
            source="document 000, 5",
        ),
        Claim(
            name="folds by scrap minus folds by work, points, work by work",
            low=0.0,
            why="scraps of one work share key, theme and texture",
            source="this experiment",
        ),
    ),
    presets={"quick": Settings(), "full": Settings(files=300, most=16, epochs=30, depths=(1, 2, 3), dropouts=(0.0, 0.2), rates=(0.005, 0.01), retrained=True)},
    seconds=35,
    run=run,
)  # fmt: skip
