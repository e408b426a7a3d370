"""The verb attention: a run, a file of one's own, a picture, a page, JSON."""

import json
from pathlib import Path

import pytest

from regard.cli.main import main

MINE = """
from torch import nn
model = nn.MultiheadAttention(8, 2, batch_first=True)
"""


@pytest.mark.slow
def test_a_file_is_looked_into_and_the_word_says_that_it_runs(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    assert main(["attention", "mine.py:model", "--out", "x.html"]) == 0
    said = capsys.readouterr()
    assert (
        said.err
        == "mine.py runs in a process of its own, with limits on time and memory; that is no sandbox\n"
    )
    assert said.out.splitlines()[-1] == "x.html was written: 1 layer, 2 heads"
    assert Path("x.html").read_text().count("<svg") == 1
    assert "<title>Attention of mine.py:model</title>" in Path("x.html").read_text()
    assert main(["attention", "mine.py", "--json", "--head", "1", "--input", "1,3,8"]) == 0
    found = json.loads(capsys.readouterr().out)
    (layer,) = found["layers"]
    assert layer["heads"] == [1] and len(layer["weights"]) == 1 and len(layer["weights"][0]) == 3
    assert sum(layer["weights"][0][0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["coin", "--input", "1,2"], "--input has no effect here\n  got: --input beside 'coin'\n  fix: it is for a model of your own: FILE.py:Model\n"),
        (["mine.py", "--model", "small"], "--model has no effect here\n  got: --model beside 'mine.py'\n  fix: it is for a run: name the model in the file\n"),
        (["mine.py", "--prompt", "a", "--input", "1,2"], "a model is fed with one thing\n  got: --prompt and --input\n  fix: leave out one of them\n"),
        (["coin", "--out", "x.gif"], "attention is drawn as a picture or a page\n  got: 'x.gif'\n  fix: name a file that ends in .svg or .html\n"),
        (["coin", "--input", "1,two"], "the command cannot be read\n  got: argument --input: 'two' is not a whole number from 1 to 1,000,000\n  fix: 'regard attention --help' shows how\n"),
        (["mine.py", "--set", "heads"], "--set takes NAME=VALUE\n  got: 'heads'\n  fix: for example --set q=my_query,heads=4\n"),
    ],
)  # fmt: skip
def test_words_that_make_no_sense_are_told(
    words: list[str], said: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["attention", *words]) == 2
    assert capsys.readouterr().err.endswith(said)
