import shutil
import sqlite3

import pytest

from regard.claims import Claim
from regard.lab.store.index import FILE, RunIndex
from regard.lab.store.runs import Store

CLAIM = Claim(name="height", low=1.0, why="so", source="here")


def ended(store: Store, name: str = "heights", value: float = 1.5, key: str = "k", state="finished"):
    request = {
        "name": name,
        "preset": "quick",
        "changes": [],
        "key": key,
        "claims": [CLAIM.plain()],
        "started": f"2026-{len(store.runs()):03}",
    }
    writer = store.create(name, "quick", request)
    writer.finish(state, [CLAIM.settle(value)], seconds=1.0)
    writer.close()
    return writer.path


def test_the_index_counts_verdicts(store: Store) -> None:
    ended(store)
    ended(store, value=0.5)
    assert [(one.name, one.held, one.failed, one.unsettled) for one in RunIndex(store).entries()] == [
        ("heights", 1, 0, 0),
        ("heights", 0, 1, 0),
    ]


def test_the_index_follows_the_folders(store: Store) -> None:
    gone, kept = ended(store), ended(store)
    assert len(RunIndex(store).entries()) == 2
    shutil.rmtree(gone)
    assert [one.id for one in RunIndex(store).entries()] == [kept.name]


def test_a_run_under_way_is_looked_at_again(store: Store) -> None:
    request = {
        "name": "a",
        "preset": "quick",
        "changes": ["x=1"],
        "key": "k",
        "claims": [CLAIM.plain()],
        "started": "2026",
    }
    writer = store.create("a", "quick", request)
    assert [(one.state, one.preset) for one in RunIndex(store).entries()] == [("running", "quick changed")]
    writer.finish("finished", [CLAIM.settle(2.0)], seconds=1.0)
    writer.close()
    assert [(one.state, one.held) for one in RunIndex(store).entries()] == [("finished", 1)]


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100])
def test_a_lost_or_damaged_index_is_rebuilt(store: Store, damage: bytes) -> None:
    path = ended(store)
    RunIndex(store).entries()
    for file in store.root.glob(FILE + "*"):
        file.unlink()
    (store.root / FILE).write_bytes(damage)
    assert [one.id for one in RunIndex(store).entries()] == [path.name]


def test_a_damaged_run_is_left_out_and_in_nobodys_way(store: Store) -> None:
    bad, good = ended(store), ended(store)
    (bad / "run.json").write_text("{")
    assert [one.id for one in RunIndex(store).entries()] == [good.name]


def test_it_is_in_wal_mode_so_that_readers_do_not_wait(store: Store) -> None:
    ended(store)
    RunIndex(store).entries()
    assert sqlite3.connect(store.root / FILE).execute("pragma journal_mode").fetchone() == ("wal",)


def test_without_a_writable_place_it_lives_in_memory(store: Store, monkeypatch) -> None:
    path = ended(store)
    real = sqlite3.connect
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda place, **words: real(place if place == ":memory:" else "/nowhere/at/all", **words),
    )
    assert [one.id for one in RunIndex(store).entries()] == [path.name]


def test_only_a_finished_run_answers_for_its_key(store: Store) -> None:
    ended(store, key="a", state="out of time")
    assert RunIndex(store).finished("a") is None
    path = ended(store, key="a")
    found = RunIndex(store).finished("a")
    assert found is not None and found.id == path.name
