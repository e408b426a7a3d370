"""A person's file as a module: what lies beside it is found, and another file's is not mixed up with it."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import get_type_hints

import pytest

from regard.lab.imported import imported


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_each_file_finds_what_lies_beside_it(tmp_path: Path) -> None:
    paths, found = list(sys.path), []
    for number in (2, 3):
        written(tmp_path / str(number) / "scale.py", f"SCALE = {number}\n")
        mine = written(tmp_path / str(number) / "mine.py", "from scale import SCALE\n")
        found.append(imported(mine, "tried").SCALE)
    assert found == [2, 3] and "scale" not in sys.modules and sys.path == paths


def test_a_file_of_a_package_finds_the_rest_of_it(tmp_path: Path) -> None:
    written(tmp_path / "parts" / "__init__.py", "")
    written(tmp_path / "parts" / "scale.py", "SCALE = 5\n")
    mine = written(tmp_path / "parts" / "mine.py", "from .scale import SCALE\n")
    assert imported(mine, "tried").SCALE == 5


def test_its_classes_know_their_module(tmp_path: Path) -> None:
    text = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass Own:\n    size: int = 3\n"
    module = imported(written(tmp_path / "mine.py", text), "tried")
    assert module.__name__ == "tried_mine" and sys.modules["tried_mine"] is module
    assert get_type_hints(module.Own) == {"size": int}
    assert dataclass(module.Own)().size == 3


def test_what_is_installed_below_the_folder_is_left_alone(tmp_path: Path, monkeypatch) -> None:
    written(tmp_path / "venv" / "installed_once.py", "THING = object()\n")
    monkeypatch.syspath_prepend(tmp_path / "venv")
    mine = written(tmp_path / "mine.py", "import installed_once\nfrom installed_once import THING\n")
    first = imported(mine, "tried").THING
    assert "installed_once" in sys.modules and imported(mine, "tried").THING is first
    del sys.modules["installed_once"]


def test_after_an_error_all_is_as_before(tmp_path: Path) -> None:
    paths, known = list(sys.path), set(sys.modules)
    written(tmp_path / "scale.py", "SCALE = 2\n")
    with pytest.raises(ZeroDivisionError):
        imported(written(tmp_path / "mine.py", "import scale\n1 / 0\n"), "tried")
    assert sys.path == paths and "scale" not in sys.modules
    assert set(sys.modules) - known <= {"tried_mine"}
