"""The experiment on invented composers: folds, search, rivals, and every claim measured."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard.data.formats.notes import TICKS, Notes
from regard.data.sets.music import COMPOSERS, Scrap
from regard.errors import Unreachable
from regard.experiments.graphs.composers import experiment as composers
from regard.experiments.graphs.composers.experiment import EXPERIMENT, Settings, run
from regard.experiments.graphs.composers.score_graph import RELATIONS
from regard.experiments.graphs.composers.scraps import (
    Part,
    Pile,
    fold_by_work,
    part,
    pile_up,
    pitch_histogram,
    regress,
)
from regard.experiments.graphs.composers.search import Choice, Job, SearchGrid, answers, crew, fit
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, TableEvent
from regard.lab.experiment import Context


def scrap_of(place: int, work: int, one: int) -> Scrap:
    """Composers differ in how many of their notes start together, which no histogram of pitches can see."""
    generator = torch.Generator().manual_seed(1000 * place + 10 * work + one)
    pitch = torch.randint(48, 72, (17,), generator=generator)
    onset = (torch.arange(17) // (1 + place % 3)) * TICKS
    length = torch.full((17,), TICKS * (1 + place // 3))
    return Scrap(COMPOSERS[place], f"op{work}", "score", Notes(pitch, onset, length, torch.arange(17) % 2))


def invented(files: int | None, *, notes: int, most: int) -> Pile:
    return pile_up(
        [scrap_of(place, work, one) for place in range(6) for work in range(5) for one in range(3)]
    )


SMALL = Settings(folds=3, candidates=3, grid=SearchGrid(heads=(1,)), trial=2, epochs=2)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    patch = pytest.MonkeyPatch()
    patch.setattr(composers, "load_pile", invented)
    patch.setattr(torch, "get_num_threads", lambda: 1)
    try:
        return list(run(SMALL, Context(folder=tmp_path_factory.mktemp("run"))))
    finally:
        patch.undo()


@pytest.mark.slow
def test_every_claim_is_measured(events: list[Event]) -> None:
    there = {one.name for one in events if isinstance(one, Metric | PairedMetric)}
    assert {claim.name for claim in EXPERIMENT.claims} <= there


@pytest.mark.slow
def test_the_network_sees_what_a_histogram_cannot() -> None:
    pile = invented(None, notes=17, most=3)
    parts = part(fold_by_work(pile, 3, 0), reach=1)
    test, choice = (
        parts[0].test,
        Choice(depth=1, heads=2, dropout=0.0, rate=0.01, readout="mean and maximum", transposed=6),
    )
    model = fit(pile, Job(choice=choice, train=tuple(parts[0].learn.tolist()), epochs=40, seed=0))
    assert (answers(model, pile, test.tolist()) == pile.labels[test]).float().mean() >= 0.6
    assert (regress(pile, pitch_histogram, parts)[test] == pile.labels[test]).float().mean() <= 0.4


@pytest.mark.slow
def test_the_search_takes_the_highest_on_validation(events: list[Event]) -> None:
    (table,) = (one for one in events if isinstance(one, TableEvent) and one.name == "search")
    assert sum(row[-1] for row in table.rows) == 3
    highest = [max(range(3), key=lambda row: float(table.rows[row][1 + fold])) for fold in range(3)]
    assert [row[-1] for row in table.rows] == [highest.count(row) for row in range(3)], "first of equals"


def searched(pile: Pile, parts: list[Part]) -> tuple[list[Choice], TableEvent]:
    """What is chosen for each fold, and the table of the search."""
    with crew(pile, 1) as one:
        search = composers._search(pile, parts, SMALL, 7, one)
        while True:
            try:
                event = next(search)
            except StopIteration as end:
                return end.value, event


@pytest.mark.slow
def test_the_composers_of_tested_works_cannot_move_choice_or_network() -> None:
    """With every answer of the first fold made wrong, what is chosen and trained for it stays to the bit."""
    pile = invented(None, notes=17, most=3)
    parts = part(fold_by_work(pile, 3, 0), reach=1)
    tested = set(parts[0].test.tolist())
    wrong = pile_up(
        [
            replace(one, composer=COMPOSERS[(COMPOSERS.index(one.composer) + 1) % 6])
            if place in tested
            else one
            for place, one in enumerate(pile.scraps)
        ]
    )
    (chosen, table), (poisoned, other) = searched(pile, parts), searched(wrong, parts)
    assert [row[1] for row in table.rows] == [row[1] for row in other.rows] and chosen[0] == poisoned[0]
    assert [row[2:4] for row in table.rows] != [row[2:4] for row in other.rows], "the poison works elsewhere"
    first, second = (
        fit(one, composers._jobs(parts, parts, choices, SMALL, 7)["whole"][0]).state_dict()
        for one, choices in ((pile, chosen), (wrong, poisoned))
    )
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.slow
def test_the_most_frequent_composer_is_a_sixth(events: list[Event]) -> None:
    found = [
        one.value
        for one in events
        if isinstance(one, Metric) and one.name == "most frequent composer: accuracy, %"
    ]
    assert sum(found) / len(found) == pytest.approx(100 / 6, abs=5)


@pytest.mark.slow
def test_each_relation_is_taken_away(events: list[Event]) -> None:
    names = {one.name for one in events if isinstance(one, PairedMetric) and one.name.startswith("without")}
    assert len(names) == 6


@pytest.mark.slow
def test_figures_are_drawn(events: list[Event]) -> None:
    assert {one.name for one in events if isinstance(one, FigureEvent)} == {
        "confusion",
        "relations",
        "attention",
    }


@pytest.mark.slow
def test_what_is_trained_once_chosen_leaves_the_tested_scraps_out() -> None:
    pile = invented(None, notes=17, most=3)
    parts = part(fold_by_work(pile, 3, 0), reach=1)
    choices = [
        Choice(depth=1 + fold, heads=1, dropout=0.0, rate=0.01, readout="mean", transposed=0)
        for fold in range(3)
    ]
    jobs = composers._jobs(parts, parts[::-1], choices, replace(SMALL, retrained=True), 0)
    assert len(jobs) == 3 + len(RELATIONS) and all(len(group) == 3 for group in jobs.values())
    for fold, one in enumerate(parts):
        mine = [group[fold] for name, group in jobs.items() if name != composers.TORN]
        assert all(job.choice == choices[fold] and set(job.train) == set(one.learn.tolist()) for job in mine)
    assert set(jobs[composers.TORN][0].train) == set(parts[2].learn.tolist())
    assert jobs[composers.BARE][0].lost == set(range(len(RELATIONS))) and not jobs["whole"][0].lost
    assert jobs[f"{RELATIONS[2]}, from the start"][0].lost == {2}


def test_without_scores_the_run_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def away(*_: object, **__: object) -> Pile:
        raise Unreachable("music is not reachable from here", "nothing", "connect to a network")

    monkeypatch.setattr(composers, "load_pile", away)
    with pytest.raises(Unreachable):
        list(run(Settings(), Context(folder=tmp_path)))


def test_quick_parses_at_most_sixty_files() -> None:
    assert EXPERIMENT.presets["quick"].files == 60
