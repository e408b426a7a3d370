"""The README's Python and its `regard` commands run as they stand there."""

import re
import shlex
from pathlib import Path

import pytest

from regard.cli.main import main

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [
    line
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
    if line.strip()
]


def test_there_is_something_to_run_and_the_pictures_are_there() -> None:
    assert PYTHON and COMMANDS
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", TEXT):
        assert (Path(__file__).parents[1] / picture).is_file(), picture


@pytest.mark.parametrize("block", PYTHON, ids=range(len(PYTHON)))
def test_the_python_runs_and_says_something_wherever_it_prints(
    block: str, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert len(capsys.readouterr().out.splitlines()) == block.count("print(")


@pytest.mark.slow
def test_the_commands_run_in_their_order(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    Path("mine.txt").write_text("The reader's own text stands here.\n" * 50)
    (mine,) = [block for block in PYTHON if block.startswith("# mine.py")]
    Path("mine.py").write_text(mine)
    for line in COMMANDS:
        words = shlex.split(line.replace("--minutes 2", "--minutes 0.05"), comments=True)
        assert words[0] == "regard" and main(words[1:]) == 0, line


@pytest.mark.slow
def test_the_checker_says_of_mine_what_the_readme_says(tmp_path: Path, monkeypatch, capsys) -> None:
    (mine,) = [block for block in PYTHON if block.startswith("# mine.py")]
    (said,) = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(mine)
    assert main(["check", "mine.py"]) == 1
    without_times = [
        re.sub(r"\([\d.]+ s\)|[\d.]+e-\d+|\d+ %", "#", text) for text in (capsys.readouterr().out, said)
    ]
    assert without_times[0].strip() == without_times[1].strip()
