"""Checks are kept beside the runs, few enough, and never taken for runs."""

from regard.lab.store import checks as module
from regard.lab.store.checks import keep, kept, read

REPORT = {"target": "mine.py", "verdicts": [{"state": "mistake"}], "odd": float("nan")}


def test_a_report_comes_back_whole(store) -> None:
    id = keep(store, REPORT)
    (file,) = kept(store)
    assert file.stem == id
    found = read(file)
    assert found is not None and found["report"]["verdicts"] == [{"state": "mistake"}] and found["when"]
    assert store.runs() == []


def test_only_the_newest_stay(store, monkeypatch) -> None:
    monkeypatch.setattr(module, "KEPT", 3)
    ids = [keep(store, REPORT) for _ in range(5)]
    assert {file.stem for file in kept(store)} <= set(ids) and len(kept(store)) == 3


def test_a_damaged_file_is_none_and_others_names_are_not_ours(store) -> None:
    keep(store, REPORT)
    (file,) = kept(store)
    file.write_text("{}")
    assert read(file) is None
    (file.parent / "check-<b>.json").write_text("{}")
    assert len(kept(store)) == 1
