import os
from pathlib import Path

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
