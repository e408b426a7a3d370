import shutil
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.files import Format
from regard.lab.experiment import ORIGINAL
from regard.lab.store.entries import entries, finished, settled_items
from regard.lab.store.index import RunIndex
from regard.lab.store.runs import Store

CLAIM = Claim(name="height", low=1.0, why="so", source="here")
REQUEST = {"preset": "quick", "changes": [], "claims": [CLAIM.plain()]}

LEARNED = {
    "texts": [{"path": "/home/me/mine.txt"}], "tokenizer": "bytes", "start": "",
    "recipe": {"model": {"depth": 2, "width": 64}},
}  # fmt: skip


def ended(store: Store, name: str = "heights", value: float = 1.5, key: str = "k", state="finished"):
    started = f"2026-01-01T00:00:{len(store.runs()):02}+00:00"
    writer = store.create(name, "quick", REQUEST | {"name": name, "key": key, "started": started})
    writer.finish(state, [CLAIM.settle(value)], seconds=1.0)
    writer.close()
    return writer.path


def test_an_item_is_what_all_its_claims_are() -> None:
    one, two = (Claim(name=name, low=1.0, items=(6, 7)) for name in "ab")
    alone = Claim(name="c", low=1.0, items=(8,))
    assert settled_items([one.settle(2.0), two.settle(2.0), alone.settle(None)]) == {
        6: "held",
        7: "held",
        8: "not settled",
    }
    assert settled_items([one.settle(2.0), two.settle(None)])[6] == "not settled"
    assert settled_items([one.settle(None), two.settle(0.0)])[7] == "failed"
    assert settled_items([CLAIM.settle(2.0)]) == {}


def test_entries_count_verdicts(store: Store) -> None:
    ended(store)
    ended(store, value=0.5)
    assert [(one.name, one.held, one.failed, one.unsettled) for one in entries(store)] == [
        ("heights", 1, 0, 0),
        ("heights", 0, 1, 0),
    ]


def test_claims_that_were_not_asked_of_own_data_do_not_count(store: Store) -> None:
    own = {"name": "a", "key": "k", "started": "2026-01-01T00:00:00+00:00", "seed": 0}
    writer = store.create("a", "quick", REQUEST | own)
    other = Claim(name="width", low=1.0)
    writer.finish(
        "finished", [CLAIM.settle(1.5), other.settle(None, reason=f"{ORIGINAL}; graph=my.csv")], seconds=1.0
    )
    writer.close()
    assert [(one.held, one.failed, one.unsettled) for one in entries(store)] == [(1, 0, 0)]
    assert [one.claims for one in RunIndex(store).lines()] == [{"held": 1, "failed": 0, "not settled": 0}]


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({"changes": ["tosses=10", "graph=my.csv"], "seed": 0}, "tosses=10, graph=my.csv"),
        ({"seed": 3}, "seed 3"),
        ({"verb": "train", "settings": LEARNED}, "mine.txt, bytes, 2 layers of width 64"),
        ({"verb": "train", "settings": LEARNED | {"tokenizer": "given", "start": "/runs/train-a"}},
         "mine.txt, from train-a, 2 layers of width 64"),
        ({"verb": "train", "settings": LEARNED | {"texts": [{"path": "/a.tokens"}], "tokenizer": "given"}},
         "a.tokens, the file's tokenizer, 2 layers of width 64"),
    ],
)  # fmt: skip
def test_runs_of_one_name_are_told_apart(store: Store, request_: dict, told: str) -> None:
    own = {"name": "a", "key": "k", "started": "2026-01-01T00:00:00+00:00"}
    store.create("a", "quick", REQUEST | own | request_).close()
    assert [one.told for one in entries(store)] == [told]


def test_entries_follow_the_folders(store: Store) -> None:
    gone, kept = ended(store), ended(store)
    assert len(entries(store)) == 2
    shutil.rmtree(gone)
    assert [one.id for one in entries(store)] == [kept.name]


def test_a_run_under_way_is_running_and_then_finished(store: Store) -> None:
    request = REQUEST | {"name": "a", "changes": ["x=1"], "key": "k", "started": "2026-01-01T00:00:00"}
    writer = store.create("a", "quick", request)
    assert [(one.state, one.preset) for one in entries(store)] == [("running", "quick changed")]
    writer.finish("finished", [CLAIM.settle(2.0)], seconds=1.0)
    writer.close()
    assert [(one.state, one.held) for one in entries(store)] == [("finished", 1)]


def test_a_run_on_another_device_is_one_of_its_preset(store: Store) -> None:
    asked = REQUEST | {"name": "a", "key": "k", "started": "2026-01-01T00:00:00", "devices": ["device"]}
    for changes in (["device=cpu"], ["device=cpu", "x=1"]):
        store.create("a", "quick", asked | {"changes": changes}).close()
    assert sorted(one.preset for one in entries(store)) == ["quick", "quick changed"]


@pytest.mark.parametrize("file", ["run.json", "result.json", "log.jsonl"])
@pytest.mark.parametrize(
    "content", [b"", b"null", b"[]", b"{}", b"garbage", b"\xff\xfe\x00", b'{"state": "fini']
)
def test_a_damaged_run_is_listed_as_such_and_in_nobodys_way(store: Store, file: str, content: bytes) -> None:
    bad, good = ended(store), ended(store)
    (bad / file).write_bytes(content)
    found = {one.id: one for one in entries(store)}
    assert (found[bad.name].state, found[bad.name].held, found[bad.name].name) == ("damaged", 0, "heights")
    assert found[good.name].state == "finished" and list(finished(store)) == ["k"]


@pytest.mark.parametrize("file", ["run.json", "log.jsonl"])
def test_a_run_that_lost_a_file_is_damaged(store: Store, file: str) -> None:
    (ended(store) / file).unlink()
    assert [one.state for one in entries(store)] == ["damaged"] and finished(store) == {}


def test_runs_of_another_format_are_listed_and_never_counted(store: Store) -> None:
    """A folder as it was written before there were versions, and one of a version to come."""
    old = store.root / "heights-quick-20260101-000000000-abcdef"
    shutil.copytree(Path(__file__).with_name("format-1"), old)
    newer = ended(store)
    (newer / "run.json").write_text(Format("run", 3, "").page({}))
    found = {one.id: one for one in entries(store)}
    assert found[old.name].state == found[newer.name].state == "other format"
    assert (found[old.name].name, found[old.name].held) == ("heights", 0) and finished(store) == {}


def test_only_a_finished_run_answers_for_its_key_and_the_newest_does(store: Store) -> None:
    ended(store, key="a", state="out of time")
    assert finished(store) == {}
    ended(store, key="a")
    newest = ended(store, key="a")
    assert finished(store)["a"].id == newest.name
