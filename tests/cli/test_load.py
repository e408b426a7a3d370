"""Company is noticed when it is there, and not for what it was a minute ago."""

import subprocess
import sys

import pytest

from regard.cli import load

TEXT = "cpu {} 0 0 {} {}\ncpu0 0 0\ncpu1 0 0\nintr 5\n"


@pytest.mark.parametrize(
    ("worked", "idle", "waited", "cores"),
    [(0, 30, 0, 0.0), (15, 15, 0, 1.0), (30, 0, 0, 2.0), (10, 0, 10, 1.0)],
)
def test_cores_at_work_are_counted(worked: int, idle: int, waited: int, cores: float) -> None:
    assert load.at_work(TEXT.format(7, 9, 3), TEXT.format(7 + worked, 9 + idle, 3 + waited)) == cores


def test_nothing_that_passed_is_nothing_at_work() -> None:
    assert load.at_work(TEXT.format(7, 9, 3), TEXT.format(7, 9, 3)) == 0.0


@pytest.mark.skipif(not load.COUNTERS.is_file(), reason="no counters here")
def test_a_process_that_spins_is_noticed() -> None:
    code = "print(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as spinning:
        try:
            assert spinning.stdout is not None
            spinning.stdout.readline()
            assert load.busy()
        finally:
            spinning.kill()


@pytest.mark.parametrize(("minute", "found"), [(0.1, False), (2.0, True)])
def test_without_counters_the_last_minute_tells(monkeypatch, tmp_path, minute: float, found: bool) -> None:
    monkeypatch.setattr(load, "COUNTERS", tmp_path / "none")
    monkeypatch.setattr(load.os, "getloadavg", lambda: (minute, 0.0, 0.0))
    assert load.busy() is found
