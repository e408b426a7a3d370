"""Another program: its words, its failure, its silence."""

import os
import sys
from pathlib import Path

import pytest

from regard.data.fetch.tool import run_tool
from regard.data.fetch.web import NotReached


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def test_what_it_prints_comes_back(tmp_path: Path) -> None:
    printed = run_tool("snake", python("import os; print(os.getcwd(), end='')"), seconds=20, folder=tmp_path)
    assert Path(printed).samefile(tmp_path)


def test_its_lines_are_not_broken() -> None:
    assert (
        run_tool("snake", python("import shutil; print(shutil.get_terminal_size()[0])"), seconds=20)
        == "500\n"
    )


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("WARNING: hiss|ERROR: no such egg|ERROR: nothing hatched", "no such egg"),
        ("npm warn hiss|npm error code E404|npm error 404 not found", "code E404"),
        ("Traceback (most recent call last):|No module named pip", "No module named pip"),
        ("ERROR: " + "hiss" * 99, "hiss" * 50),
    ],
)
def test_its_first_error_or_its_last_words_are_the_reason(said: str, reason: str) -> None:
    with pytest.raises(NotReached) as raised:
        run_tool("snake", python(f"import sys; sys.exit({said!r}.replace('|', chr(10)))"), seconds=20)
    assert str(raised.value) == f"snake: {reason}"


def test_a_failure_without_words_is_still_one() -> None:
    with pytest.raises(NotReached) as raised:
        run_tool("snake", python("raise SystemExit(3)"), seconds=20)
    assert str(raised.value) == "snake: nothing said"


def test_it_is_not_waited_for_without_end() -> None:
    with pytest.raises(NotReached) as raised:
        run_tool("snake", python("import time; time.sleep(30)"), seconds=0.5)
    assert str(raised.value) == "snake took longer than 0.5 s"


def test_it_cannot_ask_a_person() -> None:
    person, words = os.pipe()
    os.write(words, b"yes\n")
    kept = os.dup(0)
    os.dup2(person, 0)
    try:
        with pytest.raises(NotReached, match="EOFError"):
            run_tool("snake", python("input()"), seconds=20)
    finally:
        os.dup2(kept, 0)
        for end in (person, words, kept):
            os.close(end)
