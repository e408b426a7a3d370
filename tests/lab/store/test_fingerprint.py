from dataclasses import dataclass
from pathlib import Path

import pytest

from regard.lab.store import fingerprint


@dataclass(frozen=True)
class Settings:
    depth: int = 2
    text: Path | None = None


@pytest.fixture
def package(tmp_path: Path, monkeypatch) -> Path:
    """A package a -> b -> c, with d beside them."""
    folder = tmp_path / "regard"
    (folder / "core").mkdir(parents=True)
    (folder / "core" / "__init__.py").write_text("")
    (folder / "core" / "b.py").write_text("from regard.core import c")
    (folder / "core" / "c.py").write_text("")
    (folder / "core" / "fast.cpp").write_text("int x;")
    (folder / "core" / "shared.h").write_text("int y;")
    (folder / "d.py").write_text("")
    (folder / "a.py").write_text("def f():\n    import regard.core.b")
    monkeypatch.setattr(fingerprint, "PACKAGE", folder)
    return folder


def test_the_code_of_a_file_is_all_that_it_imports(package: Path) -> None:
    assert set(fingerprint.code(package / "a.py")) == {
        "a.py",
        "core/__init__.py",
        "core/b.py",
        "core/c.py",
        "core/fast.cpp",
        "core/shared.h",
    }


@pytest.mark.parametrize("changed", ["a.py", "core/c.py", "core/fast.cpp", "core/shared.h"])
def test_a_change_in_what_it_imports_changes_the_key(package: Path, changed: str) -> None:
    before = fingerprint.key(Settings(), seed=0, source=package / "a.py")
    (package / changed).write_text("# changed")
    assert fingerprint.key(Settings(), seed=0, source=package / "a.py") != before


def test_a_change_beside_it_does_not(package: Path) -> None:
    before = fingerprint.key(Settings(), seed=0, source=package / "a.py")
    (package / "d.py").write_text("# changed")
    assert fingerprint.key(Settings(), seed=0, source=package / "a.py") == before


@pytest.fixture
def room(package: Path) -> Path:
    """An experiment that is a folder, with what it imports from its own folder and from its chapter."""
    room = package / "experiments" / "text" / "tales"
    room.mkdir(parents=True)
    (room / "experiment.py").write_text(
        "from . import figures\nfrom ..corpus import x\nfrom ....core import c"
    )
    for file in ("figures.py", "unused.py", "words.txt"):
        (room / file).write_text("")
    (room.parent / "corpus.py").write_text("from .deep.er import y")
    (room.parent / "deep").mkdir()
    for file in ("__init__.py", "er.py"):
        (room.parent / "deep" / file).write_text("")
    (room.parent / "other.py").write_text("")
    return room


@pytest.mark.parametrize(
    "changed",
    [
        "figures.py",
        "unused.py",
        "words.txt",
        "../corpus.py",
        "../deep/er.py",
        "../deep/__init__.py",
        "../../../core/c.py",
    ],
)
def test_any_file_of_a_room_and_any_relative_import_is_in_the_key(room: Path, changed: str) -> None:
    before = fingerprint.key(Settings(), seed=0, source=room / "experiment.py")
    (room / changed).write_text("# changed")
    assert fingerprint.key(Settings(), seed=0, source=room / "experiment.py") != before


def test_the_room_beside_is_not(room: Path) -> None:
    before = fingerprint.key(Settings(), seed=0, source=room / "experiment.py")
    (room / "../other.py").write_text("# changed")
    assert fingerprint.key(Settings(), seed=0, source=room / "experiment.py") == before


def test_a_file_of_ones_own_brings_what_lies_beside_it_and_is_imported(tmp_path: Path) -> None:
    (tmp_path / "experiment.py").write_text("import helper, json")
    for file in ("helper.py", "stranger.py"):
        (tmp_path / file).write_text("")
    assert set(fingerprint.code(tmp_path / "experiment.py")) == {"experiment.py", "helper.py"}


@pytest.mark.parametrize("line", ["from regard import attend", "import regard\n\nregard.attend"])
def test_a_public_name_brings_the_file_that_it_comes_from(tmp_path: Path, line: str) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(line)
    found = fingerprint.code(mine)
    assert {"mine.py", "core/attend.py", "core/backends/sdpa.py"} <= set(found)


def test_settings_seed_and_the_content_of_a_file_are_in_the_key(package: Path, tmp_path: Path) -> None:
    source, text = package / "a.py", tmp_path / "text.txt"
    text.write_text("one")
    keys = [
        fingerprint.key(Settings(), seed=0, source=source),
        fingerprint.key(Settings(), seed=1, source=source),
        fingerprint.key(Settings(depth=3), seed=0, source=source),
        fingerprint.key(Settings(text=text), seed=0, source=source),
    ]
    text.write_text("two")
    keys.append(fingerprint.key(Settings(text=text), seed=0, source=source))
    assert len(set(keys)) == 5


def test_the_real_first_experiment_depends_on_claims_and_not_on_the_book() -> None:
    files = set(fingerprint.code(fingerprint.PACKAGE / "experiments" / "attention" / "scaled_dot_product.py"))
    assert "claims.py" in files and "lab/book/book.py" not in files and "cli/verbs.py" not in files


def test_a_text_that_names_a_file_stands_with_what_it_holds(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fingerprint.plain("mine.txt") == "mine.txt"
    Path("mine.txt").write_text("a")
    before = fingerprint.plain("mine.txt")
    assert before["path"] == "mine.txt" and len(before["sha256"]) == 64
    Path("mine.txt").write_text("b")
    assert fingerprint.plain("mine.txt") != before and fingerprint.plain("\0") == "\0"


def test_a_folder_stands_with_the_hash_of_all_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "1.txt").write_text("one")
    first = fingerprint.plain(folder)
    assert first["path"] == str(folder) and len(first["sha256"]) == 64 and fingerprint.plain(folder) == first
    (folder / "a" / "1.txt").rename(folder / "a" / "2.txt")
    second = fingerprint.plain(folder)
    (folder / "a" / "2.txt").write_text("two")
    assert len({one["sha256"] for one in (first, second, fingerprint.plain(folder))}) == 3
