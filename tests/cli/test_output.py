import json
import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from math import inf, nan

import pytest

from regard.cli.output import _one, print_folded, print_json, write_anywhere


def test_json_has_no_word_that_json_does_not_know(capsys) -> None:
    print_json({"a": [nan, (inf, 1.5)], "b": None})
    assert json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word)) == {
        "a": ["nan", ["inf", 1.5]],
        "b": None,
    }


def test_json_has_letters_as_they_are_where_the_output_can_write_them(capsys, monkeypatch) -> None:
    print_json({"said": "Привет, \N{SNOWMAN}"})
    assert '"said": "Привет, \N{SNOWMAN}"' in capsys.readouterr().out
    for encoding, text in (("ascii", "Привет"), ("utf-8", "\udcff")):
        narrow = TextIOWrapper(BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", narrow)
        print_json({"said": text})
        assert json.loads(narrow.buffer.getvalue()) == {"said": text}


@pytest.mark.parametrize(
    ("character", "encoding", "nearby"),
    [("√", "ascii", "sqrt"), ("é", "ascii", "e"), ("✓", "cp1252", "+"), ("漢", "cp1252", "?"), ("\udcff", "utf-8", "?"), ("²", "ascii", "2")],
)  # fmt: skip
def test_a_nearby_character_stands_for_one_that_is_not_there(
    character: str, encoding: str, nearby: str
) -> None:
    assert _one(character, encoding) == nearby


def test_a_line_beyond_the_terminal_goes_on_set_in_and_a_pipe_gets_it_whole(monkeypatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    print_folded("short\n  a line that is longer")
    assert capsys.readouterr().out == "short\n  a line that is longer\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_folded("short\n  a line that is longer")
    assert capsys.readouterr().out == "short\n  a line that is\n    longer\n"


@pytest.mark.parametrize(
    ("given", "kept"), [("0", "20"), ("1", "20"), ("40", "40"), ("wide", "wide"), ("²", "²")]
)
def test_a_width_of_nothing_is_widened(given: str, kept: str, monkeypatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", given)
    write_anywhere()
    assert os.environ["COLUMNS"] == kept


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-8"])
def test_every_encoding_is_written(encoding: str, tmp_path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding, "COLUMNS": "40"}
    for words in (["list"], ["show", "scaled-dot-product"], ["show", "nothing-like-√ß漢"]):
        done = subprocess.run(
            [sys.executable, "-m", "regard", *words],
            capture_output=True,
            env=environment,
            cwd=tmp_path,
            check=False,
        )
        assert b"Traceback" not in done.stderr and done.returncode in (0, 2), done.stderr
        assert (done.stdout + done.stderr).decode(encoding)
