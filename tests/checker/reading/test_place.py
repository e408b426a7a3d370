"""Where code stands: its package, its root, its cells."""

import json
from pathlib import Path

import pytest

from regard.checker.reading.place import notebook, opened, packaged
from regard.errors import RegardError


def write(folder: Path, name: str, text: str = "") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_package_is_named_from_the_folder_above_it(tmp_path: Path) -> None:
    for name in ("kit/__init__.py", "kit/deep/__init__.py"):
        write(tmp_path, name)
    path = write(tmp_path, "kit/deep/a.py")
    assert packaged(path, "", tmp_path) == ("kit.deep.a", (str(path.parent), str(tmp_path)))
    assert packaged(tmp_path / "kit" / "__init__.py", "", tmp_path)[0] == "kit"


def test_an_absolute_import_finds_the_folder_that_has_it(tmp_path: Path) -> None:
    write(tmp_path, "utils_of_mine/tools.py")
    path = write(tmp_path, "models/layers/a.py", "from utils_of_mine.tools import x\nimport torch")
    name, roots = packaged(path, path.read_text(), tmp_path)
    assert name == "a"
    assert roots == (str(path.parent), str(tmp_path))


def test_a_relative_import_makes_a_package_of_plain_folders(tmp_path: Path) -> None:
    path = write(tmp_path, "kit/deep/a.py", "from ..base import x")
    assert packaged(path, path.read_text(), tmp_path)[0] == "kit.deep.a"


def test_cells_are_joined_without_magics_and_broken_cells(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "text"},
        {"cell_type": "code", "source": "!pip install x\nimport torch"},
        {"cell_type": "code", "source": ["%%bash\n", "ls"]},
        {"cell_type": "code", "source": "def (:"},
        {"cell_type": "code", "source": "class A:\n    pass"},
    ]
    assert notebook(json.dumps({"cells": cells}), "a") == (
        ["", "import torch", "", "", "", "class A:", "    pass"],
        (1, 3, 5, 6),
    )
    path = write(tmp_path, "hw.ipynb", json.dumps({"cells": cells}))
    assert opened(f"{path}:A").name == "A"


def test_what_is_no_notebook_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, "hw.ipynb", "[]")
    with pytest.raises(RegardError) as caught:
        opened(str(path))
    assert str(caught.value) == (
        f"this is no notebook that can be read\n  got: '{path}'\n  fix: save it again, or as a .py file"
    )
