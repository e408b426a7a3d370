import json
from dataclasses import replace
from pathlib import Path

import pytest

from regard.cli.main import main
from regard.lab.store.runs import Store


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, *words: str) -> tuple[int, str, str]:
    status = main(words)
    return status, *capsys.readouterr()


def test_coverage_lists_all_items(capsys) -> None:
    items = json.loads(told(capsys, "list", "--coverage", "--json")[1])
    assert (
        [one["item"] for one in items] == list(range(1, 94))
        and items[22]["owner"] == "scaled-dot-product"
        and items[41]["state"] == "not applicable"
    )


def test_a_course_lists_its_questions_and_what_answers_them(capsys) -> None:
    status, out, _ = told(capsys, "list", "--course", "Amsterdam")
    assert status == 0 and "University of Amsterdam, Deep Learning 1, 2024: Assignment 2" in out
    (line,) = [line for line in out.splitlines() if line.startswith("1.1a ")]
    *told_here, recorded = line.split()
    assert recorded == "held" and told_here == [
        "1.1a",
        "55",
        "which",
        "pixels",
        "a",
        "padded",
        "filter",
        "element",
        "misses",
        "padding,",
        "theory-convolution-sizes",
        "not",
        "run",
    ]
    items = json.loads(told(capsys, "list", "--course", "amsterdam", "--json")[1])
    assert [one["item"] for one in items] == list(range(55, 77))
    assert {one["source"] for one in items} == {"Amsterdam A2"} and items[0]["owner"] == "padding"


def test_an_unknown_course_is_told_in_three_lines_with_the_nearest(capsys) -> None:
    assert told(capsys, "list", "--course", "berkley") == (
        2, "", "no course of that name\n  got: 'berkley'\n  fix: did you mean 'berkeley'?\n",
    )  # fmt: skip


def test_experiments_are_listed_by_chapter_with_their_times(capsys) -> None:
    lines = told(capsys, "list")[1].splitlines()
    assert lines.index("attention") < lines.index("graphs") < lines.index("theory")
    (line,) = [line for line in lines if line.startswith("cora ")]
    assert line.split()[:3] == ["cora", "50", "s"] and line.endswith("get less?")
    rows = {one["name"]: one for one in json.loads(told(capsys, "list", "--json")[1])}
    assert rows["cora"]["chapter"] == "graphs" and rows["cora"]["seconds"] == 50


OWN = """
from dataclasses import dataclass
from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    height: float = 2.0

def run(settings, context):
    yield Metric("height", settings.height)

EXPERIMENT = Experiment(
    question="How high?", method="", see="", claims=(Claim(name="height", low=1, high=3, why="so", source="me"),),
    presets={"quick": Settings()}, seconds=1, run=run,
)
"""

LONG = "the_height_of_a_thing_that_is_measured_with_great_care"

