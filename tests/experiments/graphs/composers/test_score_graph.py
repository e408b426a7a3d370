"""A scrap as a graph: five relations by hand and against loops; what describes a note."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.formats.notes import TICKS, Notes
from regard.experiments.graphs.composers.score_graph import FEATURES, RELATIONS, describe, relate

ONE = st.tuples(st.integers(36, 84), st.integers(0, 12), st.integers(1, 5), st.integers(0, 2))


def notes_of(rows: list[tuple[int, int, int, int]]) -> Notes:
    """Pitch, onset, length and voice of each note, in any order."""
    table = torch.tensor(sorted(rows, key=lambda row: (row[1], -row[0])))
    return Notes(*table.unbind(1))


def edges_of(notes: Notes) -> set[tuple[int, str, int]]:
    source, target, relation = (one.tolist() for one in relate(notes))
    return {(a, RELATIONS[r], b) for a, b, r in zip(source, target, relation, strict=True)}


def slowly(notes: Notes) -> set[tuple[int, str, int]]:
    """The relations, pair by pair as they are defined."""
    onset, end, voice = notes.onset.tolist(), notes.end.tolist(), notes.voice.tolist()
    every, found = range(len(onset)), set()
    for a in every:
        for b in every:
            if a != b and onset[a] == onset[b]:
                found.add((a, "same onset", b))
            if onset[a] < onset[b] < end[a]:
                found.add((a, "during", b))
            if end[a] == onset[b]:
                found.add((a, "following", b))
            if end[a] < onset[b] and not any(end[a] <= onset[c] < onset[b] for c in every):
                found.add((a, "after a rest", b))
            later = [onset[c] for c in every if voice[c] == voice[a] and onset[c] > onset[a]]
            if later and voice[b] == voice[a] and onset[b] == min(later):
                found.add((a, "same voice", b))
    return found


def test_four_notes_by_hand() -> None:
    """A long bass note under two short ones, all silent for a beat, then one more."""
    notes = notes_of([(48, 0, 2, 1), (72, 0, 1, 0), (74, 1, 1, 0), (76, 3, 1, 0)])
    assert edges_of(notes) == {
        (0, "same onset", 1),
        (1, "same onset", 0),
        (1, "during", 2),
        (0, "following", 2),
        (1, "after a rest", 3),
        (2, "after a rest", 3),
        (0, "same voice", 2),
        (2, "same voice", 3),
    }


@given(st.lists(ONE, min_size=1, max_size=13))
def test_the_relations_are_those_of_the_loops(rows: list[tuple[int, int, int, int]]) -> None:
    notes = notes_of(rows)
    assert edges_of(notes) == slowly(notes)


@given(st.lists(ONE, min_size=2, max_size=13), st.integers(1, 1000))
def test_a_later_start_changes_neither_edges_nor_features(rows: list, delay: int) -> None:
    notes = notes_of(rows)
    late = Notes(notes.pitch, notes.onset + delay, notes.length, notes.voice)
    assert edges_of(late) == edges_of(notes) and torch.equal(describe(late), describe(notes))


@given(st.lists(ONE, min_size=2, max_size=13), st.integers(2, 7))
def test_the_note_value_of_the_beat_does_not_show(rows: list, factor: int) -> None:
    notes = notes_of(rows)
    slow = Notes(notes.pitch, notes.onset * factor, notes.length * factor, notes.voice)
    assert edges_of(slow) == edges_of(notes)
    torch.testing.assert_close(describe(slow), describe(notes))


def test_features_by_hand() -> None:
    """Middle C for a quarter, then the B flat above it for a half, an octave and a seventh higher: voice 0 and 9."""
    notes = notes_of([(60, 0, TICKS, 0), (60, TICKS, TICKS, 0), (82, 2 * TICKS, 4 * TICKS, 9)])
    found = describe(notes)
    assert found.shape == (3, FEATURES)
    first, last = torch.zeros(FEATURES), torch.zeros(FEATURES)
    first[0] = first[15] = 1.0
    last[10], last[12], last[13], last[14], last[20] = 1.0, 0.5, 1.0, 1.0, 1.0
    assert torch.equal(found[0], first) and torch.equal(found[2], last)


def test_notes_that_all_start_together_have_no_span() -> None:
    assert describe(notes_of([(60, 5, 2, 0), (64, 5, 2, 0)])).isfinite().all()
