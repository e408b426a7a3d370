import numpy
import pytest
import torch

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.events import Metric, PairedMetric
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


def test_what_is_measured_twice_is_refused_at_once(store: Store) -> None:
    writer = store.create("heights", "quick", {"name": "heights", "claims": [], "started": "2026-01-01"})
    for event in (
        Metric("a", 1.0),
        Metric("a", 1.0, 0),
        Metric("a", 1.0, 1),
        Metric("a", 1.0, 1, {"step": 2}),
    ):
        writer.record(event)
    writer.record(PairedMetric("b", ("x", "y"), {0: 1.0}, {0: 2.0}))
    for again in (
        Metric("a", 2.0),
        Metric("a", 2.0, 1, {"step": 2}),
        PairedMetric("b", ("x", "y"), {0: 1.0}, {0: 2.0}),
    ):
        with pytest.raises(RegardError) as caught:
            writer.record(again)
        assert str(caught.value) == (
            f"'{again.name}' is measured twice\n  got: the same name, seed and coordinates\n"
            "  fix: give each a seed, or coordinates at={…}"
        )
    writer.close()


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden"])
def test_a_figure_is_drawn_nowhere_else(store: Store, name: str) -> None:
    writer = store.create(
        "heights", "quick", {"name": "heights", "claims": [], "started": "2026-01-01T00:00:00"}
    )
    with pytest.raises(RegardError, match="a figure's name is that of its file"):
        writer.draw(name, b"<svg/>", "A line.")
    writer.close()


@pytest.mark.parametrize(
    "value",
    [torch.tensor(1.5), torch.tensor([1.5], requires_grad=True), numpy.float32(1.5), numpy.array([1.5]), 1.5],
    ids=["tensor", "one that has a gradient", "numpy", "an array of one", "float"],
)
def test_a_number_of_numpy_or_torch_is_a_measurement(store: Store, value) -> None:
    request = {"name": "heights", "claims": [], "started": "2026-01-01T00:00:00+00:00"}
    writer = store.create("heights", "quick", request)
    writer.record(Metric("height", value))
    writer.record(PairedMetric("gain", ("new", "old"), {0: value}, {0: value}))
    with pytest.raises(
        RegardError,
        match=r"the measurement 'height' is one number\n  got: a Tensor of shape \(2, 3\)\n  fix: give one",
    ):
        writer.record(Metric("height", torch.ones(2, 3)))
    with pytest.raises(RegardError, match="the measurement 'height' is no number"):
        writer.record(Metric("height", "high"))
    writer.close()
    run = Run(writer.path)
    assert [one.value for one in run.measured] == [1.5] and run.compared[0].first == {0: 1.5}
