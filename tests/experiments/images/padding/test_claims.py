"""Every claim on padding can fail: each is seen to, with another border, another answer, or without training.

Accuracies are those of networks that answer by a rule: what a border lets them know is told to them, not learnt.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from regard.experiments.images.padding import experiment as padding
from regard.experiments.images.padding import training
from regard.experiments.images.padding.borders import columns, in_one_window, missing, moved
from regard.experiments.images.padding.claims import APART, ASIDE, BANDS, BELOW, ORDER, PUBLISHED, accuracy
from regard.experiments.images.padding.experiment import EXPERIMENT
from regard.experiments.images.padding.networks import BORDERS, Border, Net1, Net2
from regard.experiments.images.padding.pictures import red_green
from regard.experiments.images.padding.training import (
    NETS,
    PROTOCOLS,
    Cell,
    Draws,
    Lesson,
    TrainedNet,
    percent,
    teach_all,
)
from regard.lab.events import Event
from saboteurs import Saboteur, covers, fails, without_figures

LITTLE = Lesson(pictures=1000, held=400, batch=100, epochs=8)


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    without_figures(monkeypatch, padding)


@dataclass(frozen=True)
class Part:
    """A part of the experiment, measured anew at each call."""

    name: str
    measure: Callable[[], Iterable[Event]]

    def __call__(self) -> Iterable[Event]:
        return self.measure()

    @property
    def size(self) -> tuple[str, str]:
        return "padding", self.name


@dataclass(frozen=True)
class Questions:
    """The test pictures as they are, their classes, and which have both squares in one window."""

    pictures: Tensor
    classes: Tensor
    together: Tensor

    def outcome(self, said: Tensor) -> TrainedNet:
        """What a network is worth that names these classes."""
        right, one = said == self.classes, self.together
        shares = {"test": right, "together": right[one], "apart": right[~one]}
        return TrainedNet(
            validation=100.0, epochs=1, **{name: percent(part) for name, part in shares.items()}
        )


def questions(border: Border, draws: Draws, lesson: Lesson) -> Questions:
    pictures, classes = training.red_green(lesson.held, seed=draws.test, swapped=True)
    return Questions(pictures.float(), classes, in_one_window(*columns(pictures).unbind(1)))


def informed(net: Net1 | Net2, material: Questions, lesson: Lesson) -> TrainedNet:
    """A network that answers by what its border tells: the height, the order, or the order of some pairs."""
    return material.outcome(told(net, material.pictures, material.together))


def told(net: Net1 | Net2, pictures: Tensor, together: Tensor) -> Tensor:
    """The classes that it names. Class 0 is above, with red left of green."""
    red, green = pictures[:, :2].amax(2).argmax(2).unbind(1)
    order, height = (red > green).long(), (pictures[:, 0].amax(2).argmax(1) > 14).long()
    name = next(name for name, border in BORDERS.items() if border == net.filters.border)
    known = {
        "sconv": (red - green).abs() == 5,
        "fconv": together | ((red + green) % 3 > 0),
        "replicate": together | ((red + green) % 5 > 0),
        "circular": (red - green).abs() < 20,
    }
    if isinstance(net, Net2) or name not in known:
        return height
    return torch.where(known[name], order, height if name == "sconv" else 1 - order)


@torch.no_grad()
def untrained(net: Net1 | Net2, material: Questions, lesson: Lesson) -> TrainedNet:
    few = Questions(material.pictures[:40], material.classes[:40], material.together[:40])
    return few.outcome(net(few.pictures).argmax(1))


def tables() -> Iterator[Event]:
    """What is measured of all networks: each, then the tables and the order."""
    every = [
        Cell(net, border, protocol, seed)
        for net in NETS
        for border in BORDERS
        for protocol in PROTOCOLS
        for seed in range(2)
    ]
    results = {}
    for cell, _, found in teach_all(dict.fromkeys(every, Lesson())):
        results[cell] = found
        yield from padding._measured(cell, found)
    yield from padding._tables(results)
    yield from padding._order(results)


def squares() -> Iterator[Event]:
    """What trained networks make of a red square alone."""
    cells = [
        Cell("Net1", name, "original", seed)
        for name in ("fconv", "replicate", "reflect")
        for seed in (0, 1, 2)
    ]
    trained = teach_all(dict.fromkeys(cells, LITTLE))
    yield from padding._squares({(cell.border, cell.seed): net for cell, net, _ in trained})  # type: ignore[misc]


def places() -> Iterable[Event]:
    return padding._positions({name: Net1(training.BORDERS[name]) for name in BORDERS})


def borders(**others: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Other borders under the names of some, wherever networks are made."""
    exchanged = BORDERS | {name: BORDERS[other] for name, other in others.items()}
    return lambda patch: patch.setattr(training, "BORDERS", exchanged)


