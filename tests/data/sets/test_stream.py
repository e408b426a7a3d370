"""Texts piece by piece: what `read_text` gives and refuses, for every size of a piece."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from regard.data.fetch.catalogue import Entry
from regard.data.sets import text
from regard.data.sets.stream import stream_source, stream_text
from regard.data.sets.text import load_text, read_text
from regard.errors import RegardError

TEXTS = {
    "plain": b"to be\nor not",
    "mark": b"\xef\xbb\xbfto be",
    "ends": b"a\r\nb\rc\n\r\n\r",
    "alphabets": "Жили-были 道可道 né 𝄞\n".encode() * 3,
}


@pytest.mark.parametrize("size", [3, 4, 5, 7, 2**20])
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("packed", [False, True])
def test_the_pieces_are_the_text(tmp_path: Path, name: str, size: int, packed: bool) -> None:
    content = TEXTS[name]
    (tmp_path / "t.txt").write_bytes(gzip.compress(content, mtime=0) if packed else content)
    found = list(stream_text(tmp_path / "t.txt", size))
    assert "".join(found) == read_text(tmp_path / "t.txt").characters and all(found)
    assert "".join(stream_source(str(tmp_path / "t.txt"))) == "".join(found)


WRONG = {
    "empty": b"",
    "blanks": b" \n \n",
    "binary": b"\x7fELF\0\0",
    "latin": b"caf\xe9 au lait",
    "half": "né".encode()[:-1],
    "torn": gzip.compress(b"to be or not to be" * 99, mtime=0)[:-20],
    "damaged": gzip.compress(b"to be", mtime=0)[:12] + b"\xff" * 9,
}


@pytest.mark.parametrize("size", [8, 2**20])
@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_text_is_refused_in_the_same_words(tmp_path: Path, name: str, size: int) -> None:
    (tmp_path / "t.txt").write_bytes(WRONG[name])
    with pytest.raises(RegardError) as expected:
        read_text(tmp_path / "t.txt")
    with pytest.raises(RegardError) as caught:
        list(stream_text(tmp_path / "t.txt", 2**20 if name == "damaged" else size))
    assert caught.value.what == expected.value.what and caught.value.fix == expected.value.fix
    if name in ("binary", "latin", "half"):
        assert caught.value.got == expected.value.got


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="the text cannot be read"):
        list(stream_text(tmp_path / "nothing"))


def test_a_known_text_is_streamed_by_its_name(
    known: Callable[..., Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tale = known(b"once\r\nupon", name="grimm", path="tale.txt")
    (tmp_path / "tale.txt").write_bytes(b"once\r\nupon")
    monkeypatch.setenv("REGARD_DATA", str(tmp_path))
    monkeypatch.setattr(text, "entry", lambda name: tale)
    assert "".join(stream_source("grimm")) == load_text("grimm").characters == "once\nupon"
