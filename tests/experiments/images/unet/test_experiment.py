"""The experiment on a small set, and what it says of a shift."""

import pytest

from regard.errors import Unreachable
from regard.experiments.images.unet import segmentation
from regard.experiments.images.unet.experiment import EXPERIMENT, Settings, run
from regard.experiments.images.unet.scenes import make_scenes
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent, TextEvent
from regard.lab.experiment import Context

SMALL = Settings(sets=("scenes",), width=2, depth=3, crop=16, batch=2, steps=4, seeds=2, looks=2, apart=True)


def few() -> object:
    return make_scenes(6, size=(16, 18))


@pytest.mark.slow
def test_a_small_run_settles_every_claim_it_can(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(segmentation.SETS, "scenes", few)
    events = list(run(SMALL, Context(folder=tmp_path)))
    named = {
        one.name
        for one in events
        if isinstance(one, PairedMetric) or (isinstance(one, Metric) and not one.at)
    }
    assert {claim.name for claim in EXPERIMENT.claims} <= named
    assert {one.name for one in events if isinstance(one, FigureEvent)} == {
        "curves",
        "segmentations",
        "skips",
        "shifts",
    }
    (table,) = (one for one in events if isinstance(one, TableEvent))
    assert [row[0] for row in table.rows] == [
        "brightness alone", "with skips", "without skips", "without skip 0", "without skip 1", "without skip 2",
    ]  # fmt: skip
    for one in events:
        if isinstance(one, Metric) and one.name.startswith("largest change under a shift by 8"):
            assert one.value < 1e-9


@pytest.mark.slow
def test_a_set_that_cannot_be_had_is_said_and_passed_over(tmp_path, monkeypatch) -> None:
    def missing() -> object:
        raise Unreachable("pets is not reachable from here", "no network", "connect")

    monkeypatch.setitem(segmentation.SETS, "scenes", few)
    monkeypatch.setitem(segmentation.SETS, "pets", missing)
    tiny = Settings(sets=("scenes", "pets"), width=1, depth=1, crop=8, batch=1, steps=2, seeds=1, looks=1)
    said = [one for one in run(tiny, Context(folder=tmp_path)) if isinstance(one, TextEvent)]
    assert [one.name for one in said] == ["The pictures", "Without pets"] and "no network" in said[1].text
