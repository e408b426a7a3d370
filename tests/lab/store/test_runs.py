import json
import os

import pytest

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.events import Metric, TextEvent
from regard.lab.store.runs import LOG, RESULT, Run, Store, Writer

CLAIM = Claim(name="height", low=1.0, why="so", source="here")


def begun(store: Store, name: str = "heights") -> Writer:
    return store.create(name, "quick", {"name": name, "claims": [CLAIM.plain()], "started": "2026"})


def test_what_is_recorded_is_read_back(store: Store) -> None:
    writer = begun(store)
    writer.record(Metric("height", 1.5, 0))
    writer.record(TextEvent("a", "b"))
    writer.draw("line", b"<svg/>", "A line.")
    writer.finish("finished", [CLAIM.settle(1.5)], seconds=2.0)
    writer.close()
    run = Run(writer.path)
    assert run.measured == [Metric("height", 1.5, 0)] and run.said == [TextEvent("a", "b")]
    assert [(name, caption, path.read_bytes()) for name, caption, path in run.figures] == [
        ("line", "A line.", b"<svg/>")
    ]
    assert (run.state, run.result["seconds"], run.verdicts) == ("finished", 2.0, [CLAIM.settle(1.5)])


def test_a_run_is_running_while_its_process_holds_it_and_interrupted_after(store: Store) -> None:
    writer = begun(store)
    assert Run(writer.path).state == "running"
    writer.close()
    run = Run(writer.path)
    assert run.state == "interrupted"
    assert [(one.state, one.reason) for one in run.verdicts] == [("not settled", "the run is interrupted")]


def test_a_line_cut_in_two_does_not_count(store: Store) -> None:
    writer = begun(store)
    writer.record(Metric("height", 1.0))
    writer.record(Metric("height", 2.0))
    writer.close()
    log = writer.path / LOG
    log.write_bytes(log.read_bytes()[:-5])
    assert [one.value for one in Run(writer.path).measured] == [1.0]


def test_a_torn_result_counts_as_none(store: Store) -> None:
    writer = begun(store)
    writer.close()
    (writer.path / RESULT).write_text('{"state": "fini')
    assert Run(writer.path).state == "interrupted"


def test_runs_are_found_by_id_and_by_name_the_newest_first(store: Store) -> None:
    first, second = begun(store), begun(store)
    os.rename(second.path, second.path.with_name("heights-quick-29991231-000000-aaaaaa"))
    for writer in (first, second):
        writer.close()
    assert store.find(first.path.name).path == first.path
    assert store.find("heights").id == "heights-quick-29991231-000000-aaaaaa"


def test_an_unknown_run_gets_the_nearest_name(store: Store) -> None:
    begun(store).close()
    with pytest.raises(RegardError) as caught:
        store.find("hights")
    assert str(caught.value) == "no run of that name\n  got: 'hights'\n  fix: did you mean 'heights'?"


def test_a_damaged_folder_says_so(store: Store) -> None:
    writer = begun(store)
    writer.close()
    (writer.path / "run.json").write_text("{")
    with pytest.raises(RegardError, match="this run's folder is damaged"):
        _ = Run(writer.path).request


def test_a_place_that_is_a_file_is_told_in_three_lines(tmp_path) -> None:
    (tmp_path / "runs").write_text("")
    with pytest.raises(RegardError) as caught:
        begun(Store(tmp_path / "runs"))
    assert (
        str(caught.value)
        == f"the file system refused\n  got: {tmp_path / 'runs'}: File exists\n  fix: choose another folder"
    )


def test_metrics_are_flat_rows(store: Store) -> None:
    writer = begun(store)
    writer.record(Metric("loss", 1.0, 0, {"step": 5}))
    writer.close()
    assert Run(writer.path).metrics() == [{"name": "loss", "value": 1.0, "seed": 0, "step": 5}]
    assert json.loads((writer.path / LOG).read_text())["kind"] == "metric"
