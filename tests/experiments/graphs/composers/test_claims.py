"""Every claim on the network that tells composers apart fails where what it speaks of is another."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import Tensor

from regard.data.formats.notes import TICKS, Notes
from regard.data.sets.music import COMPOSERS, Scrap
from regard.experiments.graphs.composers import experiment as composers
from regard.experiments.graphs.composers import formula
from regard.experiments.graphs.composers.claims import CONTEMPORARIES, FORMULA, KNOWS, LEAD
from regard.experiments.graphs.composers.confusions import BORN, CENTURY
from regard.experiments.graphs.composers.experiment import EXPERIMENT, Settings
from regard.experiments.graphs.composers.scraps import Pile, fold_by_work, part, pile_up, regress
from regard.experiments.graphs.composers.search import build
from saboteurs import Plant, Saboteur, covers, fails, small, without_figures

SCRAPS = 3
"Scraps of each invented work."


def scrap_of(place: int, work: int, one: int) -> Scrap:
    """Composers differ in the length of their notes."""
    generator = torch.Generator().manual_seed(1000 * place + 10 * work + one)
    pitch = torch.randint(48, 72, (9,), generator=generator)
    length = torch.full((9,), TICKS * (1 + place))
    return Scrap(
        COMPOSERS[place], f"op{work}", "score", Notes(pitch, torch.arange(9) * TICKS, length, torch.zeros(9).long())
    )  # fmt: skip


def invented(files: int | None, *, notes: int, most: int) -> Pile:
    return pile_up(
        [scrap_of(place, work, one) for place in range(6) for work in range(5) for one in range(SCRAPS)]
    )


@contextmanager
def untrained(pile: Pile, workers: int) -> Iterator[composers.Fit]:
    """Networks as they are built: what they answer is told by `able` and the saboteurs."""
    yield lambda jobs: (build(job.choice).eval() for job in jobs)


@cache
def rival(see) -> Tensor:
    """The answers of a rival to the invented scraps, once for all saboteurs."""
    pile = invented(None, notes=9, most=SCRAPS)
    settings = Settings()
    folds = fold_by_work(pile, settings.folds, composers.DEALT)
    return regress(pile, see, part(folds, settings.reach))


def regressed(pile: Pile, see, parts) -> Tensor:
    return rival(see)


def answering(give) -> Plant:
    """Networks that answer as told."""
    return lambda patch: patch.setattr(composers, "answers", lambda model, pile, which: give(pile, which))


def able(pile: Pile, which: Sequence[int]) -> Tensor:
    """What a network that has learned something says.

    It takes a scrap in three for one of the same time, two without edges, and none where it has seen others of their work.
    """
    years = torch.tensor([float(BORN[name]) for name in COMPOSERS])
    apart = (years[:, None] - years).abs().fill_diagonal_(torch.inf)
    nearest = torch.where(apart.min(1).values <= CENTURY, apart.argmin(1), torch.arange(len(years)))
    confused = 0 if is_torn(pile, which) else 1 if has_edges(pile) else 2
    truth = pile.labels[which]
    return torch.where(torch.tensor(which) % SCRAPS < confused, nearest[truth], truth)


def has_edges(pile: Pile) -> bool:
    return any(graph.edges.count for graph in pile.graphs)


def is_torn(pile: Pile, which: Sequence[int]) -> bool:
    """Whether of some work not all scraps are asked about."""
    asked = [pile.works[place] for place in which]
    return any(asked.count(work) < pile.works.count(work) for work in asked)


def wrong(pile: Pile, which: Sequence[int]) -> Tensor:
    return (pile.labels[which] + 1) % len(COMPOSERS)


def of_another_time(pile: Pile, which: Sequence[int]) -> Tensor:
    """The composer born the most years before or after."""
    years = torch.tensor([float(BORN[name]) for name in COMPOSERS])
    return (years[pile.labels[which], None] - years).abs().argmax(1)


def wrong_with_edges(pile: Pile, which: Sequence[int]) -> Tensor:
    return wrong(pile, which) if has_edges(pile) else pile.labels[which]


def wrong_on_torn_works(pile: Pile, which: Sequence[int]) -> Tensor:
    """Right where all scraps of a work are asked about, wrong where some are."""
    return wrong(pile, which) if is_torn(pile, which) else pile.labels[which]


SABOTEURS = {
    "a network that is always wrong": Saboteur(
        answering(wrong),
        {
            KNOWS,
            "graph attention minus pitch histogram, points",
            "graph attention minus averages of notes, points",
            LEAD,
        },
    ),
    "a network that takes one time for another": Saboteur(answering(of_another_time), {CONTEMPORARIES}),
    "a network that edges lead astray": Saboteur(
        answering(wrong_with_edges), {"without all, from the start, minus whole, points"}
    ),
    "a network that fails on torn works": Saboteur(
        answering(wrong_on_torn_works), {"folds by scrap minus folds by work, points, work by work"}
    ),
    "a formula with another activation": Saboteur(
        lambda patch: patch.setattr(formula.F, "leaky_relu", lambda x, slope: x.relu()), {FORMULA}
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_what_is_measured_otherwise_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, composers)
    monkeypatch.setattr(composers, "load_pile", invented)
    monkeypatch.setattr(composers, "crew", untrained)
    monkeypatch.setattr(composers, "regress", regressed)
    answering(able)(monkeypatch)
    settings = Settings(candidates=1, trial=1, epochs=1)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
