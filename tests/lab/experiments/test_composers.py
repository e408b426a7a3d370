"""The experiment on invented composers: folds, search, rivals, and every claim measured."""

from pathlib import Path

import pytest
import torch

from regard.data.music import COMPOSERS, Scrap
from regard.data.music_notes import TICKS, Notes
from regard.errors import Unreachable
from regard.lab.events import Compared, Drawn, Event, Measured, Tabled
from regard.lab.experiment import Session
from regard.lab.experiments import composers
from regard.lab.experiments.composers import EXPERIMENT, Choice, Settings, run
from regard.lab.scraps import Pile, fold_by_work, graph_of, pitch_histogram, regress


def scrap_of(place: int, work: int, one: int) -> Scrap:
    """Composers differ in how many of their notes start together, which no histogram of pitches can see."""
    generator = torch.Generator().manual_seed(1000 * place + 10 * work + one)
    pitch = torch.randint(48, 72, (17,), generator=generator)
    onset = (torch.arange(17) // (1 + place % 3)) * TICKS
    length = torch.full((17,), TICKS * (1 + place // 3))
    return Scrap(COMPOSERS[place], f"op{work}", "score", Notes(pitch, onset, length, torch.arange(17) % 2))


def invented(files: int | None, *, notes: int, most: int) -> Pile:
    scraps = [scrap_of(place, work, one) for place in range(6) for work in range(5) for one in range(3)]
    labels = torch.tensor([COMPOSERS.index(scrap.composer) for scrap in scraps])
    return Pile(scraps, [graph_of(scrap) for scrap in scraps], labels)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    patch = pytest.MonkeyPatch()
    patch.setattr(composers, "load_pile", invented)
    settings = Settings(folds=3, epochs=2, depths=(1, 2), heads=(1,))
    try:
        return list(run(settings, Session(folder=tmp_path_factory.mktemp("run"))))
    finally:
        patch.undo()


@pytest.mark.slow
def test_every_claim_is_measured(events: list[Event]) -> None:
    there = {one.name for one in events if isinstance(one, Measured | Compared)}
    assert {claim.name for claim in EXPERIMENT.claims} <= there


def test_the_network_sees_what_a_histogram_cannot() -> None:
    pile = invented(None, notes=17, most=3)
    parts = next(composers._parts(fold_by_work(pile, 3, 0), 3))
    fitted = composers._fit(
        pile, parts, Choice(depth=1, heads=2, dropout=0.0, rate=0.01), Settings(epochs=60), 0
    )
    found = composers._answers(fitted.model, [pile.graphs[i] for i in parts[2]])
    assert (found == pile.labels[parts[2]]).float().mean() >= 0.6
    assert (regress(pile, pitch_histogram, parts) == pile.labels[parts[2]]).float().mean() <= 0.4


@pytest.mark.slow
def test_the_search_takes_the_highest_on_validation(events: list[Event]) -> None:
    (table,) = (one for one in events if isinstance(one, Tabled) and one.name == "search")
    assert sum(row[-1] for row in table.rows) == 3
    columns = [[float(row[1 + fold]) for row in table.rows] for fold in range(3)]
    first = sum(column[0] >= column[1] for column in columns)
    assert table.rows[0][-1] == first, "the first of equals is taken"


@pytest.mark.slow
def test_the_most_frequent_composer_is_a_sixth(events: list[Event]) -> None:
    found = [
        one.value
        for one in events
        if isinstance(one, Measured) and one.name == "most frequent composer: accuracy, %"
    ]
    assert sum(found) / len(found) == pytest.approx(100 / 6, abs=5)


@pytest.mark.slow
def test_each_relation_is_taken_away(events: list[Event]) -> None:
    names = {one.name for one in events if isinstance(one, Compared) and one.name.startswith("without")}
    assert len(names) == 6


@pytest.mark.slow
def test_figures_are_drawn(events: list[Event]) -> None:
    assert {one.name for one in events if isinstance(one, Drawn)} == {"confusion", "relations", "attention"}


def test_parts_of_a_fold_do_not_meet_and_cover_all() -> None:
    folds = torch.tensor([0, 1, 2, 0, 1, 2, 2])
    tested = []
    for train, validation, test in composers._parts(folds, 3):
        assert sorted(torch.cat([train, validation, test]).tolist()) == list(range(7))
        tested += test.tolist()
    assert sorted(tested) == list(range(7))


def test_without_scores_the_run_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def away(*_: object, **__: object) -> Pile:
        raise Unreachable("music is not reachable from here", "nothing", "connect to a network")

    monkeypatch.setattr(composers, "load_pile", away)
    with pytest.raises(Unreachable):
        list(run(Settings(), Session(folder=tmp_path)))


def test_quick_parses_at_most_sixty_files() -> None:
    assert EXPERIMENT.presets["quick"].files == 60
