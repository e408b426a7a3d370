"""What is inherited, and how strays are found."""

import os
import subprocess
import sys
import time

import pytest

from regard.checker.process.limits import (
    KEPT,
    TOKEN,
    ProcessLimits,
    environment,
    members,
    resident,
    sweep,
    worked,
)


def test_only_named_variables_are_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUD_PASSWORD", "hidden")
    monkeypatch.setenv("LANG", "C.UTF-8")
    kept = environment("/tmp/x", "abc")
    assert "CLOUD_PASSWORD" not in kept
    assert kept["LANG"] == "C.UTF-8"
    assert kept["HOME"] == kept["TMPDIR"] == "/tmp/x"
    assert kept[TOKEN] == "abc"
    extra = {
        "HOME",
        "TMPDIR",
        "MPLBACKEND",
        "OMP_NUM_THREADS",
        TOKEN,
        "PYTHONUSERBASE",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUNBUFFERED",
    }
    assert set(kept) <= {*KEPT, *extra}


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_process_that_left_its_group_is_found_and_ended() -> None:
    environ = os.environ | {TOKEN: "left-its-group"}
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(60)"],
        env=environ,
        start_new_session=True,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    process.stdout.readline()
    assert members("left-its-group") == [process.pid]
    assert resident([process.pid]) > 1 << 20
    assert sweep(process.pid, "left-its-group") == []
    assert process.wait() == -9
    process.stdout.close()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_only_seconds_with_a_processor_are_counted() -> None:
    codes = ("import time; time.sleep(60)", "while True: pass")
    idle, busy = (subprocess.Popen([sys.executable, "-c", code]) for code in codes)
    try:
        until = time.monotonic() + 60
        while worked([busy.pid]) < 1.0 and time.monotonic() < until:
            time.sleep(0.1)
        assert worked([busy.pid]) >= 1.0 > worked([idle.pid])
        assert worked([idle.pid, busy.pid]) >= worked([busy.pid]) >= 1.0
    finally:
        for process in (idle, busy):
            process.kill()
            process.wait()


def test_limits_are_within_reason() -> None:
    assert ProcessLimits().call < ProcessLimits().whole
    assert ProcessLimits().memory < 8 << 30
