"""Threads that wait for others; what is told of a stop, and of a mistake by one of several processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli.main import PATIENCE, main

COIN = """
from dataclasses import dataclass
from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    pass

def run(settings, context):
    yield Metric("height", 2.0)

EXPERIMENT = Experiment(
    question="How high?", method="", see="", claims=(Claim(name="height", low=1, high=3, why="so", source="me"),),
    presets={"quick": Settings(), "full": Settings()}, seconds=1, run=run,
)
"""

NONE = "no run was under way, so nothing is left to take up"


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
    [
        (["list"], "stopped\n"),
        (["train", "mine.txt"], f"stopped; {NONE}\n"),
        *((["run", "one-operator", *more], f"stopped; {NONE}\n") for more in ([], ["--seeds", "2"])),
        (["book"], f"stopped; {NONE}\n"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_ctrl_c_before_a_run_is_there_says_that_there_is_none(
    words, said: str, capsys, monkeypatch, tmp_path
) -> None:
    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("REGARD_RUNS", str(tmp_path))
    for place in ("registry.everything", "registry.find", "registry.names", "train.choice.choose"):
        monkeypatch.setattr(f"regard.lab.{place}", stop)
    assert main(words) == 130 and capsys.readouterr().err == said and not any(tmp_path.iterdir())


def test_ctrl_c_twice_in_a_run_says_what_is_kept(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("REGARD_RUNS", str(tmp_path / "runs"))
    twice = "os.kill(os.getpid(), signal.SIGINT); os.kill(os.getpid(), signal.SIGINT)"
    loop = f"    yield Metric('height', 2.0)\n    import os, signal; {twice}\n    yield Metric('height', 2.0)"
    (tmp_path / "coin.py").write_text(COIN.replace('    yield Metric("height", 2.0)', loop))
    assert main(["run", str(tmp_path / "coin.py")]) == 130
    assert capsys.readouterr().err == "stopped; what was measured is kept\n"
    assert len(list((tmp_path / "runs").glob("coin-*"))) == 1


def test_another_process_than_the_first_waits_before_it_tells_of_a_mistake(capsys, monkeypatch) -> None:
    """torchrun ends it meanwhile where the first has made the same; what it alone has seen is told."""
    waited = []
    monkeypatch.setattr("regard.cli.main.busy", lambda: False)
    monkeypatch.setattr("regard.cli.main.time.sleep", waited.append)
    for rank, pauses in (("0", []), ("1", [PATIENCE])):
        monkeypatch.setenv("RANK", rank)
        assert main(["run", "no-such-experiment"]) == 2 and waited == pauses
        assert len(capsys.readouterr().err.splitlines()) == 3


@pytest.mark.parametrize(
    "words",
    [["show", "LONG"], ["generate", "LONG"], ["run", "LONG.py"], ["train", "LONG", "--steps", "1"],
     ["data", "--graph", "LONG"], ["data", "verify", "LONG"], ["start", "gat-layer", "--folder", "LONG"],
     ["book", "--out", "LONG"], ["bench", "--folder", "LONG"], ["check", "LONG.py"]],
    ids=lambda words: " ".join(words[:2]),
)  # fmt: skip
def test_a_name_that_no_file_can_have_is_told_in_three_short_lines(words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("regard.cli.main.busy", lambda: False)
    assert main([word.replace("LONG", 500 * "a") for word in words]) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 3 and len(told) < 800, told


def test_a_file_that_ends_the_program_is_told(tmp_path: Path, capsys, monkeypatch) -> None:
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    monkeypatch.setattr("regard.cli.main.busy", lambda: False)
    assert main(["run", str(tmp_path / "ends.py")]) == 2
    assert "\n  got: sys.exit(3)\n" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="the shell of Unix")
@pytest.mark.parametrize(
    ("script", "code", "told"),
    [
        ("{regard} list --runs > /dev/full", 2, "the output cannot be written"),
        ("{regard} list --json > /dev/full", 2, "the output cannot be written"),
        ("mkdir gone; cd gone; rmdir ../gone; {regard} list", 2, "the folder you stand in is not there"),
        ("{regard} run coin.py > /dev/null; {regard} remove coin <&-", 2, "removing asks first"),
        ("{regard} list >&-", 0, ""),
    ],
)
def test_a_shell_without_what_is_usual_meets_three_lines(script, code, told, tmp_path) -> None:
    (tmp_path / "coin.py").write_text(COIN)
    around = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "REGARD_RUNS": str(tmp_path / "runs")}
    whole = script.format(regard=f"'{sys.executable}' -m regard")
    done = subprocess.run(
        ["sh", "-c", whole], cwd=tmp_path, env=around, capture_output=True, text=True, check=False
    )
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    assert (len(done.stderr.splitlines()) == 3 and done.stderr.startswith(told)) or not told, done.stderr


def test_a_reader_that_goes_away_is_no_mistake(tmp_path: Path) -> None:
    around = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "REGARD_RUNS": str(tmp_path / "runs")}
    script = f"'{sys.executable}' -m regard list | true"
    done = subprocess.run(["sh", "-c", script], env=around, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


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
