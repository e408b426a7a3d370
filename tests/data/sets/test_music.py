"""Scores: which are chosen, what a work is, what the cache keeps, and how they are shredded."""

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.fetch.catalogue import entry
from regard.data.fetch.download import find
from regard.data.fetch.folders import cache_folder
from regard.data.formats.notes import Notes
from regard.data.sets import music
from regard.data.sets.music import COMPOSERS, SHELVES, Score, choose, load_scores, shred
from regard.errors import RegardError

PARTS = b"<part><measure><attributes><divisions>1</divisions></attributes>%s</measure></part>"
NOTE = b"<note><pitch><step>%c</step><octave>4</octave></pitch><duration>1</duration></note>"
NAMES = (
    "bach/bwv1.6.mxl", "bach/bwv1.7.mxl", "bach/bwv20.7.mxl", "beethoven/opus18no1/movement1.mxl", "trecento/PMFC_24_1-Gloria.xml",
    "monteverdi/madrigal.3.1.mxl", "monteverdi/madrigal.3.1_old.mxl", "mozart/k80/movement1.mxl", "palestrina/Agnus.krn",
    "palestrina/Kyrie.krn", "haydn/opus1no1/movement1.mxl",
)  # fmt: skip


def content_of(name: str) -> bytes:
    if name.endswith(".krn"):
        return f"!!!OPR: Missa Papae \r\n**kern\n4c\n4{name[11].lower().replace('k', 'e')}\n".encode()
    steps = b"".join(NOTE % letter for letter in name.upper().encode() if letter in b"ABCDEFG")
    return b"<score-partwise>" + PARTS % steps + b"</score-partwise>"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: Path) -> Path:
    """A small corpus in the shape of the real one, given by a person; a cache of its own."""
    packed, folder, real = io.BytesIO(), tmp_path / "given", entry("music")
    folder.mkdir()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in NAMES:
            archive.writestr(f"music21/corpus/{name}", content_of(name))
    content = packed.getvalue()
    (folder / real.file.path).write_bytes(content)
    file = replace(real.file, sha256=hashlib.sha256(content).hexdigest(), size=len(content))
    monkeypatch.setenv("REGARD_DATA", str(folder))
    monkeypatch.setattr(music, "entry", lambda name: replace(real, file=file))
    return cache_folder() / "notes"


@pytest.mark.usefixtures("corpus")
def test_scores_know_their_composer_and_their_work() -> None:
    assert [(score.composer, score.work, score.name) for score in load_scores()] == [
        ("Bach", "bwv1", "bach/bwv1.6.mxl"),
        ("Bach", "bwv20", "bach/bwv20.7.mxl"),
        ("Bach", "bwv1", "bach/bwv1.7.mxl"),
        ("Beethoven", "opus18no1", "beethoven/opus18no1/movement1.mxl"),
        ("Ciconia", "PMFC_24_1", "trecento/PMFC_24_1-Gloria.xml"),
        ("Monteverdi", "madrigal.3.1", "monteverdi/madrigal.3.1.mxl"),
        ("Mozart", "k80", "mozart/k80/movement1.mxl"),
        ("Palestrina", "Missa Papae", "palestrina/Agnus.krn"),
        ("Palestrina", "Missa Papae", "palestrina/Kyrie.krn"),
    ]


@pytest.mark.usefixtures("corpus")
def test_a_few_scores_are_as_many_of_each_composer() -> None:
    assert [score.composer for score in load_scores(6)] == list(COMPOSERS)


@pytest.mark.usefixtures("corpus")
def test_fewer_scores_than_composers_are_refused() -> None:
    with pytest.raises(RegardError) as error:
        load_scores(5)
    assert str(error.value) == "every composer needs a score\n  got: files=5\n  fix: files=6 or more"


def test_parsed_notes_come_from_the_cache_the_second_time(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_scores()
    monkeypatch.setattr(music, "read_musicxml", lambda content: pytest.fail("parsed again"))
    monkeypatch.setattr(music, "read_kern", lambda content: pytest.fail("parsed again"))
    for before, after in zip(first, load_scores(), strict=True):
        assert torch.equal(before.notes.pitch, after.notes.pitch)
        assert torch.equal(before.notes.onset, after.notes.onset)


def test_a_damaged_or_hostile_cache_is_parsed_anew(corpus: Path) -> None:
    expected = [score.notes.pitch.tolist() for score in load_scores()]
    for place, file in enumerate(sorted(corpus.rglob("*.npz"))):
        whole = file.read_bytes()
        file.write_bytes((whole[:100], b"", b"\x80\x04cos\nsystem\n", whole[::-1])[place % 4])
    assert [score.notes.pitch.tolist() for score in load_scores()] == expected


def test_other_readers_have_a_cache_of_their_own(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_scores()
    monkeypatch.setattr(music, "_readers", lambda: "other")
    load_scores()
    assert len(list(corpus.iterdir())) == 2


def test_without_a_place_to_keep_notes_they_are_parsed_all_the_same(corpus: Path) -> None:
    corpus.parent.mkdir(parents=True, exist_ok=True)
    corpus.write_text("in the way")
    assert len(load_scores()) == 9


@given(
    st.dictionaries(st.text("abc123", min_size=1, max_size=4), st.sampled_from("uvwxyz"), max_size=20),
    st.integers(1, 25),
)
def test_a_choice_covers_as_many_works_as_it_can(works: dict[str, str], most: int) -> None:
    chosen = choose(works, most)
    assert len(chosen) == len(set(chosen)) == min(most, len(works))
    covered, there = {works[name] for name in chosen}, set(works.values())
    assert len(covered) == min(len(there), most)


def test_a_few_of_many_works_are_spread_over_all() -> None:
    assert choose({f"{work}1": work for work in "abcdef"}, 3) == ["a1", "c1", "e1"]


def score_of(notes: int) -> Score:
    table = torch.arange(notes)
    return Score("Bach", "bwv1", "x", Notes(table % 128, table, torch.ones_like(table), table * 0))


def test_scraps_are_successive_notes_that_do_not_overlap() -> None:
    scraps = shred(score_of(17), notes=5)
    assert [scrap.notes.onset.tolist() for scrap in scraps] == [
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [10, 11, 12, 13, 14],
    ]
    assert {(scrap.composer, scrap.work) for scrap in scraps} == {("Bach", "bwv1")}


def test_a_few_scraps_are_spread_over_the_score() -> None:
    assert [int(scrap.notes.onset[0]) for scrap in shred(score_of(40), notes=4, most=3)] == [0, 12, 24]


def test_a_score_that_is_too_short_gives_no_scrap() -> None:
    assert shred(score_of(4), notes=5) == []


@pytest.mark.slow
def test_the_real_corpus_gives_five_works_of_every_composer() -> None:
    if find(entry("music")) is None:
        pytest.skip("the scores are not on this machine")
    scores = load_scores(60)
    for shelf in SHELVES:
        mine = [score for score in scores if score.composer == shelf.composer]
        assert len(mine) == 10 and len({score.work for score in mine}) >= 5
        assert all(len(score.notes) >= 50 for score in mine)
        assert all(
            24 <= int(score.notes.pitch.min()) <= int(score.notes.pitch.max()) <= 108 for score in mine
        )
