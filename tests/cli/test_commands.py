import csv
import io
import json
import subprocess
import sys
from dataclasses import replace
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
    assert run.state == "finished" and run.request["changes"] == [word for word in SMALL if word != "--set"]


@pytest.fixture(scope="module")
def spoken(tmp_path_factory) -> Path:
    """A real run of a text experiment, as small as it can be."""
    folder = tmp_path_factory.mktemp("spoken")
    (folder / "mine.txt").write_text("to be or not to be, that is the question\n" * 30)
    words = "text=mine.txt limit=1000 batch=2 rows=3 plan.steps=3 model.depth=1 model.heads=1 model.width=8 model.context=16"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["run", "fairy-tales", *(part for one in words.split() for part in ("--set", one))]) == 0
    return folder


@pytest.mark.slow
def test_the_model_of_a_real_run_speaks(capsys, monkeypatch, spoken: Path) -> None:
    monkeypatch.chdir(spoken)

    def said(*words: str) -> str:
        status, out, err = told(
            capsys, "generate", "fairy-tales", "--prompt", "to be", "--steps", "20", *words
        )
        assert (status, err) == (0, "")
        return out

    first = said("--seed", "3")
    assert first.startswith("to be") and len(first.rstrip("\n")) >= 20 and first == said("--seed", "3")
    assert first != said("--seed", "4")
    boxes = said("--samples", "2", "--seed", "3")
    assert "seed 3" in boxes and "seed 4" in boxes
    assert "most probable here" in said("--probabilities") and "log-probability" in said("--beam", "3")
    assert len(said("--beam", "2", "--beyond", "window").splitlines()) >= 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--temperature", "-1"], "the sampler cannot choose like that\n  got: temperature=-1.0\n  fix: 0 takes the most probable token; larger is more random\n"),
        (["--top-p", "3"], "the sampler cannot choose like that\n  got: top_p=3.0\n  fix: a probability above 0, up to 1\n"),
        (["--top-k", "0"], "the sampler cannot choose like that\n  got: top_k=0\n  fix: keep at least one token\n"),
        (["--prompt", ""], "the prompt is empty\n  got: ''\n  fix: give the model at least one character to start from\n"),
        (["--prompt", "to ß"], "a character that the tokenizer has never seen\n  got: 'ß' at position 3\n  fix: use only the 15 characters of its text, or the Bytes tokenizer\n"),
        (["--samples", "0"], "there is nothing to generate\n  got: --samples 0\n  fix: give at least 1\n"),
        (["--steps", "0"], "there is nothing to generate\n  got: steps=0\n  fix: give at least 1\n"),
        (["--beam", "0"], "a beam has a width\n  got: width=0\n  fix: keep at least one beginning\n"),
        (["--beyond", "widow"], "no rule of that name\n  got: 'widow'\n  fix: did you mean 'window'?\n"),
        (["--model", "checkpoint"], "no model of that name in this run\n  got: 'checkpoint'\n  fix: did you mean 'checkpoints'?\n"),
    ],
)  # fmt: skip
def test_nonsense_is_told_in_three_lines(
    capsys, monkeypatch, spoken: Path, words: list[str], message: str
) -> None:
    monkeypatch.chdir(spoken)
    assert told(capsys, "generate", "fairy-tales", *words) == (2, "", message)


@pytest.mark.slow
def test_a_prompt_longer_than_the_context_is_cut_and_said_to_be(capsys, monkeypatch, spoken: Path) -> None:
    monkeypatch.chdir(spoken)
    words = ["--prompt", "to be or not to be, that is", "--steps", "3", "--temperature", "0"]
    status, out, err = told(capsys, "generate", "fairy-tales", *words)
    assert status == 0 and out.startswith("to be or not to be, that is")
    assert err == "the prompt has 27 tokens; the model sees the last 16 of them\n"


def test_prove_lists_every_theorem_or_shows_one_in_full(capsys) -> None:
    assert main(["prove", "beam-search", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["name"] == "beam-search" and found["failed"] == [] and len(found["trials"]) == 2
    assert main(["prove", "similarity-axioms"]) == 0
    out = capsys.readouterr().out
    assert "s(x, y) = s(y, x)" in out and "vectors of other lengths" in out


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


def test_data_lists_single_files_and_albums(capsys) -> None:
    status, out, _ = told(capsys, "data", "--json")
    listed = {one["name"]: one for one in json.loads(out)}
    assert status == 0 and {"cora", "grimm", "membranes", "pets"} <= set(listed)
    assert listed["membranes"]["bytes"] > 1_000_000 and "github" in listed["pets"]["origins"][0]


def test_unknown_data_gets_the_nearest(capsys) -> None:
    status, _, err = told(capsys, "data", "coral")
    assert status == 2 and err.splitlines()[0].endswith("no dataset of that name") and "cora" in err


ODD = """
import torch
from torch import nn
from torch.nn import functional as F

class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.A, self.B, self.C, self.D = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.C, self.A, self.B))
        return self.D(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
"""


def test_check_hears_a_map_of_several_roles(capsys, elsewhere: Path) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, out, _ = told(capsys, "check", "odd.py", "--map", "q=C,k=A,v=B,o=D")
    assert status == 0 and "q = C.weight, k = A.weight, v = B.weight, o = D.weight (by name)" in out


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ("q", "--map takes NAME=VALUE\n  got: 'q'\n  fix: for example --map q=my_query,heads=4\n"),
        (
            "unknown=A",
            "--map names what has no effect here\n  got: 'unknown=A'\n  fix: one of q, k, v, o, heads, width\n",
        ),
    ],
)
def test_check_refuses_a_map_that_nobody_hears(capsys, elsewhere: Path, said: str, lines: str) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, _, err = told(capsys, "check", "odd.py", "--map", said)
    assert (status, err) == (2, lines)


def test_check_lists_what_a_folder_may_hold_and_then_judges_it(capsys, elsewhere: Path) -> None:
    (elsewhere / "deep").mkdir()
    (elsewhere / "deep" / "odd.py").write_text(ODD)
    (elsewhere / "deep" / "other.py").write_text("raise SystemExit")
    status, out, _ = told(capsys, "check", "deep", "--map", "q=C,k=A,v=B,o=D")
    assert status == 0
    assert out.splitlines()[:2] == [
        "1 that could be one of the contracts, by their syntax:",
        "  deep/odd.py:CausalSelfAttention as causal-attention",
    ]
    assert out.splitlines()[2].startswith("correct  CausalSelfAttention as causal-attention")


def test_check_refuses_a_convention_that_the_contract_does_not_know(capsys, elsewhere: Path) -> None:
    (elsewhere / "odd.py").write_text(ODD)
    status, _, err = told(capsys, "check", "odd.py", "--convention", "residual=insid")
    assert (status, err.splitlines()[2]) == (2, "  fix: did you mean 'residual=inside'?")
