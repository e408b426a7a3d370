"""The verb compare: the answer in sentences, or JSON; files are said to be run."""

import json
from pathlib import Path

import pytest

from regard.cli import contest
from regard.cli.main import main
from regard.lab.compare.sequential import Standing

DONE = Standing("second", -0.05, -0.08, -0.02, 4, 0.06)


@pytest.fixture
def quick(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("some words " * 100)
    monkeypatch.setattr("regard.lab.compare.compare.compare", lambda *_, **__: iter([(DONE, "settled")]))


@pytest.mark.usefixtures("quick")
def test_the_answer_comes_with_its_interval_and_the_noise_floor(capsys) -> None:
    assert main(["compare", "position=none", "position=rotary", "--text", "text.txt"]) == 0
    assert capsys.readouterr().out == (
        "position=rotary is better\n"
        "  held-out loss of position=rotary minus that of position=none: -0.0500 nats "
        "(95 %: -0.0800 to -0.0200) over 4 pairs of seeds\n"
        "  noise floor: two trainings of one of them with two seeds are 0.0600 apart (a deviation)\n"
    )
    assert main(["compare", "position=none", "position=rotary", "--text", "text.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["answer"] == "second" and contest.compare


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
