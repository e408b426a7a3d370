"""A file is its bytes: nothing else passes for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard.data.fetch.catalogue import Entry
from regard.data.fetch.origin import digest
from regard.data.fetch.web import NotReached, Patience

BODY = b"once upon a time"


def test_a_hash_is_the_known_one(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    # The first example of FIPS 180-2.
    assert digest(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_only_the_very_bytes_pass_for_the_file(tmp_path: Path, known: Callable[..., Entry]) -> None:
    file, path = known(BODY).file, tmp_path / "tales.txt"
    assert file.name == "tales.txt"
    assert not file.is_at(path)
    for other in (b"", BODY[:-1], BODY + b" ", BODY.replace(b"time", b"tide")):
        path.write_bytes(other)
        assert not file.is_at(path)
    path.write_bytes(BODY)
    assert file.is_at(path)
    assert not file.is_at(tmp_path)


def test_an_address_brings_the_file(
    server: Any, tmp_path: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    entry = known(BODY, server.plan("/tales", server.send(BODY)))
    assert entry.origins[0].bring(entry.file, tmp_path, haste, None).read_bytes() == BODY


def test_wrong_bytes_are_asked_for_once_more(
    server: Any, tmp_path: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    wrong = server.send(BODY.replace(b"time", b"tide"))
    entry = known(BODY, server.plan("/tales", wrong, server.send(BODY)))
    assert entry.origins[0].bring(entry.file, tmp_path, haste, None).read_bytes() == BODY
    assert len(server.asked) == 2

    entry = known(BODY, server.plan("/tales", wrong))
    with pytest.raises(NotReached) as raised:
        entry.origins[0].bring(entry.file, tmp_path, haste, None)
    assert str(raised.value) == (
        f"{server.host} sent other bytes: sha256 3bf0c5db47ea… instead of 71cfe6daff67…"
    )


def test_a_file_that_changes_between_two_halves_is_asked_for_from_the_start(
    server: Any, tmp_path: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    older = server.send(b"ONCE UPON a time", upto=5)
    entry = known(BODY, server.plan("/tales", older, server.send(BODY)))
    assert entry.origins[0].bring(entry.file, tmp_path, haste, None).read_bytes() == BODY
    assert [headers.get("Range") for _, headers in server.asked] == [None, "bytes=5-", None]
