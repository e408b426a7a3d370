"""The experiment on turned pictures, on pictures of its own making."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import golden
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
from regard.lab.events import FigureEvent, Metric, PairedMetric, TextEvent
from regard.lab.experiment import Context

SMALL = Settings(
    more=1,
    pictures=64, digits=64, tested=20, epochs=1, longer=2, batch=16, seeds=1, built_in=("things",), widths=(2, 2, 2),
    turn_widths=(2, 2, 2),
)  # fmt: skip


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


def ten(count: int = 64) -> Pictures:
    """Lying bars at five heights and standing ones at five places: as many classes as digits."""
    labels = torch.arange(count) % 10
    pictures = torch.zeros(count, 1, 16, 16, dtype=torch.uint8)
    for number, label in enumerate(labels.tolist()):
        at = 1 + 3 * (label % 5)
        (pictures[number, 0] if label < 5 else pictures[number, 0].T)[at : at + 2] = 255
    return Pictures(
        name="ten bars", train=pictures, train_labels=labels, test=pictures, test_labels=labels, classes=tuple("0123456789"), said="Ten bars."
    )  # fmt: skip


@pytest.mark.slow
def test_a_small_run_measures_what_its_quick_claims_speak_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Pictures:
        raise Unreachable("clothes are not reachable from here", "nothing", "connect")

    monkeypatch.setitem(rotation.SOURCES, "digits", ten)
    monkeypatch.setitem(rotation.SOURCES, "clothes", missing)
    monkeypatch.setitem(rotation.SOURCES, "things", ten)
    sources = ("digits", "clothes", "things")
    events = list(run(replace(SMALL, tested=30, sources=sources), Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    told = {
        one.name
        for one in events
        if isinstance(one, PairedMetric) or (isinstance(one, Metric) and not one.at)
    }
    assert {claim.name for claim in EXPERIMENT.claims if claim.preset == "quick"} <= told
    captions = {one.name: one.caption for one in events if isinstance(one, FigureEvent)}
    assert set(captions) == {
        f"{kind}-{name}" for kind in ("first", "turned", "curves", "classes") for name in ("digits", "things")
    }
    assert len(set(captions.values())) == len(captions), "no two captions alike"
    assert "clothes left out" in {one.name for one in events if isinstance(one, TextEvent)}
    points = [one for one in events if isinstance(one, Metric) and one.at]
    assert [one.at["angle"] for one in points] == [*ANGLES] * 8
    built = {one.at["angle"]: one.value for one in points if one.name.startswith(f"digits, {BUILT_IN}")}
    assert built[0] == built[90] == built[180] == built[270] == built[360]


def test_where_all_pictures_are_missing_nothing_is_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Pictures:
        raise Unreachable("mnist is not reachable from here", "nothing", "connect")

    monkeypatch.setitem(rotation.SOURCES, "digits", missing)
    monkeypatch.setitem(rotation.SOURCES, "things", missing)
    with pytest.raises(Unreachable):
        list(run(SMALL, Context(folder=tmp_path)))


@pytest.mark.slow
def test_a_quarter_turn_fools_a_network_that_was_trained_upright() -> None:
    pictures, settings = bars(), replace(SMALL, widths=(4, 8, 8), optimiser="Adam")
    net = build(UPRIGHT, pictures, settings, seed=0)
    epochs = list(teach(net, pictures, settings, seed=0, epochs=20, turned=False))
    assert [epoch for epoch, _ in epochs] == list(range(20)) and epochs[-1][1] < epochs[0][1]
    labels = pictures.test_labels[:20]
    upright = (answers(net, pictures, settings, 0) == labels).double().mean()
    turned = (answers(net, pictures, settings, 90) == labels).double().mean()
    assert upright > 0.9 and turned < 0.1
    assert torch.equal(answers(net, pictures, settings), answers(net, pictures, settings, 0))


@pytest.mark.parametrize("corners", [True, False])
def test_corners_are_painted_black_and_no_other_pixel_is_moved(corners: bool) -> None:
    seen: list[torch.Tensor] = []

    class Look(torch.nn.Module):
        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            seen.append(inputs)
            return inputs.flatten(1)

    answers(Look(), bars(), SMALL, 90, corners=corners)
    turned = bars().test[:20].rot90(1, (2, 3)) / 255
    changed = (seen[0] != turned).any(1)
    assert changed.any() != corners and not changed[:, 4:12, 4:12].any()
    if not corners:
        assert (seen[0][:, 0, 0, 0] == 0).all() and (seen[0][:, 0, -1, -1] == 0).all()


def test_the_same_seed_is_the_same_network_and_the_same_order() -> None:
    pictures = bars()
    nets = [build(TURNED, pictures, SMALL, seed=4) for _ in range(2)]
    for net in nets:
        list(teach(net, pictures, SMALL, seed=4, epochs=1, turned=True))
    for one, other in zip(*(net.parameters() for net in nets), strict=True):
        assert torch.equal(one, other)
