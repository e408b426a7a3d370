"""**kern: durations, pitches, ties, columns that split and join; damaged scores are read or refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.formats.kern import read_kern
from regard.data.formats.notes import TICKS, Notes
from regard.errors import RegardError

SCORE = b"""!!!COM: Nobody
**kern\t**text\t**kern
*clefF4\t*\t*clefG2
=1\t=1\t=1
2C\tAh\t[4cc#
.\t.\t8cc#]L
.\t.\t8b-J
!\t!\t! a comment
4r\toh\t16qdd 4e 4g
*\t*\t*^
0AA\tla\t3%2c\t2.d
*-\t*-\t*-\t*-
"""


def quarters(notes: Notes) -> list[tuple[int, float, float]]:
    columns = (notes.pitch, notes.onset / TICKS, notes.length / TICKS)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_score_by_hand() -> None:
    """Bass: half C, quarter rest, breve AA. Treble: c# tied to 1.5, b flat, the chord e g, then two voices."""
    assert quarters(read_kern(SCORE)) == [
        (73, 0.0, 1.5),
        (48, 0.0, 2.0),
        (70, 1.5, 0.5),
        (67, 2.0, 1.0),
        (64, 2.0, 1.0),
        (62, 3.0, 3.0),
        (60, 3.0, pytest.approx(8 / 3, abs=1e-4)),
        (45, 3.0, 8.0),
    ]
    assert read_kern(SCORE).voice.tolist() == [0, 2, 0, 0, 0, 1, 0, 2]


def test_joined_columns_go_on_together() -> None:
    score = b"**kern\n4c\n*^\n4d\t4e\n*v\t*v\n4f\n*-\n"
    assert quarters(read_kern(score)) == [(60, 0, 1), (64, 1, 1), (62, 1, 1), (65, 2, 1)]


@pytest.mark.parametrize(
    ("token", "length"),
    [("4c", 1), ("4.c", 1.5), ("4..c", 1.75), ("1c", 4), ("0c", 8), ("00c", 16), ("12c", 1 / 3), ("2%3c", 6)],
)
def test_lengths(token: str, length: float) -> None:
    assert quarters(read_kern(f"**kern\n{token}\n".encode())) == [(60, 0, pytest.approx(length))]


@pytest.mark.parametrize(
    ("token", "pitch"),
    [("4c", 60), ("4cc", 72), ("4C", 48), ("4CC", 36), ("4B", 59), ("4b", 71), ("4f##", 67), ("4e--", 62)],
)
def test_pitches(token: str, pitch: int) -> None:
    assert read_kern(f"**kern\n{token}\n".encode()).pitch.tolist() == [pitch]


@pytest.mark.parametrize(
    ("score", "got"),
    [
        (b"4c\n", "a line before the columns are named: '4c'"),
        (b"**kern\n4c\t4d\n", "2 columns where there are 1"),
        (b"**kern\nc\n", "a note without a length: 'c'"),
        (b"**kern\n4\n", "a note without a pitch: '4'"),
        (b"**kern\n0%3c\n", "a note without a length: '0%3c'"),
        (b"**kern\n*+\n", "columns added or exchanged by '*+'"),
        (b"**kern\n4gggggg#\n", "a note of pitch 128 and length 1"),
    ],
)
def test_what_cannot_be_read_is_said_in_three_lines(score: bytes, got: str) -> None:
    with pytest.raises(RegardError) as error:
        read_kern(score)
    assert str(error.value) == (
        f"this is no **kern score that can be read\n  got: {got}\n  fix: name a score with **kern columns"
    )


@given(st.binary(max_size=12), st.integers(0, len(SCORE)), st.integers(0, 12))
def test_damaged_scores_are_read_or_refused(noise: bytes, place: int, lost: int) -> None:
    score = SCORE[:place] + noise + SCORE[place + lost :]
    try:
        notes = read_kern(score)
    except RegardError:
        return
    assert bool((notes.length > 0).all() and (notes.pitch >= 0).all() and (notes.onset.diff() >= 0).all())


@given(
    st.lists(
        st.sampled_from(["4c", "*^", "*v", "*-", ".", "\t", "\n", "=", "q", "r", "%0", "[", "_"]), max_size=60
    )
)
def test_lines_of_signs_are_read_or_refused(signs: list[str]) -> None:
    with suppress(RegardError):
        assert bool((read_kern(("**kern\n" + "".join(signs)).encode()).length > 0).all())
