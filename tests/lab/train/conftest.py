"""Small texts in several alphabets, and trainings that take a second."""

from pathlib import Path

import pytest


@pytest.fixture
def mine(tmp_path: Path, monkeypatch) -> Path:
    """A folder of one's own, with a text in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    monkeypatch.setattr("regard.cli.main.busy", lambda: False)
    Path("mine.txt").write_text("to be or not to be, that is the question\n" * 30)
    return tmp_path
