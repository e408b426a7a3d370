"""`run --seeds N --on WHERE` and `book --on WHERE`, as typed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regard.cli.main import main
from regard.lab.store.runs import Store

OWN = """
import random, time
from dataclasses import dataclass
from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    slow: bool = False
    "Whether all runs but that of seed 0 take ten minutes."

def run(settings, context):
    if settings.slow and context.seed:
        time.sleep(600)
    yield Metric("draw", random.random())

EXPERIMENT = Experiment(
    question="What is drawn?", claims=(Claim("draw", low=0.0, high=1.0, why="so"),),
    presets={"quick": Settings()}, run=run,
)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    (tmp_path / "draw.py").write_text(OWN)
    return "draw.py"


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.slow
def test_seeds_are_runs_of_their_own_summed_up_and_only_missing_ones_are_made_later(capsys, own: str) -> None:
    status, out, err = told(capsys, "run", own, "--seeds", "2", "--on", "1", "--json")
    assert (status, err) == (0, "")
    first = json.loads(out)
    assert list(first["seeds"]) == ["0", "1"] and first["claims"][0]["counts"]["held"] == 2
    status, out, err = told(capsys, "run", own, "--seed", "1", "--seeds", "2", "--on", "1")
    assert (status, err) == (0, "") and out.startswith("1 to run on 1, 1 finished before\n")
    runs = {run.request["seed"]: run for run in Store(Path("runs")).runs()}
    assert sorted(runs) == [0, 1, 2] and runs[1].id == first["seeds"]["1"]
    values = [runs[seed].measured[0].value for seed in (0, 1)]
    assert first["numbers"][0]["mean"] == pytest.approx(sum(values) / 2) and values[0] != values[1]


@pytest.mark.slow
def test_a_run_of_one_seed_is_the_same_by_itself_and_fanned_out(capsys, own: str) -> None:
    assert told(capsys, "run", own, "--seed", "1", "--json")[0] == 0
    alone = Store(Path("runs")).runs()[0]
    status, out, _ = told(capsys, "run", own, "--seed", "1", "--seeds", "1", "--json")
    assert status == 0 and json.loads(out)["seeds"] == {"1": alone.id}, "a finished run is not made again"


@pytest.mark.slow
def test_under_torchrun_the_first_process_alone_fans_out(own: str) -> None:
    """And its workers wait for no group."""
    asks = OWN.replace(
        "    yield", "    with distributed() as group:\n        assert group.world == 1\n    yield"
    )
    Path(own).write_text("from regard.training import distributed\n" + asks)
    words = ["--standalone", "--nproc-per-node", "2", "-m", "regard", "run", own, "--seeds", "2", "--on", "1"]
    around = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "torch.distributed.run", *words]
    done = subprocess.run(command, env=around, timeout=120, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("2 to run on 1") == 1
    assert sorted(run.request["seed"] for run in Store(Path("runs")).runs()) == [0, 1]


@pytest.mark.slow
def test_the_book_is_made_of_runs_of_other_processes(capsys, own: str) -> None:
    names = ("theory-positions", "theory-similarity-axioms")
    status, out, err = told(capsys, "book", "--on", "2", "--json", *names)
    assert (status, err) == (0, ""), err
    made = json.loads(out)
    assert [one["name"] for one in made["runs"]] == list(names) and made["missing"] == []
    pages = Path(made["book"]).parent / "experiments"
    assert all((pages / f"{name}.html").is_file() for name in names)
    assert told(capsys, "book", *names)[1].startswith("0 to run (about 0 s), 2 unchanged")


@pytest.mark.slow
def test_ctrl_c_ends_all_workers_and_what_landed_stays(own: str) -> None:
    words = [sys.executable, "-m", "regard", "run", own, "--seeds", "3", "--on", "2", "--set", "slow=true"]
    around = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    asked = subprocess.Popen(words, env=around, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 120
    while not list(Path("runs").glob("[!.]*")) and time.monotonic() < limit:
        time.sleep(0.05)
    workers = Path(f"/proc/{asked.pid}/task/{asked.pid}/children").read_text().split()
    asked.send_signal(signal.SIGINT)
    _, err = asked.communicate(timeout=60)
    assert (asked.returncode, err) == (130, "stopped; 1 of 3 runs had ended, and are kept\n")
    assert [run.request["seed"] for run in Store(Path("runs")).runs()] == [0]
    while any(Path(f"/proc/{one}").exists() for one in workers) and time.monotonic() < limit:
        time.sleep(0.05)  # one of them is Python's own, which ends by itself
    assert len(workers) >= 2 and not any(Path(f"/proc/{one}").exists() for one in workers)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--on", "2"],
            "--on spreads the runs of several seeds\n  got: --on 2\n  fix: add --seeds, or leave it out\n",
        ),
        (
            ["--seeds", "2", "--resume", "x"],
            "--seeds makes runs of its own\n  got: --resume x\n"
            "  fix: leave out one of them: --seeds goes on with what is missing by itself\n",
        ),
        (
            ["--seeds", "2", "--on", "slurm"],
            "runs go to processes of this machine or to a Ray cluster\n  got: --on slurm\n"
            "  fix: --on 4, --on processes, --on ray, or --on ray:4 for at most four workers\n",
        ),
    ],
)
def test_words_that_make_no_sense_are_told(capsys, own: str, words: list[str], message: str) -> None:
    status, _, err = told(capsys, "run", own, *words)
    assert (status, err) == (2, message) and not Path("runs").exists()


def test_help_says_which_seeds_are_meant(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "make N runs, one for each seed from --seed on" in text and "95 % intervals" in text
    assert (
        "(An experiment's own setting 'seeds', as in --set seeds=3, is how often it repeats itself inside one run.)"
        in text
    )
