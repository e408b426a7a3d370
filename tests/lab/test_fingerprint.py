from dataclasses import dataclass
from pathlib import Path

import pytest

from regard.lab import fingerprint


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
    }


@pytest.mark.parametrize("changed", ["a.py", "core/c.py", "core/fast.cpp"])
def test_a_change_in_what_it_imports_changes_the_key(package: Path, changed: str) -> None:
    before = fingerprint.key(Settings(), seed=0, source=package / "a.py")
    (package / changed).write_text("# changed")
    assert fingerprint.key(Settings(), seed=0, source=package / "a.py") != before


def test_a_change_beside_it_does_not(package: Path) -> None:
    before = fingerprint.key(Settings(), seed=0, source=package / "a.py")
    (package / "d.py").write_text("# changed")
    assert fingerprint.key(Settings(), seed=0, source=package / "a.py") == before


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
    files = set(fingerprint.code(fingerprint.PACKAGE / "lab" / "experiments" / "scaled_dot_product.py"))
    assert "claims.py" in files and "lab/book.py" not in files and "cli.py" not in files
