"""The experiment on turned pictures, on pictures of its own making."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard.data.sets.images import Pictures
from regard.errors import Unreachable
from regard.experiments.images.rotation import experiment as rotation
from regard.experiments.images.rotation.experiment import (
    ANGLES,
    BUILT_IN,
    EXPERIMENT,
    TURNED,
    UPRIGHT,
    Settings,
    answers,
    build,
    run,
    teach,
)
from regard.lab.events import FigureEvent, Metric, TextEvent
from regard.lab.experiment import Context

SMALL = Settings(pictures=64, tested=20, epochs=1, batch=16, seeds=1, widths=(2, 2, 2), turn_widths=(2, 2, 2))


def bars(count: int = 64) -> Pictures:
    """Lying bars are class 0 and standing ones class 1: a quarter turn makes one the other."""
    pictures = torch.zeros(count, 1, 16, 16, dtype=torch.uint8)
    labels = torch.arange(count) % 2
    for number in range(count):
        at = 3 + number % 9
        if labels[number] == 0:
            pictures[number, 0, at : at + 2] = 255
        else:
            pictures[number, 0, :, at : at + 2] = 255
    return Pictures(
        name="bars", train=pictures, train_labels=labels, test=pictures, test_labels=labels, classes=("lying", "standing"), said="Bars."
    )  # fmt: skip


@pytest.mark.slow
def test_a_small_run_measures_what_its_quick_claims_speak_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Pictures:
        raise Unreachable("clothes are not reachable from here", "nothing", "connect")

    twentyfive = bars()
    monkeypatch.setitem(rotation.SOURCES, "digits", lambda: twentyfive)
    monkeypatch.setitem(rotation.SOURCES, "clothes", missing)
    events = list(run(replace(SMALL, tested=30, sources=("digits", "clothes")), Context(folder=tmp_path)))
    told = {one.name for one in events if isinstance(one, Metric) and not one.at}
    assert {claim.name for claim in EXPERIMENT.claims if claim.preset == "quick"} <= told
    assert {one.name for one in events if isinstance(one, FigureEvent)} == {
        "first-digits",
        "turned-digits",
        "curves-digits",
        "classes-digits",
    }
    assert "clothes left out" in {one.name for one in events if isinstance(one, TextEvent)}
    points = [one for one in events if isinstance(one, Metric) and one.at]
    assert [one.at["angle"] for one in points] == [*ANGLES] * 3
    built = {one.at["angle"]: one.value for one in points if BUILT_IN in one.name}
    assert built[0] == built[90] == built[180] == built[270] == built[360]


def test_where_the_only_pictures_are_missing_nothing_is_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Pictures:
        raise Unreachable("mnist is not reachable from here", "nothing", "connect")

    monkeypatch.setitem(rotation.SOURCES, "digits", missing)
    with pytest.raises(Unreachable):
        list(run(SMALL, Context(folder=tmp_path)))


@pytest.mark.slow
def test_a_quarter_turn_fools_a_network_that_was_trained_upright() -> None:
    pictures, settings = bars(), replace(SMALL, epochs=20, widths=(4, 8, 8))
    net = build(UPRIGHT, pictures, settings, seed=0)
    assert list(teach(net, pictures, settings, seed=0, turned=False)) == list(range(20))
    labels = pictures.test_labels[:20]
    upright = (answers(net, pictures, settings, 0) == labels).double().mean()
    turned = (answers(net, pictures, settings, 90) == labels).double().mean()
    assert upright > 0.9 and turned < 0.1
    assert torch.equal(
        answers(net, pictures, settings, 45, 45, sampling="nearest"), answers(net, pictures, settings, 45, 45)
    )


def test_the_same_seed_is_the_same_network_and_the_same_order() -> None:
    pictures = bars()
    nets = [build(TURNED, pictures, SMALL, seed=4) for _ in range(2)]
    for net in nets:
        list(teach(net, pictures, SMALL, seed=4, turned=True))
    for one, other in zip(*(net.parameters() for net in nets), strict=True):
        assert torch.equal(one, other)
