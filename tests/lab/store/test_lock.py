import errno
import os
import threading
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.lab.store import lock
from regard.lab.store.lock import Lock, held


def test_nobody_holds_a_lock_that_is_not_there(tmp_path: Path) -> None:
    assert not held(tmp_path / "lock")


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    place, (reader, writer) = tmp_path / "lock", os.pipe()
    child = os.fork()
    if child == 0:
        _kept = Lock(place)
        os.write(writer, b"x")
        signal_never_comes = os.pipe()[0]
        os.read(signal_never_comes, 1)
    os.read(reader, 1)
    assert held(place)
    os.kill(child, 9)
    os.waitpid(child, 0)
    assert not held(place)


def test_a_lock_that_is_held_is_refused_in_three_lines(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    kept = Lock(tmp_path / "lock")
    with pytest.raises(RegardError) as caught:
        Lock(tmp_path / "lock")
    fix = "wait for its end, or stop it with Ctrl-C"
    assert str(caught.value) == f"this run is running\n  got: {tmp_path.name}\n  fix: {fix}"
    kept.release()


def test_one_who_only_looks_is_waited_for(tmp_path: Path) -> None:
    looking = Lock(tmp_path / "lock")
    threading.Timer(0.1, looking.release).start()
    Lock(tmp_path / "lock").release()


def test_a_file_system_without_locks_does_not_hold_up(tmp_path: Path, monkeypatch) -> None:
    def none(*words: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(lock.fcntl, "flock", none)
    kept = Lock(tmp_path / "lock")
    assert not held(tmp_path / "lock")
    kept.release()
