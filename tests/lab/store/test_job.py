"""torchrun's restarts: a job finds the run that it began, and no other."""

import os
import platform
from pathlib import Path

import pytest

from regard.lab.store.job import begun, job
from regard.lab.store.runs import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch) -> Store:
    for name in ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"):
        monkeypatch.delenv(name, raising=False)
    return Store(tmp_path / "runs")


def record(store: Store, **request: str) -> str:
    words = {"name": "train", "started": "2026-01-01T00:00:00.000000+00:00", "claims": []}
    writer = store.create("train", "mine", words | request)
    writer.close()
    return writer.path.name


def test_without_torchrun_there_is_no_job(store: Store, monkeypatch) -> None:
    record(store)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert job() is None and begun(store) is None


def test_a_job_finds_its_newest_run_once_it_was_started_again(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "mine")
    record(store)
    record(store, job="other")
    assert begun(store) is None
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert begun(store) is None
    record(store, job="mine")
    newest = record(store, job="mine")
    record(store, job="other")
    found = begun(store)
    assert found is not None and found.id == newest
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "0")
    assert begun(store) is None


def test_a_job_without_a_name_has_that_of_its_parent(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    assert job() == f"{platform.node()}-{os.getppid()}"
