"""Scraps: their graphs, their folds, and the rivals that see no edges."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score

from regard.data.formats.notes import Notes
from regard.data.sets.music import COMPOSERS, Scrap
from regard.experiments.graphs.composers.score_graph import relate
from regard.experiments.graphs.composers.scraps import (
    Part,
    Pile,
    bundle,
    confusion,
    fold_by_scrap,
    fold_by_work,
    graph_of,
    macro_f1,
    note_averages,
    part,
    pile_up,
    pitch_histogram,
    regress,
    without,
)


def scrap_of(composer: str, work: str, seed: int, notes: int = 11) -> Scrap:
    """Notes at random, those of each composer around other pitches."""
    generator = torch.Generator().manual_seed(seed)
    pitch = 50 + 3 * COMPOSERS.index(composer) + torch.randint(0, 5, (notes,), generator=generator)
    onset = torch.randint(0, 7, (notes,), generator=generator).sort().values
    ones = torch.ones(notes, dtype=torch.long)
    return Scrap(composer, work, "score", Notes(pitch, onset, ones, torch.arange(notes) % 3))


def pile_of(works: int = 5, each: int = 3) -> Pile:
    found = [
        scrap_of(composer, f"op{work}", 100 * place + 10 * work + one)
        for place, composer in enumerate(COMPOSERS)
        for work in range(works)
        for one in range(each)
    ]
    return pile_up(found)


def test_a_graph_has_each_relation_both_ways() -> None:
    scrap = scrap_of("Bach", "bwv1", 0)
    graph = graph_of(scrap)
    source, target, relation = (one.tolist() for one in relate(scrap.notes))
    given = set(zip(source, target, relation, strict=True))
    edges = graph.edges
    found = set(zip(edges.source.tolist(), edges.target.tolist(), edges.relation.tolist(), strict=True))
    assert found == given | {(b, a, r) for a, b, r in given}
    assert graph.labels.tolist() == [0]


def test_a_relation_taken_away_leaves_the_others() -> None:
    pile = pile_of(works=1, each=1)
    cut, bare = without(pile, {2}), without(pile, set(range(5)))
    for before, after in zip(pile.graphs, cut.graphs, strict=True):
        assert set(after.edges.relation.tolist()) == set(before.edges.relation.tolist()) - {2}
        assert after.edges.count == int((before.edges.relation != 2).sum())
    assert all(graph.edges.count == 0 for graph in bare.graphs)


@given(st.integers(2, 9), st.integers(1, 4), st.integers(0, 5))
def test_no_work_is_torn_between_folds_and_every_composer_is_dealt_evenly(
    works: int, each: int, seed: int
) -> None:
    silent = Notes(*torch.zeros(4, 1, dtype=torch.long))
    found = [
        Scrap(c, f"op{w}", "s", silent) for c in COMPOSERS[:3] for w in range(works) for _ in range(each)
    ]
    pile = Pile(found, [], torch.zeros(len(found), dtype=torch.long))
    folds = fold_by_work(pile, 3, seed).tolist()
    by_work: dict[str, set[int]] = {}
    for work, fold in zip(pile.works, folds, strict=True):
        by_work.setdefault(work, set()).add(fold)
    assert all(len(one) == 1 for one in by_work.values())
    for composer in COMPOSERS[:3]:
        mine = [next(iter(fold)) for work, fold in by_work.items() if work.startswith(composer)]
        counts = [mine.count(fold) for fold in range(3)]
        assert max(counts) - min(counts) <= 1


def test_works_of_one_name_by_two_composers_are_two_works() -> None:
    assert len(set(pile_of(works=2, each=1).works)) == 2 * len(COMPOSERS)


@pytest.mark.slow
def test_folds_by_scrap_tear_works_apart() -> None:
    pile = pile_of()
    folds = fold_by_scrap(pile, 5, 0)
    assert folds.bincount().tolist() == [18] * 5
    torn = {
        work
        for work in pile.works
        if len({int(f) for f, w in zip(folds, pile.works, strict=True) if w == work}) > 1
    }
    assert torn


def test_bundles_hold_every_scrap_once() -> None:
    pile = pile_of(works=1, each=3)
    found = bundle(pile, range(len(pile.scraps)), 4, seed=1)
    assert [one.graph.graphs for one in found] == [4, 4, 4, 4, 2]
    assert torch.cat([one.graph.labels for one in found]).sort().values.equal(pile.labels)


def test_a_moved_bundle_is_that_of_transposed_scraps() -> None:
    scraps = [scrap_of("Bach", "bwv1", seed) for seed in range(3)]
    labels = torch.zeros(3, dtype=torch.long)
    semitones = torch.tensor([-5, 0, 6])

    def moved(scrap: Scrap, by: int) -> Scrap:
        notes = scrap.notes
        return replace(scrap, notes=replace(notes, pitch=notes.pitch + by))

    higher = [moved(scrap, by) for scrap, by in zip(scraps, semitones.tolist(), strict=True)]
    (one,) = bundle(Pile(scraps, [graph_of(scrap) for scrap in scraps], labels), range(3), 3, seed=0)
    order = torch.randperm(3, generator=torch.Generator().manual_seed(0))
    expected = torch.cat([graph_of(higher[place]).features for place in order])
    assert torch.equal(one.moved(semitones[order]).features, expected)
    assert one.moved(semitones).edges is one.graph.edges


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_f1_and_confusion_are_those_of_sklearn(pairs: list[tuple[int, int]]) -> None:
    truth, answers = torch.tensor(pairs).unbind(1)
    every = list(range(5))
    assert confusion(truth, answers, 5).tolist() == confusion_matrix(truth, answers, labels=every).tolist()
    expected = f1_score(truth, answers, labels=every, average="macro", zero_division=0)
    assert macro_f1(truth, answers, 5) == pytest.approx(expected)


def test_histograms_and_averages_by_hand() -> None:
    table = torch.tensor([[60, 72, 61], [0, 1, 2], [2, 2, 2], [0, 0, 0]])
    scrap = Scrap("Bach", "bwv1", "s", Notes(*table))
    assert pitch_histogram(scrap).tolist() == pytest.approx([2 / 3, 1 / 3, *[0] * 10])
    found = note_averages(scrap)
    assert len(found) == 42 and found[0].item() == pytest.approx(2 / 3) and found[15].item() == 1.0


@given(st.integers(3, 6), st.integers(1, 2), st.integers(0, 5))
def test_what_validates_is_neither_trained_on_nor_tested(count: int, reach: int, seed: int) -> None:
    order = torch.randperm(3 * count, generator=torch.Generator().manual_seed(seed))
    folds = order % count
    parts = part(folds, reach)
    assert torch.cat([one.test for one in parts]).sort().values.tolist() == list(range(3 * count))
    for fold, one in enumerate(parts):
        assert one.test.tolist() == [place for place in range(3 * count) if folds[place] == fold]
        assert sorted([*one.test.tolist(), *one.learn.tolist()]) == list(range(3 * count))
        assert len(one.inner) == min(2 * reach, count - 1)
        validating = [int(folds[scraps].unique()) for _, scraps in one.inner]
        assert len(set(validating)) == len(validating)
        for train, scraps in one.inner:
            assert sorted([*train.tolist(), *scraps.tolist()]) == one.learn.tolist()


@pytest.mark.slow
def test_the_regression_is_that_of_sklearn() -> None:
    pile = pile_of(works=6)
    order = torch.randperm(len(pile.scraps), generator=torch.Generator().manual_seed(0))
    train, validation, test = order[:70], order[70:90], order[90:]
    learn = order[:90]
    x = torch.stack([pitch_histogram(scrap) for scrap in pile.scraps]).double()

    def peer(which: torch.Tensor, penalty: float, asked: torch.Tensor):
        scaled = (x - x[which].mean(0)) / x[which].std(0).clamp(min=1e-6)
        # sklearn weighs the sum of the losses by C where ours weighs their mean against the penalty.
        model = LogisticRegression(C=1 / (penalty * len(which)), max_iter=2000)
        return model.fit(scaled[which], pile.labels[which]).predict(scaled[asked])

    def right(penalty: float) -> float:
        return (peer(train, penalty, validation) == pile.labels[validation].numpy()).mean()

    best = max((1e-3, 1e-2, 1e-1), key=right)
    found = regress(pile, pitch_histogram, [Part(test, learn, [(train, validation)])])
    assert (found[test].numpy() == peer(learn, best, test)).mean() >= 0.94


@pytest.mark.slow
def test_the_regression_of_a_fold_knows_nothing_of_its_composers() -> None:
    pile = pile_of(works=3)
    parts = part(fold_by_work(pile, 3, 0), reach=1)
    labels = pile.labels.clone()
    labels[parts[0].test] = (labels[parts[0].test] + 1) % len(COMPOSERS)
    clean, wrong = (regress(one, pitch_histogram, parts) for one in (pile, replace(pile, labels=labels)))
    assert torch.equal(clean[parts[0].test], wrong[parts[0].test])
    assert not torch.equal(clean, wrong), "in the other folds it learns from them"
