"""The verb compare: the answer in sentences, or JSON; files are said to be run."""

import json
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from regard.cli import contest
from regard.cli.main import main
from regard.lab.compare.sequential import Standing

BEGUN = Standing("open", -0.05, -inf, inf, 1, inf, (2.5, 2.45))
NONE = """
import torch
class Nothing(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
    def forward(self, x):
        return 0 * x
"""
DONE = Standing("second", -0.05, -0.08, -0.02, 4, 0.06, (2.5, 2.45))


@pytest.fixture
def quick(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("some words " * 100)
    monkeypatch.setattr("regard.lab.compare.compare.compare", lambda *_, **__: iter([(DONE, "settled")]))
    Path("none.py").write_text(NONE)


@pytest.mark.usefixtures("quick")
def test_the_answer_comes_with_its_interval_and_the_noise_floor(capsys) -> None:
    assert main(["compare", "position=none", "position=rotary", "--text", "text.txt"]) == 0
    assert capsys.readouterr().out == (
        "position=rotary is better after 150 steps\n"
        "  held-out loss: position=none 2.5000, position=rotary 2.4500\n"
        "  held-out loss of position=rotary minus that of position=none: -0.0500 nats "
        "(95 %: -0.0800 to -0.0200) over 4 pairs of seeds\n"
        "  noise: 0.0600 (a standard deviation: the same training with another seed gives a loss that much away)\n"
        "  measured after 150 steps of a small GPT on text.txt, with 100,608 parameters each; longer trainings "
        "may say otherwise (--steps)\n"
    )
    assert main(["compare", "position=none", "position=rotary", "--text", "text.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == "second" and contest.compare


@pytest.mark.parametrize(("learning", "said"), [((0.31, 0.04), True), ((0.04, 0.31), False)])
def test_that_the_one_behind_still_learns_more_than_they_are_apart_stands_under_the_answer(
    monkeypatch, tmp_path: Path, capsys, learning: tuple[float, float], said: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("some words " * 100)
    found = [(replace(DONE, learning=learning), "settled")]
    monkeypatch.setattr("regard.lab.compare.compare.compare", lambda *_, **__: iter(found))
    assert main(["compare", "position=none", "position=rotary", "--text", "text.txt"]) == 0
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert first == f"position=rotary is {'ahead' if said else 'better'} after 150 steps"
    assert second.startswith("  position=none, which is behind, is still learning: ") == said
    assert not said or second.endswith(
        "by 0.3100, more than they are apart; which is better later is open (--steps 600)"
    )


def test_a_file_that_is_not_there_is_not_said_to_be_run(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "nofile.py:Layer,position=none", "position=rotary"]) == 2
    assert capsys.readouterr().err.startswith("there is no such file to compare\n")


@pytest.mark.usefixtures("quick")
def test_that_one_has_more_parameters_is_said(capsys) -> None:
    assert main(["compare", "position=none", "none.py", "--text", "text.txt", "--steps", "9"]) == 0
    told, said = "100,608 and 71,424 parameters", capsys.readouterr()
    assert f"after 9 steps of a small GPT on text.txt, with {told}; longer" in said.out
    assert f"they have {told}" in said.err


@pytest.mark.usefixtures("quick")
def test_what_else_differs_is_said_before_and_in_the_result(capsys) -> None:
    assert main(["compare", "none.py", "position=rotary", "--text", "text.txt"]) == 0
    said, apart = (
        capsys.readouterr(),
        "none.py has a table of learned positions, position=rotary has no table",
    )
    assert f"not the layer alone differs: {apart}" in said.out
    assert said.err.startswith("none.py is run here") and said.err.splitlines()[1].endswith(
        "no table of positions"
    )
    assert "as in mine.py,position=none" in said.err
    assert main(["compare", "none.py,position=none", "position=rotary", "--text", "text.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unlike"] == []


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["a=1", "a=1"], "these are one and the same"),
        (["position=none", "position=rotary", "--margin", "0"], "the command cannot be read"),
        (["position=none", "position=rotary", "--text", "no.txt"], "the text cannot be read"),
        (["position=none", "depht=3"], "no setting of that name"),
    ],
)
def test_what_makes_no_sense_is_told(words: list[str], what: str, capsys) -> None:
    assert main(["compare", *words]) == 2
    assert capsys.readouterr().err.startswith(what)


def test_of_one_pair_no_interval_is_told(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("some words " * 100)
    found = [(BEGUN, "not settled: the budget ends after 1 of the 3 pairs that are needed")]
    monkeypatch.setattr("regard.lab.compare.compare.compare", lambda *_, **__: iter(found))
    assert main(["compare", "position=none", "position=rotary", "--text", "text.txt"]) == 1
    said = capsys.readouterr()
    assert said.err == "1 pair: second - first -0.0500\n"
    assert said.out == (
        "not settled: the budget ends after 1 of the 3 pairs that are needed\n"
        "  held-out loss: position=none 2.5000, position=rotary 2.4500\n"
        "  held-out loss of position=rotary minus that of position=none: -0.0500 nats over 1 pair of seeds\n"
        "  measured after 150 steps of a small GPT on text.txt, with 100,608 parameters each; longer trainings "
        "may say otherwise (--steps)\n"
    )


@pytest.mark.slow
def test_small_trainings_from_the_command_line_end_with_an_answer(
    monkeypatch, tmp_path: Path, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 60)
    words = ["compare", "width=32", "width=4,heads=1", "--text", "text.txt", "--steps", "12", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"] == "first" and found["why"] == "settled" and found["low"] > 0
