"""The lab's documents over a real store: nothing yet, something, something damaged; and what is kept."""

import json
import threading
import time
from pathlib import Path

import pytest

from regard.lab.book.titles import TITLES
from regard.lab.store import index
from regard.lab.store.run import LOG, REQUEST, Run
from regard.lab.store.runs import Store
from regard.web.bundle import Bundled
from regard.web.lab import KeptDocument, Lab
from regard.web.refusal import Refusal
from serving import made


@pytest.fixture(autouse=True)
def _always_fresh(monkeypatch) -> None:
    monkeypatch.setattr(index, "FRESH", -1.0)


@pytest.fixture
def empty(tmp_path: Path) -> Lab:
    return Lab(Store(tmp_path / "runs"), Bundled())


def test_on_a_machine_that_has_run_nothing_there_is_much_to_see(empty: Lab) -> None:
    document = empty.document([])
    assert [one["name"] for one in document["chapters"]] == [
        "attention",
        "text",
        "graphs",
        "images",
        "unsupervised",
        "lab",
        "theory",
    ]
    rows = {row["name"]: row for chapter in document["chapters"] for row in chapter["experiments"]}
    assert rows["karate"]["states"] == {"held": 0, "failed": 0, "not settled": 0}
    assert rows["karate"]["recorded"]["held"] > 0 and rows["karate"]["latest"] and rows["karate"]["runs"] == 0
    assert document["loading"] and all(row["question"] for row in rows.values())
    listed = empty.runs(None, 100, None)
    assert listed["runs"] and all(one["recorded"] for one in listed["runs"])
    assert {one["id"] for one in empty.models()} >= {"shakespeare"}


def test_experiments_are_headed_as_in_the_book(empty: Lab) -> None:
    rows = [one for chapter in empty.document([])["chapters"] for one in chapter["experiments"]]
    assert {one["name"]: one["title"] for one in rows} == TITLES


def test_own_runs_come_first_and_pages_follow_each_other(empty: Lab) -> None:
    ids = [made(empty.store).id for _ in range(3)][::-1]
    recorded = len(empty.recorded.lines())
    listed = empty.runs(None, 2, None)
    assert [one["id"] for one in listed["runs"]] == ids[:2] and listed["more"]
    rest = empty.runs(None, 100, ids[1])
    assert rest["runs"][0]["id"] == ids[2] and len(rest["runs"]) == 1 + recorded
    assert not rest["more"] and empty.runs("heights", 100, None)["total"] == 3 + recorded
    assert [one["id"] for one in empty.runs("heights", 100, None)["runs"]] == ids
    assert empty.runs("heights", 100, "unknown")["runs"] == []


def test_a_document_is_made_once_until_something_changes(empty: Lab, monkeypatch) -> None:
    from regard.web import lab as module

    calls = []
    build = module.run_document
    monkeypatch.setattr(
        module, "run_document", lambda *given, **words: calls.append(1) or build(*given, **words)
    )
    done = made(empty.store)
    first = empty.run(done.id)
    assert empty.run(done.id) is first and len(calls) == 1
    (done.path / LOG).write_bytes(b"x")
    assert json.loads(empty.run(done.id))["state"] == "damaged" and len(calls) == 2


def test_what_is_running_is_not_made_again_at_once_nor_waited_for() -> None:
    kept, slow = KeptDocument(), threading.Event()
    assert kept.content((1,), 0.01, lambda: {"turn": 1}) == b'{"turn":1}'
    time.sleep(0.02)

    def make() -> dict[str, int]:
        slow.wait(10)
        return {"turn": 2}

    maker = threading.Thread(target=kept.content, args=((2,), 0.01, make))
    maker.start()
    time.sleep(0.1)
    assert kept.content((2,), 0.01, make) == b'{"turn":1}', "another one is making it"
    slow.set()
    maker.join()
    assert kept.content((3,), 0.01, lambda: {"turn": 3}) == b'{"turn":2}', "it took long, so it stays long"
    assert kept.content((3,), 0.0, lambda: {"turn": 3}) == b'{"turn":3}', "what has ended is shown at once"


def test_runs_of_ones_own_experiments_are_in_a_chapter_of_their_own(empty: Lab) -> None:
    assert empty.yours("heights-of-mine") is None
    done = made(empty.store, "heights-of-mine")
    chapter = empty.document([])["chapters"][-1]
    (row,) = chapter["experiments"]
    assert (chapter["name"], row["name"], row["latest"], row["runs"]) == (
        "yours",
        "heights-of-mine",
        done.id,
        1,
    )
    own = empty.yours("heights-of-mine")
    assert own is not None and own["question"] == row["question"] != "" and not own["presets"]
    (done.path / REQUEST).write_text("<b>")
    assert empty.document([])["chapters"][-1]["experiments"][0]["question"] == ""


def test_damaged_runs_are_listed_and_told_and_refused_elsewhere(empty: Lab) -> None:
    done = made(empty.store)
    (done.path / LOG).write_bytes(b"x")
    assert empty.runs(None, 1, None)["runs"][0]["state"] == "damaged"
    assert json.loads(empty.run(done.id))["problem"]["what"] == "this run's folder is damaged"
    for take in (
        lambda: empty.share(done.id),
        lambda: empty.figure(done.id, 0),
        lambda: empty.compare(done.id, done.id),
    ):
        with pytest.raises(Refusal) as error:
            take()
        assert error.value.status == 409


def test_share_and_figures_of_a_recorded_run(empty: Lab) -> None:
    (line,) = [one for one in empty.recorded.lines() if one.name == "scaled-dot-product"]
    name, page = empty.share(line.id)
    assert name == line.id and page.startswith("<!doctype html>") and "<script" not in page
    drawn = empty.figure(line.id, 0)
    assert "<svg" in drawn[:500] and "prefers-color-scheme: dark" in drawn
    with pytest.raises(Refusal) as error:
        empty.figure(line.id, 99)
    assert error.value.status == 404


def test_two_runs_are_compared(empty: Lab) -> None:
    first, second = made(empty.store), made(empty.store)
    assert json.loads(empty.compare(first.id, second.id))["kind"] == "comparison"


def test_the_models_of_a_run_have_ids_that_lead_to_them(empty: Lab) -> None:
    from regard.data import Character
    from regard.lab.text_model import save_text_model
    from regard.models.gpt.config import GPTConfig

    done = made(empty.store)
    config = GPTConfig(vocabulary=5, context=7, depth=1, heads=2, width=6)
    for name in ("model", "odd <b>"):
        save_text_model(done.path / name, config, Character("hello"))
    own = [one for one in empty.models() if not one["bundled"]]
    assert [one["id"].partition("~")[0] for one in own] == [done.id, done.id]
    places = [empty.place(one["id"]) for one in own]
    assert sorted(Path(one["path"]).name for one in places) == ["model", "odd <b>"]
    assert json.loads(empty.run(done.id))["models"] == [one["id"] for one in own]
    assert empty.place("shakespeare")["kind"] == "text"
    for id in ("nothing", f"{done.id}~other", f"{done.id}~..", done.id):
        with pytest.raises(Refusal):
            empty.place(id)


def test_ids_are_looked_up(empty: Lab) -> None:
    made(empty.store)
    for id in ("..", "none", "runs"):
        with pytest.raises(Refusal) as error:
            empty.line(id)
        assert error.value.status == 404
    assert isinstance(empty.readable(empty.own.lines()[0]), Run)
