"""MusicXML: chords, voices, ties, measures; entities are refused, damaged scores are read or refused."""

import io
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.data.formats import musicxml as music_xml
from regard.data.formats.musicxml import read_musicxml
from regard.data.formats.notes import TICKS, Notes
from regard.errors import RegardError

DOCTYPE = '<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 1.1 Partwise//EN" "http://127.0.0.1:9/x.dtd">'


def note(pitch: str, duration: int | str, inside: str = "", voice: int = 1) -> str:
    step, alter, octave = pitch[0], pitch[1:-1].count("#") - pitch[1:-1].count("b"), pitch[-1]
    return (
        f"<note>{inside}<pitch><step>{step}</step><alter>{alter}</alter><octave>{octave}</octave></pitch>"
        f"<duration>{duration}</duration><voice>{voice}</voice></note>"
    )


def score(*measures: str, head: str = DOCTYPE) -> bytes:
    inside = "".join(f"<measure>{one}</measure>" for one in measures)
    part = f"<part id='P1'>{inside.replace('<measure>', '<measure><attributes><divisions>2</divisions></attributes>', 1)}</part>"
    return f'<?xml version="1.0"?>{head}<score-partwise>{part}</score-partwise>'.encode()


def zipped(content: bytes, name: str = "score.xml") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/container.xml", f'<container><rootfile full-path="{name}"/></container>')
        archive.writestr("part.xml", "<not-this-one/>")
        archive.writestr(name, content)
    return buffer.getvalue()


WHOLE = score(
    note("C4", 2) + note("E4", 2, "<chord/>") + note("F#4", 2) + "<backup><duration>4</duration></backup>"
    "<forward><duration>1</duration></forward>" + note("C3", 1, voice=2),
    note("G4", 4, '<tie type="start"/>'),
    note("G4", 2, '<notations><tied type="stop"/></notations>')
    + "<note><rest/><duration>1</duration></note>"
    + note("Bb3", 1),
)


def quarters(notes: Notes) -> list[tuple[int, float, float, int]]:
    columns = (notes.pitch, notes.onset / TICKS, notes.length / TICKS, notes.voice)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("form", [bytes, zipped, lambda text: text.decode().encode("utf-16")])
def test_a_score_by_hand(form: Callable[[bytes], bytes]) -> None:
    """A chord, a second voice written after a backup, a measure that its first voice ends, a tie over a bar."""
    assert quarters(read_musicxml(form(WHOLE))) == [
        (64, 0.0, 1.0, 0),
        (60, 0.0, 1.0, 0),
        (48, 0.5, 0.5, 1),
        (66, 1.0, 1.0, 0),
        (67, 2.0, 3.0, 0),
        (58, 5.5, 0.5, 0),
    ]


def test_grace_cue_and_unpitched_notes_do_not_sound_but_all_but_grace_notes_take_time() -> None:
    grace = "<note><grace/><pitch><step>C</step><octave>4</octave></pitch></note>"
    unpitched = "<note><unpitched/><duration>2</duration></note>"
    assert quarters(read_musicxml(score(grace + note("C4", 2, "<cue/>") + unpitched + note("D4", 2)))) == [
        (62, 2.0, 1.0, 0)
    ]


def test_parts_start_together_and_count_their_own_divisions() -> None:
    one = f"<part><measure><attributes><divisions>1</divisions></attributes>{note('C5', 1)}</measure></part>"
    two = f"<part><measure><attributes><divisions>3</divisions></attributes>{note('C4', 1)}</measure></part>"
    found = read_musicxml(f"<score-partwise>{one}{two}</score-partwise>".encode())
    assert quarters(found) == [(72, 0, 1, 0), (60, 0, pytest.approx(1 / 3), 1)]


LAUGHS = '<!DOCTYPE score-partwise [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
FILE = '<!DOCTYPE score-partwise [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
PARAMETER = '<!DOCTYPE score-partwise [<!ENTITY % a SYSTEM "http://127.0.0.1:9/a"> %a;]>'


def refused(got: str) -> str:
    fix = "name a partwise score, as .xml, .musicxml or .mxl"
    return f"this is no MusicXML score that can be read\n  got: {got}\n  fix: {fix}"


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (score(note("C4", 1), head=LAUGHS), "the entity 'a' declared inside the score"),
        (score(note("C4", 1), head=FILE), "the entity 'a' declared inside the score"),
        (score(note("C4", 1), head=PARAMETER), "the entity 'a' declared inside the score"),
        (b"<score-timewise/>", "<score-timewise> instead of <score-partwise>"),
        (b"", "ExpatError: no element found: line 1, column 0"),
        (score(note("C4", "2x")), "'2x' where a number should be"),
        (score(note("C4", "9" * 5000)), "'" + "9" * 40 + "' where a number should be"),
        (score(note("H4", 2)), "a note called 'H' in octave '4'"),
        (score("<attributes><divisions>0</divisions></attributes>"), "'0' divisions of a quarter note"),
        (score(note("C4", 0)), "a note of pitch 60 and length 0"),
        (
            score("<backup><duration>1</duration></backup>"),
            "time that goes back before the beginning, or is cut too fine",
        ),
        (
            b"<score-partwise><part><note><duration>1</duration></note></part></score-partwise>",
            "a note without a length, or before its part says how many divisions a beat has",
        ),
        (zipped(WHOLE, '"'), "an archive that does not say which member is the score"),
        (
            zipped(WHOLE).replace(b"score.xml", b"other.xml", 1),
            "BadZipFile: File name in directory 'score.xml' and header b'other.xml' differ.",
        ),
        (b"PK\x03\x04", "BadZipFile: File is not a zip file"),
    ],
    # An archive holds the time at which it was made: it is no name for a test.
    ids=lambda value: value if isinstance(value, str) else "score",
)
def test_what_cannot_be_read_is_said_in_three_lines(content: bytes, got: str) -> None:
    with pytest.raises(RegardError) as error:
        read_musicxml(content)
    assert str(error.value) == refused(got)


def test_a_score_that_unpacks_to_too_much_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(music_xml, "LARGEST", 500)
    with pytest.raises(RegardError, match="a member that unpacks to more than 500 bytes"):
        read_musicxml(zipped(WHOLE))


def check(content: bytes) -> None:
    try:
        notes = read_musicxml(content)
    except RegardError:
        return
    assert bool((notes.length > 0).all() and (notes.pitch >= 0).all() and (notes.onset.diff() >= 0).all())


@given(st.binary(max_size=12), st.integers(0, len(WHOLE)), st.integers(0, 12))
def test_damaged_scores_are_read_or_refused(noise: bytes, place: int, lost: int) -> None:
    check(WHOLE[:place] + noise + WHOLE[place + lost :])


PACKED = zipped(WHOLE)


@given(st.binary(max_size=4), st.integers(2, len(PACKED)), st.integers(0, 4))
def test_damaged_archives_are_read_or_refused(noise: bytes, place: int, lost: int) -> None:
    check(PACKED[:place] + noise + PACKED[place + lost :])


@given(st.lists(st.sampled_from([
    note("C4", 1), note("D5", 3, "<chord/>"), "<backup><duration>2</duration></backup>", "</measure><measure>", "<note>",
    "</note>", "<divisions>7</divisions>", "<duration>1</duration>", "<tie/>", "</part><part>",
]), max_size=12))  # fmt: skip
def test_elements_in_any_order_are_read_or_refused(pieces: list[str]) -> None:
    check(score("".join(pieces)))
