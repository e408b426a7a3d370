"""Every claim on padding can fail: each is seen to, with another border, another answer, or without training."""

from collections.abc import Iterable

import pytest
import torch

from regard.experiments.images.padding import experiment as padding
from regard.experiments.images.padding import training
from regard.experiments.images.padding.borders import moved
from regard.experiments.images.padding.claims import APART, ASIDE, BANDS, BELOW, CLAIMS, PUBLISHED, accuracy
from regard.experiments.images.padding.networks import BORDERS, Net1
from regard.experiments.images.padding.pictures import red_green
from regard.experiments.images.padding.training import (
    NETS,
    Cell,
    Lesson,
    TrainedNet,
    percent,
    right,
    teach_all,
)
from regard.lab.events import Event, FigureEvent
from saboteurs import states, without_figures

FEW = Lesson(pictures=40, held=20, batch=20, epochs=1)
LITTLE = Lesson(pictures=1000, held=400, batch=100, epochs=8)
ENOUGH = Lesson(epochs=10)


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    without_figures(monkeypatch, padding)


def not_held(events: Iterable[Event]) -> set[str]:
    """The claims that were measured and did not hold."""
    kept = [one for one in events if not isinstance(one, FigureEvent)]
    names = {getattr(one, "name", "") for one in kept}
    return {name for name, state in states(CLAIMS, kept).items() if state == "failed" and name in names}


def learnt(lessons: dict[Cell, Lesson]) -> tuple[dict[Cell, TrainedNet], list[Event], dict]:
    """Trainings, what is measured of each, and the trained Net1s."""
    results, events, nets = {}, [], {}
    for cell, net, outcome in teach_all(lessons):
        results[cell] = outcome
        events += padding._measured(cell, outcome)
        nets[cell.border, cell.seed] = net
    return results, events, nets


def cells(*borders: str, net: str = "Net1", seeds: int = 3) -> list[Cell]:
    return [Cell(net, border, "original", seed) for border in borders for seed in range(seeds)]


def test_without_training_no_accuracy_is_the_published_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def untrained(net: Net1, material: training.Material, lesson: Lesson) -> TrainedNet:
        found = percent(right(net, material.test))
        return TrainedNet(validation=found, test=found, together=found, apart=found, epochs=0)

    monkeypatch.setattr(training, "teach", untrained)
    every = [
        Cell(net, border, protocol, seed)
        for net in NETS
        for border in BORDERS
        for protocol in training.PROTOCOLS
        for seed in range(2)
    ]
    results, events, _ = learnt(dict.fromkeys(every, FEW))
    expected = {accuracy(net, border) for net in NETS for border in BORDERS}
    expected |= {"Net1 fconv: test accuracy minus the best by order, %"}
    assert not_held([*events, *padding._tables(results)]) >= expected


@pytest.mark.slow
def test_an_answer_turned_into_its_opposite_reverses_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def opposite(net: Net1, batches: training.Batches) -> torch.Tensor:
        return ~right(net, batches)

    monkeypatch.setattr(training, "right", opposite)
    results, _, _ = learnt(dict.fromkeys(cells("valid", "sconv", "fconv", "reflect"), LITTLE))
    results |= {Cell("Net1", "replicate", "original", cell.seed): one for cell, one in results.items()}
    assert not_held(padding._order(results)) >= {
        "Net1: sconv minus valid, %",
        "Net1: fconv minus sconv, %",
        "Net1: fconv minus reflect, %",
    }


@pytest.mark.slow
def test_borders_exchanged_exchange_what_is_said_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros under the name of repeated edges, and the reverse; and full convolution under the name of mirrors."""
    swapped = BORDERS | {"fconv": BORDERS["replicate"], "replicate": BORDERS["fconv"]}
    monkeypatch.setattr(training, "BORDERS", swapped)
    _, _, nets = learnt(dict.fromkeys(cells("fconv", "replicate"), ENOUGH))
    nets |= {("reflect", seed): nets["replicate", seed] for seed in range(3)}
    monkeypatch.setattr(padding, "BORDERS", dict.fromkeys(("fconv", "replicate", "reflect")))
    assert not_held(padding._squares(nets)) == {
        f"Net1 replicate: {ASIDE}",
        f"Net1 fconv: {ASIDE}",
        f"Net1 reflect: {BELOW}",
    }


@pytest.mark.slow
def test_no_padding_under_the_name_of_repeated_edges_is_not_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BORDERS", BORDERS | {"replicate": BORDERS["valid"]})
    results, _, _ = learnt(dict.fromkeys(cells("fconv", "replicate"), LITTLE))
    monkeypatch.setattr(padding, "ORDER", (("replicate", "fconv"),))
    assert not_held(padding._order(results)) == {"Net1: replicate minus fconv, %", APART}


def test_two_protocols_that_differ_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the clean pictures are not swapped, what is known of the height is right there."""
    monkeypatch.setattr(
        training,
        "red_green",
        lambda count, *, seed, swapped=False: red_green(count, seed=seed, swapped=swapped and seed == 42),
    )
    lessons = {
        Cell(net, border, protocol, 0): LITTLE if (net, border) == ("Net2", "valid") else FEW
        for net in NETS
        for border in BORDERS
        for protocol in training.PROTOCOLS
    }
    results, _, _ = learnt(lessons)
    gap = "largest difference of mean test accuracy between the two protocols"
    assert gap in not_held(padding._tables(results))


def test_other_borders_miss_other_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {"valid": BORDERS["sconv"], "sconv": BORDERS["fconv"], "fconv": BORDERS["valid"]}
    monkeypatch.setattr(padding, "BORDERS", BORDERS | others)
    monkeypatch.setattr(padding, "red_green", lambda count, *, seed: red_green(2, seed=seed))
    monkeypatch.setattr(padding, "missing", lambda side: torch.full((side, side), 3.0))
    corner = "pixels that the corner element never meets"
    expected = {f"{name}: {corner}" for name in others} | {"pixels that f_11 lacks"}
    assert not_held(padding._border()) == expected


def test_a_shift_shows_under_other_borders_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(padding, "moved", lambda: moved()[:9, :9])
    nets = {name: Net1(BORDERS["sconv" if name == "fconv" else "fconv"]) for name in BORDERS}
    expected = {f"{name}: largest change of a response under a shift by 8" for name in BORDERS}
    assert not_held(padding._positions(nets)) == expected


def test_the_published_accuracies_lie_in_their_own_bands() -> None:
    for name, (low, high) in BANDS.items():
        assert low <= PUBLISHED[name][1] <= high
