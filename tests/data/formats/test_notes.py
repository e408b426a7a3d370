"""Notes: their order, their ticks, and ties."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.formats.notes import TICKS, Notes, Sheet, Unreadable


def rows(notes: Notes) -> list[tuple[int, ...]]:
    columns = (notes.pitch, notes.onset, notes.length, notes.voice)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_notes_are_sorted_by_onset_and_from_high_to_low_and_voices_by_height() -> None:
    sheet = Sheet()
    sheet.add("bass", 48, Fraction(0), Fraction(2))
    sheet.add("treble", 72, Fraction(1), Fraction(1))
    sheet.add("bass", 50, Fraction(1), Fraction(1, 3))
    assert rows(sheet.notes()) == [
        (48, 0, 2 * TICKS, 1),
        (72, TICKS, TICKS, 0),
        (50, TICKS, TICKS // 3, 1),
    ]


def test_tied_notes_are_one_note() -> None:
    sheet = Sheet()
    for onset, tied in ((0, (False, True)), (1, (True, True)), (2, (True, False)), (3, (False, False))):
        sheet.add("v", 60, Fraction(onset), Fraction(1), tied=tied)
    assert rows(sheet.notes()) == [(60, 0, 3 * TICKS, 0), (60, 3 * TICKS, TICKS, 0)]


def test_a_tie_does_not_reach_over_a_gap_nor_to_another_pitch() -> None:
    sheet = Sheet()
    sheet.add("v", 60, Fraction(0), Fraction(1), tied=(False, True))
    sheet.add("v", 62, Fraction(1), Fraction(1), tied=(True, False))
    sheet.add("v", 60, Fraction(2), Fraction(1), tied=(True, False))
    assert len(sheet.notes()) == 3


@given(st.lists(st.builds(Fraction, st.integers(1, 30), st.integers(1, 13)), min_size=2, max_size=20))
def test_a_note_that_follows_in_the_score_follows_in_ticks(lengths: list[Fraction]) -> None:
    sheet, now = Sheet(), Fraction(0)
    for length in lengths:
        sheet.add("v", 60, now, length)
        now += length
    notes = sheet.notes()
    assert notes.end[:-1].equal(notes.onset[1:]) and abs(int(notes.end[-1]) - now * TICKS) <= Fraction(1, 2)


@pytest.mark.parametrize(
    ("pitch", "length"), [(128, 1), (-1, 1), (60, 0), (60, -1), (60, Fraction(1, 10**13)), (60, 10**7)]
)
def test_impossible_notes_are_refused(pitch: int, length: int | Fraction) -> None:
    with pytest.raises(Unreadable, match=f"a note of pitch {pitch} and length"):
        Sheet().add("v", pitch, Fraction(0), Fraction(length))


def test_a_score_without_notes_is_empty() -> None:
    assert len(Sheet().notes()) == 0
