"""Lists: experiments by chapter with their times, runs, the checklist, and one course."""

from dataclasses import replace

import pytest

from regard.lab.book.coverage import coverage
from regard.lab.book.sources import find
from regard.lab.console import console
from regard.lab.lists import (
    COLUMNS,
    ROOM,
    full_seconds,
    show_course,
    show_coverage,
    show_experiments,
    show_records,
    show_reproduction,
    show_runs,
)
from regard.lab.records.record import Record
from regard.lab.records.reproduce import Agreement, Reproduction
from regard.lab.store.entries import RunEntry, entries
from regard.lab.store.run import Run


def entry(**more) -> RunEntry:
    known = {
        "id": "heights-full-1",
        "name": "heights",
        "preset": "full",
        "key": "k",
        "state": "finished",
        "started": "1",
    }
    return RunEntry(**(known | {"seconds": 90.0, "held": 2, "failed": 1, "unsettled": 0} | more))  # fmt: skip


@pytest.fixture(params=[200, 80, 40])
def shown(request, monkeypatch, capsys):
    """What is printed in terminals of three widths, without the breaks of lines."""
    monkeypatch.setattr(console, "_force_terminal", True)
    monkeypatch.setattr(console, "_width", request.param)
    return lambda: " ".join(capsys.readouterr().out.split())


def test_experiments_stand_under_their_chapters_with_their_times(experiment, shown) -> None:
    other = replace(experiment, name="depths", chapter="graphs", seconds=150, question="How deep is it?")
    show_experiments([experiment, other], {"heights": 5400.0})
    text = shown()
    places = [
        text.index(word) for word in ("graphs", "depths", "2.5 min", "How deep", "yours", "heights", "1 s")
    ]
    assert places == sorted(places) and "1.5 h" in text and "How high is it?" in text


def test_the_full_time_is_that_of_the_newest_finished_full_run() -> None:
    runs = [
        entry(seconds=50.0),
        entry(),
        entry(state="stopped", seconds=1.0),
        entry(preset="quick", seconds=2.0),
    ]
    assert full_seconds(runs, {}) == {"heights": 90.0}


def test_a_run_is_named_in_full_with_what_came_of_it(shown) -> None:
    name = "theory-relative-attention-quick-20260101-120000000-4d8623"
    show_runs([entry(id=name), entry(seconds=None, state="running")])
    text = shown()
    assert name in text and "1.5 min" in text and "running" in text and "…" not in text
    assert "with" not in text
    show_runs([entry(held=0, failed=0)])
    assert "held" not in shown()
    show_runs([entry(told="mine.txt, bytes, 2 layers of width 64, held-out loss 1.2345")])
    text = shown()
    assert "with" in text and all(word in text for word in ("mine.txt", "bytes", "1.2345"))


def test_a_record_that_is_to_be_renewed_names_every_file_and_the_commands(shown) -> None:
    heights = Record(
        "heights", "full", ("seeds=4", "device=cpu"), {}, 3, "2026-01-01", 90.0, {}, {}, {}, {}, {}, ("device",)
    )  # fmt: skip
    files = [f"lab/{place}.py" for place in range(9)]
    show_records([heights, replace(heights, name="depths")], {"heights": files})
    text = shown()
    assert "depths" in text and "unchanged" in text and all(file in text for file in files)
    assert "heights is to be renewed" in text and "depths is to be renewed" not in text
    assert "regard run heights --preset full --set seeds=4 --set device=cpu --seed 3; then" in text
    assert "regard reproduce --keep heights" in text


def test_a_reproduction_says_how_many_of_its_numbers_agree(shown) -> None:
    heights = Record("heights", "full", (), {}, 3, "2026-01-01", 90.0, {}, {}, {}, {}, {}, ())
    compared = [Agreement(f"number {place}", "1.8", "1.9", place > 0) for place in range(3)]
    show_reproduction(Reproduction(heights, object.__new__(Run), compared))
    text = shown()
    assert "heights, full: 2 of 3 agree with the record of 2026-01-01" in text
    assert text.count("differs") == 1 and text.count("agrees") == 2


def test_the_checklist_names_each_source_question_and_answer(experiment, store, shown) -> None:
    theorem = replace(experiment, name="theory-heights", claims=(), derives=(6,))
    show_coverage(coverage([experiment, theorem], entries(store)))
    text = shown()
    assert all(find(word).name in text for word in ("duke", "berkeley", "jerusalem", "amsterdam", "toronto"))
    assert "heights, theory-heights" in text and "a sample of an untrained GPT" in text
    assert text.endswith(COLUMNS)


def test_the_claims_of_an_item_stand_under_it_where_there_is_room(experiment, store, shown) -> None:
    show_coverage(coverage([experiment], entries(store)))
    assert ("· height not run" in shown()) is (console.width >= ROOM)


def test_a_course_is_told_with_its_own_questions_alone(experiment, store, shown) -> None:
    source = find("duke")
    items = [one for one in coverage([experiment], entries(store)) if one.source == source.name]
    show_course(source, items)
    text = shown()
    assert "Duke University, Machine Learning (CS 671), fall 2024: Homework 3" in text
    assert "4b.iv" in text and "heights" in text and "U-Net" not in text
    assert text.endswith(COLUMNS)
