"""A run as bytes: what arrives is what was sent, lands whole and once, and leads out of no folder."""

import json
from hashlib import sha256

import pytest

from regard.errors import RegardError
from regard.files import Damaged
from regard.lab.fanout import parcel as parcels
from regard.lab.fanout.parcel import Parcel, folder_of, land
from regard.lab.runner import run
from regard.lab.store.runs import Store


@pytest.fixture
def done(experiment, source, tmp_path):
    return run(
        experiment, experiment.presets["quick"], Store(tmp_path / "far"), source=source, preset="quick"
    )


def parcel_of(done) -> Parcel:
    return Parcel(done.request["key"], done.id, "", folder_of(done))


@pytest.mark.slow
def test_a_run_lands_as_it_was(done, store) -> None:
    there = land(store, Parcel.unpack(parcel_of(done).pack()), done.request["key"])
    assert there is not None and there.path.parent == store.root and there.id == done.id
    assert there.events == done.events and there.result == done.result and there.state == "finished"
    assert there.figure("line") == done.figure("line") is not None
    assert (there.path / "report.html").read_bytes() == (done.path / "report.html").read_bytes()
    assert [path.name for path in store.root.iterdir()] == [done.id]


@pytest.mark.slow
def test_a_run_that_comes_twice_is_kept_once(done, store) -> None:
    key = done.request["key"]
    first = land(store, parcel_of(done), key)
    again = land(store, parcel_of(done), key)
    assert first == again and len(store.runs()) == 1 and len(list(store.root.iterdir())) == 1


@pytest.mark.slow
def test_the_run_of_another_key_or_a_damaged_one_leaves_nothing(done, store) -> None:
    sent = parcel_of(done)
    with pytest.raises(Damaged, match="an answer to another order"):
        land(store, sent, "another")
    with pytest.raises(Damaged, match="the run of another key"):
        land(store, Parcel("another", sent.id, "", sent.files), "another")
    short = sent.files | {"log.jsonl": sent.files["log.jsonl"][:-40]}
    with pytest.raises(Damaged, match="a run that is damaged"):
        land(store, Parcel(sent.key, sent.id, "", short), sent.key)
    assert list(store.root.iterdir()) == []


def test_a_parcel_of_a_problem_has_no_run(store) -> None:
    assert land(store, Parcel.unpack(Parcel("k", "", "it broke", {}).pack()), "k") is None
    assert not store.root.exists()


ID = "coin-quick-20261118-022344023-8d7357"


def forged(**changes) -> bytes:
    body = b"abc"
    head = {
        "format": 1, "key": "k", "id": ID, "problem": "", "files": [["a", 3]],
        "sha256": sha256(body).hexdigest(),
    } | changes  # fmt: skip
    return json.dumps(head).encode() + b"\n" + body


def test_the_forged_parcel_is_fine_but_for_what_is_forged() -> None:
    assert Parcel.unpack(forged()).files == {"a": b"abc"}


@pytest.mark.parametrize(
    "changes",
    [
        {"files": [["../a", 3]]},
        {"files": [["/etc/a", 3]]},
        {"files": [["a/../../b", 3]]},
        {"files": [[".hidden", 3]]},
        {"files": [["a\\..\\b", 3]]},
        {"files": [["a", 2]]},
        {"files": [["a", 4], ["b", -1]]},
        {"files": [["a", 1], ["a", 2]]},
        {"id": "../elsewhere"},
        {"id": ""},
        {"format": 2},
        {"sha256": "0"},
        {"files": "no list"},
    ],
)
def test_a_forged_parcel_is_refused(changes) -> None:
    with pytest.raises(Damaged):
        Parcel.unpack(forged(**changes))


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"\xff\n", b"[1]\nabc"])
def test_bytes_that_are_no_parcel_are_refused(data: bytes) -> None:
    with pytest.raises(Damaged):
        Parcel.unpack(data)


@pytest.mark.slow
def test_links_locks_and_drafts_stay_behind_and_what_is_too_large_is_told(
    done, monkeypatch, tmp_path
) -> None:
    (tmp_path / "secret").write_text("not of the run")
    (done.path / "link").symlink_to(tmp_path / "secret")
    (done.path / ".draft").write_text("half")
    (done.path / "checkpoints").mkdir()
    (done.path / "checkpoints" / "step 5.bin").write_bytes(b"1")
    found = folder_of(done)
    assert {"run.json", "log.jsonl", "result.json", "figures/line.svg", "checkpoints/step 5.bin"} <= set(
        found
    )
    assert not {"link", ".draft", "lock"} & set(found)
    monkeypatch.setattr(parcels, "BYTES", 10)
    with pytest.raises(RegardError, match="this run is too large to be sent"):
        folder_of(done)
