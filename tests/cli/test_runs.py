import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from regard.cli.main import main
from regard.lab.store.runs import Store

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
import os
import signal
from dataclasses import dataclass
from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    height: float = 2.0

def run(settings, context):
    yield Metric("height", settings.height)
    if settings.height == 7:
        os.kill(os.getpid(), signal.SIGINT)
        yield Metric("more", 1.0)
    if settings.height == 8:
        raise KeyError("so")

EXPERIMENT = Experiment(
    question="How high?", method="", see="", claims=(Claim(name="height", low=1, high=3, why="so", source="me"),),
    presets={"quick": Settings()}, seconds=1, run=run,
)
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    return tmp_path


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


@pytest.fixture
def own(elsewhere: Path) -> str:
    (elsewhere / "my_height.py").write_text(OWN)
    return "my_height.py"


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


@pytest.mark.slow
def test_the_command_runs_an_experiment_in_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "regard", "run", "scaled-dot-product", *SMALL]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "report.html" in done.stdout, done.stderr
    (run,) = Store(Path("runs")).runs()
    assert run.state == "finished" and run.request["changes"] == [word for word in SMALL if word != "--set"]


def ran(capsys, own: str, *words: str) -> str:
    """Run it and give the id of the run."""
    before = {run.id for run in Store(Path("runs")).runs()}
    told(capsys, "run", own, *words)
    (new,) = {run.id for run in Store(Path("runs")).runs()} - before
    return new


def test_a_run_is_named_by_its_id_its_beginning_its_end_its_folder_and_its_name(capsys, own: str) -> None:
    one = ran(capsys, own)
    for word in (one, one[:-3], one[-6:], f"runs/{one}", f"./runs/{one}/", str(Path("runs", one).resolve()), "my-height", "my_height"):  # fmt: skip
        status, out, err = told(capsys, "show", word, "--json")
        assert (status, err, json.loads(out)["id"]) == (0, "", one), word


def test_a_beginning_of_several_ids_is_told_with_the_ids(capsys, own: str) -> None:
    first, second = ran(capsys, own), ran(capsys, own)
    status, _, err = told(capsys, "show", "my-hei")
    fix = f"give more of it; the newest are {first}, {second}"
    assert (status, err) == (2, f"2 runs begin like that\n  got: 'my-hei'\n  fix: {fix}\n")


def test_a_folder_that_is_no_run_is_told(capsys, elsewhere: Path) -> None:
    status, _, err = told(capsys, "show", f"{elsewhere}/")
    assert (status, err) == (2, f"no run in that folder\n  got: '{elsewhere}'\n  fix: name the folder of a run: it holds run.json\n")  # fmt: skip


def test_a_name_means_the_newest_run_that_finished_and_measured(capsys, own: str) -> None:
    good = ran(capsys, own)
    ran(capsys, own, "--set", "height=8")
    ran(capsys, own, "--set", "height=7")
    assert json.loads(told(capsys, "show", "my-height", "--json")[1])["id"] == good
    rows = list(csv.DictReader(io.StringIO(told(capsys, "show", "my-height", "--csv")[1])))
    assert [row["value"] for row in rows] == ["2.0"]


def test_a_copy_of_a_run_changes_nothing(capsys, own: str) -> None:
    ran(capsys, own)
    later = ran(capsys, own, "--set", "height=2.5")
    first = Store(Path("runs")).runs()[0]
    shutil.copytree(first.path, first.path.with_name("zz-copy"))
    os.utime(first.path.with_name("zz-copy") / "run.json", (4e9, 4e9))
    assert json.loads(told(capsys, "show", "my-height", "--json")[1])["id"] == later


STOP = ("--set", "height=7")


def test_a_stopped_run_is_taken_up_by_its_name_and_by_no_other_experiment(capsys, own: str) -> None:
    one = ran(capsys, own, *STOP)
    before = Path("runs", one, "log.jsonl").read_bytes()
    assert told(capsys, "run", "theory-positions", "--resume", one) == (
        2,
        "",
        f"this run belongs to another experiment\n  got: {one}, to be taken up by theory-positions\n  fix: name its own experiment: my-height\n",
    )
    assert Path("runs", one, "log.jsonl").read_bytes() == before
    status, out, _ = told(capsys, "run", own, "--resume", "my-height")
    assert status == 130 and out.startswith("nothing was saved on its way: it begins anew\n")


