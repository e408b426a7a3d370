"""Threads that wait for others; what is told of a stop, and of a mistake by one of several processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli.main import PATIENCE, main


@pytest.mark.parametrize(("company", "policy"), [(False, None), (True, "passive")])
def test_waiting_threads_sleep_where_others_work(company: bool, policy: str | None, monkeypatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setattr("regard.cli.main.busy", lambda: company)
    assert main(["run", "no-such-experiment"]) == 2
    assert os.environ.get("OMP_WAIT_POLICY") == policy
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    assert main(["run", "no-such-experiment"]) == 2
    assert os.environ["OMP_WAIT_POLICY"] == "active"


def test_what_needs_no_threads_does_not_look_for_company(monkeypatch) -> None:
    monkeypatch.setattr("regard.cli.main.busy", lambda: pytest.fail("it looked"))
    assert main(["list"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [(["list"], "stopped\n"), (["run", "one-operator"], "stopped; what was measured is kept\n")],
)
def test_ctrl_c_speaks_of_measurements_only_where_there_are_any(
    words, said: str, capsys, monkeypatch
) -> None:
    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("regard.lab.registry.everything", stop)
    monkeypatch.setattr("regard.lab.registry.find", stop)
    assert main(words) == 130 and capsys.readouterr().err == said


def test_another_process_than_the_first_waits_before_it_tells_of_a_mistake(capsys, monkeypatch) -> None:
    """torchrun ends it meanwhile where the first has made the same; what it alone has seen is told."""
    waited = []
    monkeypatch.setattr("regard.cli.main.busy", lambda: False)
    monkeypatch.setattr("regard.cli.main.time.sleep", waited.append)
    for rank, pauses in (("0", []), ("1", [PATIENCE])):
        monkeypatch.setenv("RANK", rank)
        assert main(["run", "no-such-experiment"]) == 2 and waited == pauses
        assert len(capsys.readouterr().err.splitlines()) == 3


@pytest.mark.slow
def test_under_torchrun_a_mistake_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("a text\n" * 50)
    words = ["--standalone", "--nproc-per-node", "2", "-m", "regard", "train", "mine.txt", "--size", "tiny"]
    around = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "torch.distributed.run", *words]
    done = subprocess.run(
        command, cwd=tmp_path, env=around, timeout=120, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.count("\n  got: ") == 1, done.stderr
    assert not (tmp_path / "runs").exists()
