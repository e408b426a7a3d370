"""tests/ mirrors src/regard file for file: what tests a thing is found in one guess."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

BESIDE = {
    "lab/test_literal_results.py",
    "test_layers.py",
    "test_rooms.py",
    "test_mirror.py",
    "test_import.py",
    "test_golden.py",
    "test_saboteurs.py",
    "test_house.py",
    "test_own_words.py",
    "test_readme.py",
    "test_docs.py",
}
"Tests of the house, which have no source file of their name."
FOLDERS = {"faults", "golden", "browser", "bench"}
"Tests of many files at once: what is planted to go wrong, what must stay as it was, a browser, bench/."


def gaps(source: Path, tests: Path) -> list[str]:
    """Source files without their test, and tests without their source."""
    code = {p.relative_to(source) for p in source.rglob("*.py") if not p.stem.startswith("__")}
    wanted = {file.with_name(f"test_{file.name}") for file in code}
    there = {p.relative_to(tests) for p in tests.rglob("test_*.py")} - {Path(name) for name in BESIDE}
    there = {file for file in there if file.parts[0] not in FOLDERS}
    missing = [f"no tests/{file.as_posix()}" for file in sorted(wanted - there)]
    return missing + [f"tests/{file.as_posix()} mirrors nothing" for file in sorted(there - wanted)]


def test_every_source_file_has_its_test_and_every_test_its_source() -> None:
    assert list((ROOT / "src" / "regard").rglob("*.py")), "no source was read"
    found = gaps(ROOT / "src" / "regard", ROOT / "tests")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "test", "found"),
    [
        ("core/attend.py", "core/test_attend.py", []),
        ("core/__init__.py", "test_house.py", []),
        ("core/__init__.py", "faults/test_store.py", []),
        (
            "core/attend.py",
            "test_attend.py",
            ["no tests/core/test_attend.py", "tests/test_attend.py mirrors nothing"],
        ),
    ],
)
def test_the_mirror_shows_a_planted_gap(tmp_path: Path, source: str, test: str, found: list[str]) -> None:
    for file in (tmp_path / "src" / source, tmp_path / "tests" / test):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert gaps(tmp_path / "src", tmp_path / "tests") == found
