"""The index of runs: the same as the folders, after every change, and cheap to ask."""

import os
import time
from dataclasses import replace

import pytest

from regard.files import write
from regard.lab.runner import run
from regard.lab.store import index as module
from regard.lab.store.entries import entries
from regard.lab.store.index import RunIndex
from regard.lab.store.run import ASKED, LOG, REQUEST, RESULT, Run
from regard.lab.store.writer import Writer


@pytest.fixture(autouse=True)
def _always_fresh(monkeypatch) -> None:
    monkeypatch.setattr(module, "FRESH", -1.0)


@pytest.fixture
def made(experiment, store, source):
    def make(**changes) -> Run:
        chosen = replace(experiment.presets["quick"], **changes)
        return run(experiment, chosen, store, source=source, preset="quick")

    return make


def test_lines_say_what_the_folders_say(made, store) -> None:
    for height in (1.5, 9.0):
        made(height=height)
    lines = RunIndex(store).lines()
    assert [one.id for one in lines] == [one.id for one in reversed(entries(store))]
    for line, entry in zip(lines, reversed(entries(store)), strict=True):
        assert (line.name, line.state, line.started) == (entry.name, entry.state, entry.started)
        assert line.claims == {"held": entry.held, "failed": entry.failed, "not settled": entry.unsettled}
    assert lines[0].process == os.getpid()


def test_no_folder_and_no_runs_are_an_empty_list(store, tmp_path) -> None:
    assert RunIndex(store).lines() == []
    store.root.mkdir()
    (store.root / "notes.txt").touch()
    (store.root / "empty").mkdir()
    assert RunIndex(store).lines() == []


def test_a_run_is_running_while_it_is_and_interrupted_after(made, store) -> None:
    done, index = made(), RunIndex(store)
    assert index.lines()[0].state == "finished"
    writer = Writer(done.path)
    assert index.lines()[0].state == "running"
    writer.close()
    assert index.lines()[0].state == "interrupted"


def test_damage_is_seen(made, store) -> None:
    done, index = made(), RunIndex(store)
    index.lines()
    log = (done.path / LOG).read_bytes()
    (done.path / LOG).write_bytes(log[:-5])
    assert index.lines()[0].state == "damaged"
    (done.path / LOG).write_bytes(log)
    assert index.lines()[0].state == "finished"
    (done.path / RESULT).write_text("{}")
    assert index.lines()[0].state == "damaged"
    (done.path / REQUEST).write_text("x")
    line = index.lines()[0]
    assert (line.state, line.name) == ("damaged", "heights")


def test_another_format_is_said_so(made, store) -> None:
    done = made()
    write(done.path / REQUEST, replace(ASKED, version=ASKED.version + 1).page(done.request))
    assert RunIndex(store).lines()[0].state == "other format"


def test_an_id_is_looked_up_and_an_odd_name_gets_another(made, store) -> None:
    done, index = made(), RunIndex(store)
    odd = done.path.rename(store.root / "a<b> c")
    (line,) = index.lines()
    assert line.path == odd and line.id.startswith("run-") and line.id.isascii()
    assert index.find(line.id) == line
    assert index.find("a<b> c") is None and index.find("../runs") is None


def test_it_reads_nothing_again_that_did_not_change(made, store, monkeypatch) -> None:
    made()
    index = RunIndex(store)
    index.lines()
    monkeypatch.setattr(module, "_read", lambda *given: pytest.fail("read again"))
    assert len(index.lines()) == 1


def test_within_a_moment_it_does_not_even_look(made, store, monkeypatch) -> None:
    made()
    monkeypatch.setattr(module, "FRESH", 60.0)
    index = RunIndex(store)
    index.lines()
    monkeypatch.setattr(index, "_look", lambda: pytest.fail("looked again"))
    begun = time.monotonic()
    for _ in range(1000):
        index.lines()
    assert time.monotonic() - begun < 5