def unswapped(count: int, *, seed: int, swapped: bool = False) -> tuple[Tensor, Tensor]:
    """Test pictures of the clean protocol whose bands are not swapped: there the height is right."""
    return red_green(count, seed=seed, swapped=swapped and seed == PROTOCOLS["original"].test)


def other_pixels(patch: pytest.MonkeyPatch) -> None:
    """Another border under three names, and a picture that goes on beyond its edge."""
    others = {"valid": "sconv", "sconv": "fconv", "fconv": "valid"}
    patch.setattr(padding, "BORDERS", BORDERS | {name: BORDERS[other] for name, other in others.items()})
    patch.setattr(padding, "missing", lambda side: missing(side + 2)[1:-1, 1:-1])


TABLES, SQUARES = Part("tables", tables), Part("squares", squares)
PIXELS, PLACES = Part("pixels", lambda: padding._border()), Part("places", places)
AHEAD = "Net1: {} minus {}, %"
CASES = {
    "networks that are not trained": (
        TABLES,
        Saboteur(
            lambda patch: patch.setattr(training, "teach", untrained),
            {accuracy(net, border) for net in NETS for border in BORDERS}
            | {"Net1 fconv: test accuracy minus the best by order, %"},
        ),
    ),
    "borders that know more and less than their names": (
        TABLES,
        Saboteur(
            borders(valid="fconv", fconv="valid", reflect="circular"),
            {AHEAD.format(*pair) for pair in ORDER if pair[0] != "replicate"},
        ),
    ),
    "no padding under the name of repeated edges": (
        TABLES,
        Saboteur(borders(replicate="valid"), {AHEAD.format("replicate", "fconv"), APART}),
    ),
    "clean pictures that are not swapped": (
        TABLES,
        Saboteur(
            lambda patch: patch.setattr(training, "red_green", unswapped),
            {"largest difference of mean test accuracy between the two protocols"},
        ),
    ),
    "zeros for repeated edges and mirrors, and the reverse": (
        SQUARES,
        Saboteur(
            borders(fconv="replicate", replicate="fconv", reflect="fconv"),
            {f"Net1 replicate: {ASIDE}", f"Net1 fconv: {ASIDE}", f"Net1 reflect: {BELOW}"},
        ),
    ),
    "borders that miss other pixels": (
        PIXELS,
        Saboteur(
            other_pixels,
            {f"{name}: pixels that the corner element never meets" for name in ("valid", "sconv", "fconv")}
            | {"pixels that f_11 lacks"},
        ),
    ),
    "full convolution everywhere but under its own name": (
        PLACES,
        Saboteur(
            borders(**dict.fromkeys(BORDERS, "fconv") | {"fconv": "sconv"}),
            {f"{name}: largest change of a response under a shift by 8" for name in BORDERS},
        ),
    ),
}


def check(name: str, patch: pytest.MonkeyPatch) -> None:
    part, saboteur = CASES[name]
    if part is TABLES:
        patch.setattr(training, "prepare", questions)
        patch.setattr(training, "teach", informed)
    if part is SQUARES:
        patch.setattr(padding, "BORDERS", dict.fromkeys(("fconv", "replicate", "reflect")))
    if part is PIXELS:
        patch.setattr(padding, "red_green", lambda count, *, seed: red_green(2, seed=seed))
    if part is PLACES:
        patch.setattr(padding, "moved", lambda: moved()[:9, :9])
    fails(EXPERIMENT, saboteur, patch, part)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name, (part, _) in CASES.items() if part is not SQUARES])
def test_what_is_measured_otherwise_fails_its_claims(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(name, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, (part, _) in CASES.items() if part is SQUARES])
def test_what_trained_networks_read_otherwise_fails_its_claims(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(name, monkeypatch)


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, {name: saboteur for name, (_, saboteur) in CASES.items()})


def test_the_published_accuracies_lie_in_their_own_bands() -> None:
    for name, (low, high) in BANDS.items():
        assert low <= PUBLISHED[name][1] <= high
