"""The README's Python and its `regard` commands run as they stand there."""

import re
import shlex
from pathlib import Path

import numpy
import pytest
from PIL import Image

from regard.cli.main import main
from regard.lab import registry
from regard.lab.settings import devices

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


def test_the_experiments_that_take_a_device_are_named() -> None:
    (said,) = re.findall(r"assignments, and (.*?) train on a GPU", TEXT)
    taking = {one.name for one in registry.everything() if devices(one.presets["quick"])}
    assert set(re.findall(r"`([\w-]+)`", said)) == taking


@pytest.mark.parametrize("job", ["Build", "Look", "Check"])
def test_each_job_has_a_first_success_in_three_commands_with_its_time(job: str) -> None:
    (section,) = re.findall(rf"^## {job}\n(.*?)(?=^## )", TEXT, re.DOTALL | re.MULTILINE)
    ((said, block),) = re.findall(
        r"(?i)\b(in three commands[^\n]*)\n+```console\n(.*?)```", section, re.DOTALL
    )
    assert len(block.splitlines()) == 3 and all(line.startswith("regard ") for line in block.splitlines())
    assert re.search(r"of (\w+ )+(seconds|minutes)\b", said), said


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
    _own_data()
    for line in COMMANDS:
        words = shlex.split(line.replace("--minutes 2", "--minutes 0.05"), comments=True)
        small = [word for setting in SMALL.get(" ".join(words[2:3]), ()) for word in ("--set", setting)]
        right = 1 if words[1:3] == ["check", "mine.py"] else 0
        assert words[0] == "regard" and main([*words[1:], *small]) == right, line


SMALL = {
    "karate": ("epochs=20", "seeds=2"),
    "mixtures": ("epochs=2", "seeds=2", "steps=3"),
    "pca": ("steps=20", "starts=10"),
    "pixels": ("steps=2", "seeds=2", "width=8", "depth=1"),
    "width-or-depth": ("steps=2", "seeds=2", "width=8", "depth=1"),
}
"What makes the README's runs on a reader's own data small enough for a test."


def _own_data() -> None:
    """A graph, points and pictures of a reader's own."""
    draw = numpy.random.default_rng(0)
    Path("graph.csv").write_text("".join(f"{a},{b}\n" for a, b in draw.integers(0, 20, (60, 2)).tolist()))
    rows = [",".join(f"{one:.3f}" for one in row) for row in draw.normal(size=(80, 4))]
    Path("points.csv").write_text("a,b,c,d\n" + "\n".join(rows))
    for name in ("left", "right"):
        Path("pictures", name).mkdir(parents=True)
        for number in range(8):
            Image.fromarray(draw.integers(0, 255, (30, 28), numpy.uint8)).save(
                f"pictures/{name}/{number}.png"
            )


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
