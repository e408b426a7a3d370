import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.files import Damaged, Format, OtherFormat, contents, write

NOTE = Format("note", 2, "write it again", early=("text", "by"))


def failing(number: int):
    def fail(*words, **more):
        raise OSError(number, os.strerror(number))

    return fail


def test_a_file_is_replaced_whole_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    write(place, "old")
    write(place, b"new")
    assert place.read_text() == "new" and list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_fails_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch, call: str) -> None:
    place = tmp_path / "a.txt"
    write(place, "old")
    monkeypatch.setattr(os, call, failing(errno.ENOSPC))
    with pytest.raises(RegardError):
        write(place, "new")
    assert place.read_text() == "old" and list(tmp_path.iterdir()) == [place]


def test_a_full_disk_is_told_with_its_bytes(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    with pytest.raises(RegardError) as caught:
        write(tmp_path / "a.txt", "x")
    assert caught.value.what == "the disk is full" and caught.value.got.endswith("bytes free")


def test_a_read_only_place_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("builtins.open", failing(errno.EROFS))
    with pytest.raises(RegardError) as caught:
        write(tmp_path / "a.txt", "x")
    assert (
        str(caught.value)
        == f"this place cannot be written\n  got: {tmp_path / 'a.txt'}\n  fix: choose another folder, or change its permissions"
    )


def test_a_page_is_read_back_with_its_keys_as_json_has_them(tmp_path: Path) -> None:
    place = tmp_path / "note.json"
    write(place, NOTE.page({10: (1, 2), 9: float("inf"), "ß": None}))
    assert NOTE.read(place) == {"10": [1, 2], "9": float("inf"), "ß": None}


@pytest.mark.parametrize(
    ("version", "age"), [(0, "an older"), (1, "an older"), (3, "a newer"), (10**30, "a newer")]
)
def test_a_page_of_another_version_is_refused_in_three_lines(tmp_path: Path, version: int, age: str) -> None:
    place = tmp_path / "note.json"
    write(place, replace(NOTE, version=version).page({}))
    with pytest.raises(OtherFormat) as caught:
        NOTE.read(place)
    assert str(caught.value) == (
        f"this note was written by {age} version of regard\n"
        f"  got: {place}: format {version}, this version reads 2\n  fix: write it again"
    )


def test_a_page_from_before_there_were_versions_is_an_older_one(tmp_path: Path) -> None:
    place = tmp_path / "note.json"
    write(place, json.dumps({"text": "so", "by": "me", "more": 1}))
    with pytest.raises(OtherFormat, match="an older version"):
        NOTE.read(place)


def test_a_page_without_its_fields_is_damaged(tmp_path: Path) -> None:
    place, strict = tmp_path / "note.json", replace(NOTE, fields=("text",))
    for body in ({}, {"a": 1}, [], None, "text"):
        write(place, NOTE.page(body))
        with pytest.raises(Damaged, match=r"note\.json lacks what such a page has"):
            strict.read(place)


def test_a_page_of_another_kind_is_damaged(tmp_path: Path) -> None:
    place = tmp_path / "note.json"
    write(place, replace(NOTE, name="letter").page({}))
    with pytest.raises(Damaged, match=r"note\.json is a page of another kind"):
        NOTE.read(place)


@pytest.mark.parametrize(
    "content", [b"", b"null", b"[]", b"{}", b"7", b'"a"', b"\xff\xfe", b"[" * 10**5, b'{"text": "so"}']
)
def test_what_is_no_page_is_damaged(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "note.json"
    place.write_bytes(content)
    with pytest.raises(Damaged):
        NOTE.read(place)


def test_every_cut_of_a_page_is_seen(tmp_path: Path) -> None:
    place, page = tmp_path / "note.json", NOTE.page({"text": "so"})
    for at in range(len(page)):
        place.write_text(page[:at])
        with pytest.raises(Damaged):
            NOTE.read(place)


def test_a_file_of_the_wrong_size_is_not_read(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_bytes(b"123")
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
    with pytest.raises(Damaged, match="file has 3 bytes, not 4"):
        contents(tmp_path / "file", 4)