def test_a_run_is_not_taken_up_with_changed_code_unless_that_is_accepted(capsys, own: str) -> None:
    one = ran(capsys, own, *STOP)
    Path(own).write_text(Path(own).read_text().replace("== 7", "== 70"))
    status, _, err = told(capsys, "run", own, "--resume", one)
    assert (status, err) == (
        2,
        "this run was begun with other code\n  got: my_height.py\n  fix: start anew without --resume, or go on all the same with --accept code\n",
    )
    status, _, err = told(capsys, "run", own, "--resume", one, "--accept", "code")
    assert (status, err) == (0, "")
    (run,) = Store(Path("runs")).runs()
    (said,) = run.said
    assert run.state == "finished" and said.text == "code: my_height.py"
    assert said.name in (run.path / "report.html").read_text()
    assert f"{said.name}: code: my_height.py" in " ".join(told(capsys, "show", one)[1].split())


def test_a_run_is_not_taken_up_with_other_settings(capsys, own: str) -> None:
    one = ran(capsys, own, *STOP)
    Path(own).write_text(Path(own).read_text().replace("height: float = 2.0", "height: float = 2.0\n    depth: int = 3"))  # fmt: skip
    status, _, err = told(capsys, "run", own, "--resume", one, "--accept", "code")
    assert (status, err) == (2, "this run was begun with other settings\n  got: depth=None is now 3\n  fix: start anew without --resume\n")  # fmt: skip


def test_a_run_goes_on_on_another_device_and_on_nothing_else(capsys, own: str) -> None:
    text = Path(own).read_text()
    device = text.replace(
        "height: float = 2.0", "height: float = 2.0\n    device: Annotated[str, Device()] = 'cpu'"
    )
    Path(own).write_text(f"from typing import Annotated\nfrom regard.lab.ranges import Device\n{device}")
    one = ran(capsys, own, *STOP)
    status, _, err = told(capsys, "run", own, "--resume", one, "--set", "height=2")
    assert (status, err) == (2, "a run is taken up as it was, on any device\n  got: --set height=2\n  fix: set device\n")  # fmt: skip
    assert told(capsys, "run", own, "--resume", one, "--set", "device=cpu:0")[0] == 130
    (run,) = Store(Path("runs")).runs()
    assert [said.text for said in run.said] == ["device: device=cpu is now cpu:0"]
    Path(own).write_text(text)
    other = ran(capsys, own, *STOP)
    status, _, err = told(capsys, "run", own, "--resume", other, "--set", "device=cpu:0")
    assert (status, err) == (2, "a run is taken up as it was, on any device\n  got: --set device=cpu:0\n  fix: leave --set out: this one has no device\n")  # fmt: skip


