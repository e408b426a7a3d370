"""Files inside packages, siblings that lack a package, definitions alone."""

import sys
from pathlib import Path

import pytest

from regard.checker.process.loading import FileReading, load


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_file_of_a_package_has_its_siblings(tmp_path: Path) -> None:
    folder = tmp_path / "kit_a" / "layers"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").write_text("")
    (folder / "one.py").write_text(
        "from ..base import SIZE\nfrom kit_a.base import SIZE as S\nclass A:\n    size = SIZE + S\n"
    )
    (folder.parent / "base.py").write_text("import nowhere_d\nfrom torch.nowhere import x\nSIZE = 2\n")
    reading = FileReading(
        path=str(folder / "one.py"), name="kit_a.layers.one", roots=(str(folder), str(tmp_path))
    )
    loaded = load(reading)
    assert loaded.module.A.size == 4
    assert loaded.module.A.__module__ == "kit_a.layers.one"
    assert loaded.absent == {"nowhere_d"}


def test_a_package_whose_own_file_fails_is_there_all_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "kit_b"
    folder.mkdir()
    (folder / "__init__.py").write_text("1 / 0")
    (folder / "one.py").write_text("from .two import x\n")
    (folder / "two.py").write_text("x = 3\n")
    assert (
        load(FileReading(path=str(folder / "one.py"), name="kit_b.one", roots=(str(tmp_path),))).module.x == 3
    )


def test_definitions_are_run_one_by_one_and_what_fails_is_left_out(tmp_path: Path) -> None:
    text = "import math\ntext = open('nowhere').read()\nn = 3\ndef f():\n    return n\n"
    loaded = load(FileReading(path=str(tmp_path / "a.py"), text=text, name="mine_c", after="k = n + 1"))
    assert loaded.module.f() == 3
    assert loaded.module.k == 4
    assert [words.partition(":")[0] for words in loaded.skipped] == ["line 2"]


def test_annotations_of_the_future_stay_so(tmp_path: Path) -> None:
    (tmp_path / "later.py").write_text(
        '"""Doc."""\nfrom __future__ import annotations\ndef f(x: Nowhere) -> Nowhere: ...\n'
    )
    module = load(FileReading(path=str(tmp_path / "later.py"), name="later_e")).module
    assert module.f.__annotations__["x"] == "Nowhere"
    assert module.__doc__ == "Doc."