COMPARISON = """
from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Reading

COMPARISON = Comparison(
    question="?", bars=(Claim(name="speed of a long name", low=1, why="so", source="me"),), peers=(),
    run=lambda: iter([BenchMetric(name="speed of a long name", value=Reading(2.0, 2.0, 2.0, "times"))]),
)
"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 40, None], ids=["80 columns", "40 columns", "a pipe"])
def test_no_verb_cuts_a_name(capsys, monkeypatch, elsewhere: Path, width: int | None) -> None:
    from regard.lab.console import console
    from regard.theory import library

    (elsewhere / f"{LONG}.py").write_text(OWN)
    (elsewhere / "bench").mkdir()
    (elsewhere / "bench" / f"{LONG}.py").write_text(COMPARISON)
    long = LONG.replace("_", "-")
    for changes in ([], ["--set", "height=9"]):
        assert main(["run", f"{LONG}.py", *changes]) == 0
    first, second = (run.id for run in Store(Path("runs")).runs())
    theorem = library.find("relative-attention")
    monkeypatch.setattr(library, "everything", lambda: [replace(theorem, name=long)])
    monkeypatch.setattr(console, "_width", width or 40)
    monkeypatch.setattr(console, "_force_terminal", width is not None)
    capsys.readouterr()
    verbs = {
        ("list",): ["theory-linear-autoencoder", "attention-as-convolution"],
        ("list", "--runs"): [first, second],
        ("list", "--coverage"): ["theory-convolution-sizes", "attention-as-convolution"],
        ("list", "--course", "toronto"): ["theory-gradient-products"],
        ("show", first): [long],
        ("show", "autoencoders"): ["linear.bottlenecks"],
        ("diff", first, second): [first, second],
        ("bench",): [f"{long}: speed of a long name"],
        ("prove",): [long],
        ("data",): ["fashion-mnist"],
    }
    for words, names in verbs.items():
        status, out, _ = told(capsys, *words)
        missing = [name for name in names if name not in out]
        assert status == 0 and not missing and "…" not in out, (words, missing, out)


def test_prove_lists_every_theorem_or_shows_one_in_full(capsys) -> None:
    assert main(["prove", "beam-search", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["name"] == "beam-search" and found["failed"] == [] and len(found["trials"]) == 2
    assert main(["prove", "similarity-axioms"]) == 0
    out = capsys.readouterr().out
    assert "s(x, y) = s(y, x)" in out and "vectors of other lengths" in out


@pytest.mark.slow
def test_prove_exits_with_one_when_a_step_fails(capsys, monkeypatch) -> None:
    from regard.theory import library

    theorem = library.find("beam-search")
    wrong = replace(theorem.steps[0], formula="-0.65 - 0.6 = -1.26")
    monkeypatch.setattr(library, "everything", lambda: [replace(theorem, steps=(wrong, *theorem.steps[1:]))])
    assert main(["prove"]) == 1
    assert "step 1" in capsys.readouterr().out


def test_prove_tells_an_unknown_name(capsys) -> None:
    assert main(["prove", "beam-serch"]) == 2
    assert (
        capsys.readouterr().err
        == "no theorem of that name\n  got: 'beam-serch'\n  fix: did you mean 'beam-search'?\n"
    )


@pytest.mark.slow
def test_data_lists_single_files_and_albums(capsys) -> None:
    status, out, _ = told(capsys, "data", "--json")
    listed = {one["name"]: one for one in json.loads(out)}
    assert status == 0 and {"cora", "grimm", "membranes", "pets"} <= set(listed)
    assert listed["membranes"]["bytes"] > 1_000_000 and "github" in listed["pets"]["origins"][0]


def test_unknown_data_gets_the_nearest(capsys) -> None:
    status, _, err = told(capsys, "data", "coral")
    assert (status, err) == (2, "no dataset of that name\n  got: 'coral'\n  fix: did you mean 'cora'?\n")


def test_unknown_data_gets_the_whole_list_albums_too(capsys) -> None:
    _, _, err = told(capsys, "data", "zzz")
    assert all(name in err for name in ("cora", "grimm", "membranes", "pets"))


def test_a_word_finds_experiments_and_says_where(capsys) -> None:
    status, out, _ = told(capsys, "list", "sqrt")
    assert status == 0 and "scaled-dot-product" in out and "√" in out
    rows = json.loads(told(capsys, "list", "cora", "--json")[1])
    assert rows[0]["name"] == "cora" and rows[0]["found"][0]["where"] == "name"
    assert told(capsys, "list", "cora", "--runs") == (
        2,
        "",
        "regard list shows one thing at a time\n  got: 'cora' and --runs\n  fix: leave out one of them\n",
    )


def test_an_edge_list_is_sorted_into_a_file(capsys, tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n")
    status, out, err = told(
        capsys, "data", "--graph", str(tmp_path / "edges.txt"), "--both-ways", "--loops", "--json"
    )
    assert (status, err) == (0, "")
    assert json.loads(out) == {"path": str(tmp_path / "edges.txt.csr"), "nodes": 3, "edges": 7}
    place = str(tmp_path / "graph.csr")
    status, out, _ = told(capsys, "data", "--graph", str(tmp_path / "edges.txt"), "--out", place)
    assert (status, out) == (0, f"{place}: 3 nodes, 2 edges; regard.data.open_graph maps it\n")


def test_words_about_a_graph_without_one_are_told(capsys) -> None:
    status, _, err = told(capsys, "data", "--both-ways")
    assert (status, err) == (
        2,
        "--both-ways has no effect without --graph\n  got: --both-ways\n  fix: leave it out\n",
    )
    status, _, err = told(capsys, "data", "cora", "--graph", "edges.txt")
    assert (status, err.splitlines()[0]) == (2, "regard data does one thing at a time")


def test_serve_prints_its_address_as_json(capsys, monkeypatch) -> None:
    from regard.web import server

    class Idle:
        def run(self, sockets) -> None:
            for one in sockets:
                one.close()

    monkeypatch.setattr(server, "server", lambda services, address: Idle())
    status, out, _ = told(capsys, "serve", "--port", "0", "--no-open", "--json")
    found = json.loads(out)
    assert status == 0 and found["url"].startswith(f"http://127.0.0.1:{found['port']}/?token=")
