import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli import main
from regard.lab.store import Store

SMALL = [
    "--set",
    "widths=3,5",
    "--set",
    "draws=20",
    "--set",
    "seeds=2",
    "--set",
    "keys=4",
    "--set",
    "queries=3",
]

OWN = """
from dataclasses import dataclass
from regard.claims import Claim
from regard.lab.events import Measured
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    height: float = 2.0

def run(settings, session):
    yield Measured("height", settings.height)

EXPERIMENT = Experiment(
    question="How high?", method="", see="", claims=(Claim(name="height", low=1, high=3, why="so", source="me"),),
    presets={"quick": Settings()}, seconds=1, run=run,
)
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def own(elsewhere: Path) -> str:
    (elsewhere / "my_height.py").write_text(OWN)
    return "my_height.py"


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


def test_a_folder_that_cannot_be_made_is_three_lines(capsys, monkeypatch, elsewhere: Path, own: str) -> None:
    (elsewhere / "file").write_text("")
    monkeypatch.setenv("REGARD_RUNS", "file/runs")
    status, _, err = told(capsys, "run", own)
    assert (
        status == 2
        and err
        == "the file system refused\n  got: file/runs: Not a directory\n  fix: choose another folder\n"
    )


def test_ones_own_experiment_runs_shows_exports_and_compares(capsys, own: str) -> None:
    assert told(capsys, "run", own)[0] == 0
    assert told(capsys, "run", own, "--set", "height=9")[0] == 0
    first, second = Store(Path("runs")).runs()
    status, out, _ = told(capsys, "diff", first.id, second.id, "--json")
    found = {(one["kind"], one["name"]): (one["first"], one["second"]) for one in json.loads(out)}
    assert (
        status == 0
        and found["setting", "height"] == (2.0, 9.0)
        and found["claim", "height"] == ("held", "failed")
    )
    rows = list(csv.DictReader(io.StringIO(told(capsys, "show", first.id, "--csv")[1])))
    assert rows == [{"name": "height", "value": "2.0", "seed": ""}]
    assert "claimed 1 to 3" in told(capsys, "show", "my-height")[1]
    assert [one["state"] for one in json.loads(told(capsys, "list", "--runs", "--json")[1])] == [
        "finished",
        "finished",
    ]


def test_coverage_lists_all_items(capsys) -> None:
    items = json.loads(told(capsys, "list", "--coverage", "--json")[1])
    assert (
        [one["item"] for one in items] == list(range(1, 94))
        and items[22]["owner"] == "scaled-dot-product"
        and items[41]["state"] == "not applicable"
    )


@pytest.mark.slow
def test_the_command_runs_an_experiment_in_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "regard", "run", "scaled-dot-product", *SMALL]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "report.html" in done.stdout, done.stderr
    (run,) = Store(Path("runs")).runs()
    assert run.state == "finished" and run.asked["changes"] == [word for word in SMALL if word != "--set"]
