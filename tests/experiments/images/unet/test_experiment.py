"""The experiment on a small set, and what it says of a shift."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

import golden
from regard.data.sets.masks import Segmented
from regard.errors import Unreachable
from regard.experiments.images.unet import experiment as here
from regard.experiments.images.unet import segmentation, shifts
from regard.experiments.images.unet.experiment import EXPERIMENT, Settings, run
from regard.experiments.images.unet.scenes import make_scenes, make_textures
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent, TextEvent
from regard.lab.experiment import Context
from regard.models.unet import UNet
from saboteurs import Saboteur, covers, fails, small, without_figures

SMALL = Settings(
    sets=("scenes", "textures"), width=2, depth=3, crop=16, batch=2, steps=4, seeds=2, looks=2, apart=True
)


def few() -> object:
    return make_scenes(6, size=(16, 18))


def few_textures() -> object:
    return make_textures(6, size=(16, 18))


@pytest.mark.slow
def test_a_small_run_settles_every_claim_it_can(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(segmentation.SETS, "scenes", few)
    monkeypatch.setitem(segmentation.SETS, "textures", few_textures)
    events = list(run(SMALL, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    named = {
        one.name
        for one in events
        if isinstance(one, PairedMetric) or (isinstance(one, Metric) and not one.at)
    }
    assert {claim.name for claim in EXPERIMENT.claims} <= named
    captions = {one.name: one.caption for one in events if isinstance(one, FigureEvent)}
    assert list(captions) == [
        "curves", "segmentations", "skips", "shifts", "curves textures", "segmentations textures",
    ]  # fmt: skip
    assert len(set(captions.values())) == len(captions), "no two captions alike"
    table, second = (one for one in events if isinstance(one, TableEvent))
    assert [row[0] for row in second.rows] == ["brightness alone", "with skips", "without skips"]
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
    assert [one.name for one in said if one.name != "Is a network needed?"] == [
        "The pictures",
        "Without pets",
    ]
    assert "no network" in said[-1].text


@pytest.mark.parametrize(("dice", "told"), [(0.9, "tells more"), (0.2, "do not need one")])
def test_whether_a_network_is_needed_is_said_by_the_numbers(dice: float, told: str) -> None:
    scores = segmentation.Scores(dice=dice, iou=0.5, outline=0.5, near=0.5)
    said = here._needed("slices", 0.5, [scores, scores])
    assert told in said and "0.500" in said and f"{dice:.3f}" in said


LITTLE = Settings(width=8, depth=3, crop=16, batch=8, steps=50, seeds=3, looks=2)
BOTH = ("", ", textures")


def grains() -> Segmented:
    """Every pixel has a class of its own, and its brightness tells it: a network without skips has no way to say so."""
    masks = torch.randint(2, (12, 24, 24), generator=torch.Generator().manual_seed(0))
    return Segmented(
        name="grains", images=2.0 * masks[:, None] - 1, masks=masks, classes=("dark", "bright"),
        splits={"train": torch.arange(8), "test": torch.arange(8, 12)}, said="Grains.",
    )  # fmt: skip


def exchanged(**words: Any) -> UNet:
    """No skips under the name of all, and all under the name of none."""
    return UNet(**words | {"skips": () if words["skips"] is None else None})


def uncut(model: UNet, pictures: object, split: str = "test", **words: Any) -> Any:
    """A cut that cuts nothing."""
    return segmentation.try_on(model, pictures, split)  # type: ignore[arg-type]


def first_step(*given: Any, **words: Any) -> Iterator[Any]:
    """A training that ends with its first step."""
    yield next(iter(segmentation.train_steps(*given, **words)))


def exchange_skips(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(here, "UNet", exchanged)
    patch.setattr(here, "try_on", uncut)


def one_off(shifted: Any) -> Any:
    return lambda model, picture, shift, border: shifted(model, picture, shift - 1 if shift else 0, border)


SABOTEURS = {
    "skips exchanged": Saboteur(
        exchange_skips,
        {
            *(f"{kind}, with skips minus without" for kind in ("loss", "Dice", "IoU", "outline F")),
            "outline F, with skips minus without, textures",
            "Dice averaged over the training, with skips minus without",
            "outline F lost, topmost skip minus deepest",
            "change under a shift of half a period, with skips minus without",
        },
    ),
    "networks that have learned nothing where brightness tells all": Saboteur(
        lambda patch: patch.setattr(here, "train_steps", first_step),
        {f"Dice, U-Net minus brightness alone{mark}" for mark in BOTH},
    ),
    "shifts that miss the grid by one": Saboteur(
        lambda patch: patch.setattr(shifts, "shifted", one_off(shifts.shifted)),
        {f"largest change under a shift by 8, {name}" for name in ("with skips", "without skips")},
    ),
}


@pytest.fixture
def grains_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    without_figures(monkeypatch, here, shifts)
    for name in ("brain", "textures"):
        monkeypatch.setitem(segmentation.SETS, name, grains)


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
@pytest.mark.usefixtures("grains_everywhere")
def test_another_measurement_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    # Grids are there before any training.
    settings = replace(LITTLE, steps=2) if "grid" in name else LITTLE
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
