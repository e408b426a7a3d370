"""Every claim on turned pictures can fail: each is seen to, with what it speaks of made otherwise."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard.data.sets.images import Pictures
from regard.experiments.images.rotation import experiment as rotation
from regard.experiments.images.rotation.claims import (
    ALIKE,
    BUILT_IN,
    CLAIMS,
    CORNERS,
    COST,
    LOOK_ALIKE,
    LOSS,
    NEXT,
    SIXES,
    STEPS,
    TURNED,
    UPRIGHT,
    WON_BACK,
)
from regard.experiments.images.rotation.experiment import EXPERIMENT, Settings
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small, states, without_figures

SETS = ("digits", "clothes", "things")
SMALL = Settings(
    more=0,
    sources=SETS, pictures=160, digits=160, tested=40, epochs=8, longer=2, batch=16, seeds=2, built_in=SETS,
    widths=(8, 8, 8), turn_widths=(2, 2, 2),
)  # fmt: skip
PLACES = ((0, 0), (0, 5), (1, 10), (4, 2), (5, 7), (6, 11), (9, 0), (9, 5), (11, 9), (11, 3))


def blocks(count: int = 160) -> Pictures:
    """Ten classes: a bright square at one of ten places."""
    labels = torch.arange(count) % 10
    pictures = torch.zeros(count, 1, 16, 16, dtype=torch.uint8)
    for number, label in enumerate(labels.tolist()):
        row, column = PLACES[label]
        pictures[number, 0, row : row + 5, column : column + 5] = 150 + number % 100
    return Pictures(
        name="blocks", train=pictures, train_labels=labels, test=pictures, test_labels=labels,
        classes=tuple("0123456789"), said="Blocks.",
    )  # fmt: skip


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    without_figures(monkeypatch, rotation)
    for name in SETS:
        monkeypatch.setitem(rotation.SOURCES, name, blocks)


def same(pictures: torch.Tensor, degrees: object) -> torch.Tensor:
    return pictures


def untaught(
    net: object, pictures: Pictures, settings: Settings, **how: object
) -> Iterator[tuple[int, float]]:
    yield 0, 2.3


def always_upright(teach: Callable) -> Callable:
    return lambda *given, **how: teach(*given, **how | {"turned": False})


def plain(build: Callable) -> Callable:
    """A network without turned filters under the name of the one that has them."""
    return lambda name, pictures, settings, seed: build(UPRIGHT, pictures, settings, seed)


def of(sets: tuple[str, ...], *names: str) -> set[str]:
    return {name.format(one) for one in sets for name in names}


QUARTERS = f"{{}}, {BUILT_IN}: largest change by a quarter turn, %"
SABOTEURS = {
    "pictures that are not turned": Saboteur(
        lambda patch: patch.setattr(rotation, "rotate", same),
        of(SETS, f"{{}}, {UPRIGHT}: upright minus turned, %", f"{{}}: {COST}", f"{{}}: {LOSS}")
        | of(("digits", "things"), f"{{}}, {UPRIGHT}: {NEXT['180°']}")
        | of(("things",), f"{{}}, {UPRIGHT}: {NEXT['90° and 270°']}", f"{{}}: {STEPS}", f"{{}}: {CORNERS}"),
    ),
    "networks that are not trained": Saboteur(
        lambda patch: patch.setattr(rotation, "teach", untaught),
        of(("digits", "things"), f"{{}}, {UPRIGHT}: accuracy upright, %", f"{{}}, {TURNED}: mean accuracy from 60° to 300°, %")
        | {f"digits: {WON_BACK}"},
    ),
    "turned pictures that are upright in training": Saboteur(
        lambda patch: patch.setattr(rotation, "teach", always_upright(rotation.teach)),
        of(SETS, f"{{}}, {TURNED}: highest minus lowest, %"),
    ),
    "filters that do not turn": Saboteur(
        lambda patch: patch.setattr(rotation, "build", plain(rotation.build)), of(SETS, QUARTERS) | {ALIKE}
    ),
}  # fmt: skip
BY_HAND = {f"digits: {SIXES}", f"digits: {LOOK_ALIKE}"}


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_measurement_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    # What is exactly equal is so after any training.
    settings = replace(SMALL, epochs=1) if "not turned" in name else SMALL
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS | {"answers by hand": Saboteur(lambda patch: None, BY_HAND)})


def answered(right: set[int], taken: dict[int, int]) -> torch.Tensor:
    """Answers to the blocks at all angles by two seeds: some classes right, some taken for others, the rest moved on by one."""
    labels = blocks().test_labels
    said = torch.tensor([one if one in right else taken.get(one, (one + 1) % 10) for one in range(10)])
    return said[labels].expand(2, len(rotation.ANGLES), -1)


def by_hand(said: torch.Tensor) -> dict[str, str]:
    pictures, losses = blocks(), {UPRIGHT: {0: 1.0, 1: 1.0}, TURNED: {0: 1.0, 1: 1.0}}
    both = {UPRIGHT: said, TURNED: said}
    alike = rotation.likeness(pictures.train, pictures.train_labels, 10)
    events = [
        *rotation._cost("digits", pictures, pictures.test_labels, both, losses),
        *rotation._shown("digits", pictures, pictures.test_labels, both, alike),
    ]
    found = states(CLAIMS, events)
    return {name.removeprefix("digits: "): found[name] for name in BY_HAND}


def test_sixes_and_nines_that_are_told_apart_fail_the_claim_that_they_are_not() -> None:
    assert by_hand(answered({0, 1, 2}, {6: 9, 9: 6}))[SIXES] == "held"
    assert by_hand(answered({6, 9}, {}))[SIXES] == "failed"


def test_classes_known_upside_down_without_being_alike_fail_the_claim_that_they_are() -> None:
    alike = rotation.likeness(blocks().train, blocks().train_labels, 10).argsort(descending=True).tolist()
    assert by_hand(answered(set(alike[:3]), {}))[LOOK_ALIKE] == "held"
    assert by_hand(answered(set(alike[3:]), {}))[LOOK_ALIKE] == "failed"


def test_what_is_left_out_of_a_small_run_is_said_by_its_settings(tmp_path: Path) -> None:
    """Networks with quarter turns built in are trained where the settings say, and digits are always among them."""
    little = replace(SMALL, sources=("things",), built_in=(), seeds=1, epochs=1)
    names = {getattr(one, "name", "") for one in rotation.run(little, Context(folder=tmp_path))}
    assert not any(BUILT_IN in name for name in names) and f"things: {COST}" in names
