import json

import pytest

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.events import Metric, TextEvent
from regard.lab.store.run import LOG, RESULT, Run
from regard.lab.store.runs import Store
from regard.lab.store.writer import Writer

CLAIM = Claim(name="height", low=1.0, why="so", source="here")


def begun(store: Store) -> Writer:
    request = {"name": "heights", "claims": [CLAIM.plain()], "started": "2026-01-01T00:00:00+00:00"}
    return store.create("heights", "quick", request)


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
    writer.record(Metric("height", 1.0, 0))
    writer.record(Metric("height", 2.0, 1))
    writer.close()
    log = writer.path / LOG
    log.write_bytes(log.read_bytes()[:-5])
    assert [one.value for one in Run(writer.path).measured] == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("state", ["finished", "interrupted"])
def test_every_cut_of_every_file_is_damage_or_an_interruption_and_never_a_traceback(
    store: Store, state: str
) -> None:
    writer = begun(store)
    writer.record(Metric("height", 1.0))
    if state == "finished":
        writer.finish("finished", [CLAIM.settle(1.5)], seconds=2.0)
    writer.close()
    for file in writer.path.glob("*.json*"):
        whole = file.read_bytes()
        for at in range(len(whole)):
            file.write_bytes(whole[:at])
            run = Run(writer.path)
            cut = "interrupted" if (state, file.name) == ("interrupted", LOG) else "damaged"
            assert run.state == cut and bool(run.problem) == (cut == "damaged"), (file.name, at)
            assert run.name == "heights" and run.begun > 1.7e9
        file.write_bytes(whole)
    assert Run(writer.path).state == state


def test_a_damaged_result_says_so(store: Store) -> None:
    writer = begun(store)
    writer.close()
    (writer.path / RESULT).write_text('{"state": "fini')
    with pytest.raises(RegardError, match=r"damaged\n.*result.json cannot be read"):
        _ = Run(writer.path).result


def test_a_figure_that_is_not_what_was_drawn_is_none(store: Store) -> None:
    writer = begun(store)
    writer.draw("line", "<svg>ß</svg>".encode(), "A line.")
    writer.close()
    run = Run(writer.path)
    assert run.figure("line") == "<svg>ß</svg>" and run.figure("other") is None
    (path,) = [path for _, _, path in run.figures]
    for content in (b"", b"\xff", b"<svg>"):
        path.write_bytes(content)
        assert run.figure("line") is None
    path.unlink()
    assert run.figure("line") is None


def test_metrics_are_flat_rows(store: Store) -> None:
    writer = begun(store)
    writer.record(Metric("loss", 1.0, 0, {"step": 5}))
    writer.close()
    assert Run(writer.path).metrics() == [{"name": "loss", "value": 1.0, "seed": 0, "step": 5}]
    assert json.loads((writer.path / LOG).read_text().splitlines()[1])["kind"] == "metric"
