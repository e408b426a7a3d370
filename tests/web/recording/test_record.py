"""The recording command: its parts, and what is left of a run."""

import json
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.lab import registry
from regard.lab.store.run import LOCK, REPORT, Run
from regard.lab.store.runs import Store
from regard.web.bundle import Bundled
from regard.web.recording import record as module
from regard.web.recording.record import PARTS, PRESETS, keep, record
from serving import made


def test_an_unknown_part_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="did you mean 'karate'"):
        record(["karrate"], tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


def test_a_document_is_written_as_plain_json(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(PARTS, "odd", module._document("odd", lambda: {"a": float("nan")}))
    record(["odd"], tmp_path)
    assert json.loads((tmp_path / "odd.json").read_text()) == {"a": "nan"}


def test_a_kept_run_is_whole_and_says_nothing_of_this_machine(tmp_path: Path) -> None:
    run = made(Store(tmp_path / "runs"))
    keep(run)
    kept = Run(run.path)
    assert (kept.state, kept.request["source"], kept.request["process"]) == (
        "finished",
        "regard/errors.py",
        None,
    )
    assert not (run.path / REPORT).exists() and not (run.path / LOCK).exists()
    keep(kept)
    assert Run(run.path).request == kept.request


def test_what_is_shipped_is_what_would_be_recorded() -> None:
    assert {run.name for run in Bundled().runs.runs()} == set(PRESETS) <= set(registry.names())


def test_notes_on_models_are_added(tmp_path: Path) -> None:
    for name in ("a", "b"):
        module._about(tmp_path, name, {"what": name})
    assert Bundled(tmp_path).about == {"a": {"what": "a"}, "b": {"what": "b"}}
