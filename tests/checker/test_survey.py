"""A folder is listed by its syntax: nothing is run."""

from pathlib import Path

import pytest

from regard.checker.survey import Candidate, survey
from regard.errors import RegardError


def test_candidates_are_found_without_running_anything(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / ".venv").mkdir()
    layer = "class RMSNorm:\n    def __init__(self, dim): ...\n    def forward(self, x): ...\n"
    (tmp_path / "deep" / "a.py").write_text(
        f"raise SystemExit\n{layer}def attention(q, k, v, mask=None): ...\n"
    )
    (tmp_path / ".venv" / "b.py").write_text(layer)
    (tmp_path / "c.py").write_text("def (:")
    assert survey(tmp_path) == [
        Candidate(tmp_path / "deep" / "a.py", "RMSNorm", "rms-norm"),
        Candidate(tmp_path / "deep" / "a.py", "attention", "scaled-dot-product"),
    ]


def test_a_folder_that_is_not_there_is_told() -> None:
    with pytest.raises(RegardError, match="there is no such folder to check"):
        survey(Path("nowhere"))
