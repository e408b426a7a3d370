"""The search among networks: what is drawn, what a training looks at, many trainings at a time."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.formats.notes import TICKS, Notes
from regard.data.sets.music import COMPOSERS, Scrap
from regard.experiments.graphs.composers.scraps import Pile, fold_by_work, part, pile_up
from regard.experiments.graphs.composers.search import (
    Choice,
    Job,
    SearchGrid,
    answers,
    answers_apart,
    build,
    crew,
    draw,
    fit,
    trials,
    validate,
)
from regard.models.graph.relational import RelationalGAT

CHOICE = Choice(depth=1, heads=1, dropout=0.2, rate=0.01, readout="mean and maximum", transposed=6)


def scrap_of(place: int, work: int) -> Scrap:
    generator = torch.Generator().manual_seed(10 * place + work)
    pitch, onset = torch.randint(48, 72, (7,), generator=generator), torch.arange(7) // (1 + place) * TICKS
    return Scrap(
        COMPOSERS[place], f"op{work}", "score", Notes(pitch, onset, torch.full((7,), TICKS), pitch % 2)
    )


@pytest.fixture(scope="module")
def pile() -> Pile:
    return pile_up([scrap_of(place, work) for place in range(3) for work in range(5)])


def poisoned(pile: Pile, which: list[int]) -> Pile:
    """The same notes, those of some scraps by a composer who is not theirs."""
    wrong = {place: COMPOSERS[(int(pile.labels[place]) + 1) % len(COMPOSERS)] for place in which}
    return pile_up(
        [replace(one, composer=wrong.get(place, one.composer)) for place, one in enumerate(pile.scraps)]
    )


def same(one: RelationalGAT, other: RelationalGAT) -> bool:
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(first, second) for first, second in pairs)


@pytest.mark.slow
@given(st.integers(1, 20), st.integers(0, 5))
def test_candidates_come_from_the_grid_and_none_comes_twice(count: int, seed: int) -> None:
    grid = SearchGrid()
    every = product(grid.depths, grid.heads, grid.dropouts, grid.rates, grid.readouts, grid.transposed)
    drawn = draw(grid, count, seed)
    assert {tuple(vars(one).values()) for one in drawn} <= set(every)
    assert 1 <= len(drawn) == len(set(drawn)) <= count
    assert drawn == draw(grid, count, seed)


@pytest.mark.parametrize("seed", range(5))
def test_the_values_of_the_grid_are_equally_frequent(seed: int) -> None:
    drawn = draw(SearchGrid(depths=tuple(range(18))), 18, seed)
    assert len(drawn) == 18, "no two are equal where every depth comes once"
    assert Counter(one.dropout for one in drawn) == {0.0: 6, 0.2: 6, 0.5: 6}
    assert Counter(one.readout for one in drawn) == {"mean": 9, "mean and maximum": 9}


def test_other_seeds_draw_other_candidates() -> None:
    assert len({tuple(draw(SearchGrid(), 6, seed)) for seed in range(10)}) == 10


def test_each_choice_has_its_network() -> None:
    wide = build(replace(CHOICE, depth=3, heads=2, dropout=0.5))
    assert len(wide.layers) == 3 and wide.layers[0].heads == 2 and wide.dropout == 0.5
    assert wide.inner.in_features == 2 * build(replace(CHOICE, heads=2, readout="mean")).inner.in_features


def test_a_choice_says_what_it_is() -> None:
    assert (
        str(CHOICE)
        == "1 layer, 1 heads, dropout 0.2, rate 0.01, mean and maximum, moved by up to 6 semitones"
    )
    assert str(replace(CHOICE, depth=2, transposed=0)).startswith("2 layers") and "not moved" in str(
        replace(CHOICE, transposed=0)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"choice": replace(CHOICE, transposed=0)},
        {"choice": replace(CHOICE, rate=0.003)},
        {"seed": 2},
        {"epochs": 3},
        {"lost": frozenset({0})},
        {"train": tuple(range(5))},
    ],
)
def test_equal_jobs_give_equal_networks_and_others_do_not(pile: Pile, change: dict) -> None:
    job = Job(choice=CHOICE, train=tuple(range(6)), epochs=2, seed=1)
    first = fit(pile, job)
    assert same(first, fit(pile, job)) and not first.training
    assert not same(first, fit(pile, replace(job, **change)))


def test_a_training_looks_at_its_own_scraps_alone(pile: Pile) -> None:
    job = Job(choice=CHOICE, train=(0, 1, 5, 6, 10, 11), epochs=2, seed=0)
    others = [place for place in range(len(pile.scraps)) if place not in job.train]
    assert same(fit(pile, job), fit(poisoned(pile, others), job))
    assert not same(fit(pile, job), fit(poisoned(pile, [0]), job)), "the poison works where it is looked at"


def test_only_scraps_apart_from_the_training_are_answered(pile: Pile) -> None:
    job = Job(choice=CHOICE, train=tuple(range(12)), epochs=1, seed=0)
    model = fit(pile, job)
    found = answers_apart(model, pile, job)
    assert found.tolist() == [*[-1] * 12, *answers(model, pile, [12, 13, 14]).tolist()]


def test_two_folds_that_validate_for_one_another_share_a_training(pile: Pile) -> None:
    parts = part(fold_by_work(pile, 5, 0), reach=2)
    ((*by_part,),) = trials(parts, [CHOICE], 1, 0)
    assert [len(jobs) for jobs in by_part] == [4] * 5
    assert len({job for jobs in by_part for job in jobs}) == 10, "as many as there are pairs of folds"


def test_validation_by_hand(pile: Pile) -> None:
    """A network that is right wherever a fold validates for the first, and wrong elsewhere."""
    folds = fold_by_work(pile, 5, 0)
    parts = part(folds, reach=1)
    tried = trials(parts, [CHOICE, replace(CHOICE, depth=2)], 1, 0)
    beside = (folds == 1) | (folds == 4)
    right = torch.where(beside, pile.labels, -1)
    jobs = {
        job: right if job.choice == CHOICE else pile.labels for row in tried for one in row for job in one
    }
    found = validate(pile, parts, tried, jobs)
    # Beside fold 1 there are 0 and 2, beside fold 2 there are 1 and 3, and so on.
    assert found[0].tolist() == [100.0, 0.0, 50.0, 50.0, 0.0]
    assert found[1].tolist() == [100.0] * 5


@pytest.mark.slow
def test_processes_give_what_one_alone_gives(pile: Pile) -> None:
    jobs = [
        Job(choice=CHOICE, train=tuple(range(9)), epochs=2, seed=3),
        Job(choice=replace(CHOICE, depth=2, readout="mean"), train=(1, 4, 8), epochs=2, seed=3),
        Job(choice=CHOICE, train=tuple(range(9)), epochs=2, seed=3, lost=frozenset(range(5))),
    ]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with crew(pile, 2) as several, crew(pile, 1) as alone:
            assert all(same(a, b) for a, b in zip(several(jobs), alone(jobs), strict=True))
            (again,) = several(jobs[:1])
            assert same(again, fit(pile, jobs[0]))
    finally:
        torch.set_num_threads(threads)
