import errno
import os
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.files import write


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