def test_a_run_is_not_taken_up_with_changed_data(capsys, own: str) -> None:
    text = (
        Path(own).read_text().replace("height: float = 2.0", "height: float = 2.0\n    text: str = 'a.txt'")
    )
    Path(own).write_text(text)
    Path("a.txt").write_text("to be")
    one = ran(capsys, own, *STOP)
    Path("a.txt").write_text("not to be")
    status, _, err = told(capsys, "run", own, "--resume", one)
    assert (status, err) == (2, "this run was begun with other data\n  got: the file a.txt\n  fix: start anew without --resume\n")  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--resume", "x", "--seed", "0"], "--seed has no effect with --resume\n  got: --resume x\n  fix: leave it out: the run has settings and a seed of its own\n"),
        (["--resume", "x", "--preset", "quick"], "--preset has no effect with --resume\n  got: --resume x\n  fix: leave it out: the run has settings and a seed of its own\n"),
        (["--accept", "code"], "--accept has no effect without --resume\n  got: --accept code\n  fix: leave it out\n"),
        (["--set", "height=nan"], "the setting 'height' is out of range\n  got: nan\n  fix: give a number from 0 to 1,000,000,000,000\n"),
        (["--set", "height=1", "--set", "height=2"], "a setting is set twice\n  got: 'height'\n  fix: leave out all but one of its values\n"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_told_before_anything_is_made(capsys, own: str, words, message: str) -> None:
    assert told(capsys, "run", own, *words) == (2, "", message)
    assert not Path("runs").exists()


def test_a_mistake_that_the_experiment_tells_before_it_measures_leaves_nothing(capsys, own: str) -> None:
    text = Path(own).read_text().replace("    yield Metric", "    from regard.errors import RegardError\n    raise RegardError('a', 'b', 'c')\n    yield Metric", 1)  # fmt: skip
    Path(own).write_text(text)
    status, _, err = told(capsys, "run", own)
    assert (status, err) == (2, "a\n  got: b\n  fix: c\n")
    assert list(Path("runs").iterdir()) == []


def test_every_verb_about_runs_prints_json(capsys, own: str, monkeypatch) -> None:
    status, out, err = told(capsys, "run", own, "--json")
    found = json.loads(out)
    assert (status, err) == (0, "") and (found["state"], found["claims"][0]["state"]) == ("finished", "held")
    shown = json.loads(told(capsys, "show", own, "--json")[1])
    assert shown["settings"]["height"]["value"] == 2.0 and shown["claims"][0]["band"] == "1 to 3"
    second = json.loads(told(capsys, "run", own, "--json")[1])["id"]
    kinds = {one["kind"] for one in json.loads(told(capsys, "diff", found["id"], second, "--json")[1])}
    assert kinds == {"run"}
    pruned = json.loads(told(capsys, "prune", "--yes", "--json")[1])
    assert [one["run"] for one in pruned] == [found["id"]]
    removed = json.loads(told(capsys, "remove", second, "--yes", "--json")[1])
    assert [one["run"] for one in removed] == [second] and list(Path("runs").iterdir()) == []


def test_a_number_that_is_none_is_valid_json(capsys, own: str) -> None:
    Path(own).write_text(Path(own).read_text().replace("settings.height)", "float('nan'))", 1))
    found = json.loads(told(capsys, "run", own, "--json")[1], parse_constant=lambda word: pytest.fail(word))
    claim = found["claims"][0]
    assert (claim["state"], claim["value"], claim["reason"]) == (
        "failed",
        "nan",
        "1 of 1 measured values is not a number",
    )


def test_removing_asks_a_person_and_nobody_else(capsys, own: str, monkeypatch) -> None:
    one = ran(capsys, own)
    status, out, err = told(capsys, "remove", one)
    assert (status, out) == (2, f"{one}  (finished)\n")
    assert (
        err
        == "removing asks first, and an answer counts from a terminal alone\n  got: 1 to remove\n  fix: add --yes to go on\n"
    )
    for answer, left in (("n\n", 1), ("\n", 1), ("y\n", 0)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        assert told(capsys, "remove", one)[0] == 0
        assert len(list(Path("runs").iterdir())) == left


def test_a_name_of_several_runs_says_so_where_one_is_removed(capsys, own: str) -> None:
    for height in ("1", "2"):
        assert told(capsys, "run", own, "--set", f"height={height}")[0] == 0
    out = told(capsys, "remove", Path(own).stem, "--yes")[1]
    assert "  (finished, one of 2 runs of " in out and "'regard list --runs' shows the others" in out
    assert "one of" not in told(capsys, "remove", Path(own).stem, "--yes")[1]


def test_what_is_no_run_is_never_removed(capsys, own: str, elsewhere: Path) -> None:
    (elsewhere / "precious").mkdir()
    (elsewhere / "precious" / "result.json").write_text("{}")
    status, _, err = told(capsys, "remove", "./precious", "--yes")
    assert status == 2 and err.startswith("only what is surely a run is removed\n")
    assert told(capsys, "remove", f"{elsewhere}", "--yes")[0] == 2 and (elsewhere / "precious").is_dir()


def test_prune_takes_what_broke_or_was_made_again_and_leaves_the_rest(capsys, own: str) -> None:
    assert told(capsys, "prune") == (0, "nothing to prune: no run is broken, damaged or superseded\n", "")
    old, kept = ran(capsys, own), ran(capsys, own)
    other, broken = ran(capsys, own, "--seed", "1"), ran(capsys, own, "--set", "height=8")
    damaged = ran(capsys, own, "--seed", "2")
    Path("runs", damaged, "log.jsonl").write_bytes(b"x")
    status, out, _ = told(capsys, "prune", "--yes")
    assert status == 0 and out.splitlines() == [
        f"{old}  (superseded by a later run)", f"{broken}  (broken)", f"{damaged}  (damaged)", "removed 3",
    ]  # fmt: skip
    assert {path.name for path in Path("runs").iterdir()} == {kept, other}


def test_ones_own_file_is_shown_with_the_words_that_run_it(capsys, own: str) -> None:
    _, out, _ = told(capsys, "show", own)
    assert f"regard run {own} --set NAME=VALUE" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["my-height", "--preset", "quick"], "--preset has no effect on a run\n  got: my-height\n  fix: leave it out, or add --settings\n"),
        (["my_height.py", "--csv"], "an experiment has no measurements\n  got: 'my_height.py'\n  fix: run it, then name the run\n"),
        (["my-height", "--csv", "--json"], "the command cannot be read\n  got: argument --json: not allowed with argument --csv\n  fix: 'regard show --help' shows how\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_told(capsys, own: str, words: list[str], message: str) -> None:
    ran(capsys, own)
    assert told(capsys, "show", *words) == (2, "", message)


def test_a_run_without_measurements_has_no_csv(capsys, own: str) -> None:
    Path(own).write_text(Path(own).read_text().replace("    yield Metric", "    raise KeyError('so')\n    yield Metric", 1))  # fmt: skip
    one = ran(capsys, own)
    assert told(capsys, "show", one, "--csv") == (2, "", f"this run has measured nothing\n  got: {one} is broken\n  fix: name another run\n")  # fmt: skip
    status, _, err = told(capsys, "show", "my-height", "--csv")
    assert (status, err.splitlines()[0]) == (2, "no run of my-height has measured anything")


def test_the_numbers_of_a_damaged_run_are_told_to_be_damaged(capsys) -> None:
    name = "theory-positions"
    Store(Path("runs")).create(name, "quick", {"name": name}).close()
    (folder,) = Path("runs").glob(f"{name}*")
    (folder / "run.json").write_bytes(b"x")
    status, _, err = told(capsys, "show", name, "--csv")
    assert status == 2 and "an experiment has no measurements" not in err and "run.json" in err


def test_runs_that_go_to_a_file_are_told_with_its_name(capsys, monkeypatch) -> None:
    Path("file").write_text("")
    monkeypatch.setenv("REGARD_RUNS", "file")
    message = (
        "runs go to a folder\n  got: file, a file\n  fix: move it away, or set REGARD_RUNS to a folder\n"
    )
    assert told(capsys, "list", "--runs") == (2, "", message)


def test_a_book_of_an_unknown_preset_is_told(capsys) -> None:
    assert told(capsys, "book", "one-operator", "--preset", "nope") == (2, "", "no preset of that name\n  got: 'nope'\n  fix: the presets are quick, full\n")  # fmt: skip


def test_a_book_overwrites_nothing_that_it_did_not_write_and_says_so_first(capsys, own: str) -> None:
    Path("site").mkdir()
    Path("site", "index.html").write_text("<title>Mine</title>")
    Path("file").write_text("")
    assert told(capsys, "book", own, "--out", "site") == (2, "", "this page is not a book of regard\n  got: site/index.html\n  fix: name another folder with --out, or move the page away\n")  # fmt: skip
    assert told(capsys, "book", own, "--out", "file") == (2, "", "a book is written into a folder\n  got: file, a file\n  fix: name a folder with --out\n")  # fmt: skip
    assert not Path("runs").exists() and Path("site", "index.html").read_text() == "<title>Mine</title>"


def test_a_page_of_another_that_lies_deeper_is_seen_before_anything_runs(capsys, own: str) -> None:
    page = Path("site", "experiments", f"{Path(own).stem.replace('_', '-')}.html")
    page.parent.mkdir(parents=True)
    page.write_text("mine")
    status, out, said = told(capsys, "book", own, "--out", "site")
    assert (status, out) == (2, "") and said.startswith(f"this page is not a book of regard\n  got: {page}\n")
    assert not Path("runs").exists() and page.read_text() == "mine"
    assert told(capsys, "book", own, "--out", "site", "--single")[0] == 0, "a single file does not touch it"


@pytest.mark.slow
def test_a_book_is_written_again_over_itself_and_tells_json(capsys, own: str) -> None:
    for _ in range(2):
        status, out, _ = told(capsys, "book", own, "--out", "book", "--json")
        assert status == 0 and json.loads(out)["book"] == "book/index.html"
    assert len(list(Path("runs").iterdir())) == 1
