import pytest

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.events import Metric
from regard.lab.store.run import RESULT, Run
from regard.lab.store.runs import Store
from regard.lab.store.writer import Writer

CLAIM = Claim(name="height", low=1.0, why="so", source="here")


def test_a_run_that_is_taken_up_has_no_result_until_it_ends_again(store: Store) -> None:
    request = {"name": "heights", "claims": [CLAIM.plain()], "started": "2026-01-01T00:00:00+00:00"}
    writer = store.create("heights", "quick", request)
    writer.record(Metric("height", 1.0, 0))
    writer.finish("stopped", [CLAIM.settle(None)], seconds=1.0, error="stopped")
    writer.close()
    again = Writer(writer.path)
    again.record(Metric("height", 2.0, 1))
    assert Run(writer.path).state == "running" and not (writer.path / RESULT).exists()
    again.close()
    run = Run(writer.path)
    assert run.state == "interrupted" and [one.value for one in run.measured] == [1.0, 2.0]


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden"])
def test_a_figure_is_drawn_nowhere_else(store: Store, name: str) -> None:
    writer = store.create(
        "heights", "quick", {"name": "heights", "claims": [], "started": "2026-01-01T00:00:00"}
    )
    with pytest.raises(RegardError, match="a figure's name is that of its file"):
        writer.draw(name, b"<svg/>", "A line.")
    writer.close()
