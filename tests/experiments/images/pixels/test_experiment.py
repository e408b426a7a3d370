"""The experiment on a handful of made-up digits."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

import golden
from regard.experiments.images.pixels import experiment as pixels
from regard.experiments.images.pixels.digits import Digits
from regard.experiments.images.pixels.experiment import (
    BLIND,
    CNN,
    EXPERIMENT,
    GLOBAL,
    LOCAL,
    PatchResults,
    Settings,
    builders,
    distances,
    run,
)
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent
from regard.lab.experiment import Context
from regard.lab.vision_model import load_vision_model
from regard.models.cnn import ConvNet
from regard.models.vit import Convolving
from saboteurs import Saboteur, covers, fails, small, states, without_figures


def few(pictures: int, tests: int, folder: None) -> tuple[Digits, str]:
    labels = torch.arange(pictures) % 10
    shown = torch.randn(pictures, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    return Digits(shown, labels, shown[:tests], labels[:tests]), "Made up."


SMALL = Settings(
    pictures=20, tests=10, steps=2, batch=3, seeds=2, width=8, depth=2, shifts=(0, 4), angles=(0, 90)
)


def test_a_small_run_measures_every_claim_and_draws(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "load", few)
    events = list(run(SMALL, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    named = {
        one.name
        for one in events
        if isinstance(one, PairedMetric) or (isinstance(one, Metric) and not one.at)
    }
    assert {claim.name for claim in EXPERIMENT.claims} <= named
    drawn = [one.name for one in events if isinstance(one, FigureEvent)]
    assert drawn == ["changes", "looks", "local looks", "places", "filter"]
    (table,) = (one for one in events if isinstance(one, TableEvent))
    assert [row[0] for row in table.rows] == ["CNN", "all patches", "3 × 3 patches", "no positions"]
    exact = {one.name: one.value for one in events if isinstance(one, Metric)}
    assert exact["largest gap between nine heads and the CNN's convolution"] < 1e-12
    assert exact["largest change under a shift by a patch, no positions"] < 1e-12
    kept = load_vision_model(tmp_path / "all-patches")
    assert kept.model.sight.width == SMALL.width and kept.classes == tuple("0123456789")


def test_the_budgets_are_within_a_tenth_of_each_other() -> None:
    sizes = [sum(p.numel() for p in make().parameters()) for make in builders(Settings()).values()]
    assert max(sizes) / min(sizes) < 1.1


def test_a_head_that_looks_next_door_looks_one_patch_far() -> None:
    weights = torch.zeros(2, 6, 6)
    weights[0] = torch.eye(6)
    for cell in range(6):
        weights[1, cell, cell + 1 if cell % 3 < 2 else cell - 1] = 1
    assert distances(weights, (2, 3)).tolist() == [0.0, 1.0]


def blocks(pictures: int, tests: int, folder: None) -> tuple[Digits, str]:
    """The class is where a bright patch lies: a model without positions cannot know."""
    labels = torch.arange(pictures) % 10
    shown = 0.1 * torch.randn(pictures, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    for number, label in enumerate(labels.tolist()):
        row, column = 4 + 8 * (label // 4), 4 + 4 * (label % 4)
        shown[number, 0, row : row + 4, column : column + 4] += 4
    return Digits(shown, labels, shown[:tests], labels[:tests]), "Made up."


def moved_on(kinds: set[str], right: Callable) -> Callable:
    """Labels that are one further for some models."""

    def accuracy(model: nn.Module, pictures: torch.Tensor, labels: torch.Tensor) -> float:
        name = CNN if isinstance(model, ConvNet) else GLOBAL
        blind = getattr(model, "positions", None) is None and not isinstance(model, ConvNet)
        return right(model, pictures, (labels + 1) % 10 if name in kinds and not blind else labels)

    return accuracy


def with_places(made: Callable) -> Callable:
    """Learned places where there should be none, or steps."""
    return lambda settings, classes=10: (
        made(settings, classes) | dict.fromkeys((LOCAL, BLIND), made(settings, classes)[GLOBAL])
    )


def mirrored(convolution: nn.Conv2d, shape: tuple[int, int]) -> Convolving:
    other = nn.Conv2d(1, convolution.out_channels, 3, padding=1, dtype=torch.float64)
    other.weight.data, other.bias = convolution.weight.data.flip(3), convolution.bias
    return Convolving.from_torch(other, shape)


def places_and_mirrors(patch: pytest.MonkeyPatch) -> None:
    """Places where there should be none, and a mirrored filter."""
    patch.setattr(pixels, "builders", with_places(pixels.builders))
    patch.setattr(pixels, "Convolving", type("Mirrored", (), {"from_torch": staticmethod(mirrored)}))
    patch.setattr(pixels, "_looks", lambda found, digits: ())


WHOLE = f"change of the answer by a whole patch minus half a patch, {LOCAL}"
LITTLE = Settings(
    pictures=100, tests=40, steps=100, batch=20, seeds=2, width=16, depth=1, shifts=(0, 4), angles=(0, 90)
)
SABOTEURS = {
    "labels moved on for the CNN": Saboteur(
        lambda patch: patch.setattr(pixels, "accuracy", moved_on({CNN}, pixels.accuracy)),
        {f"accuracy, {CNN} minus {other}" for other in (GLOBAL, LOCAL)},
    ),
    "labels moved on for attention with places, and pictures that are not turned": Saboteur(
        lambda patch: (
            patch.setattr(pixels, "accuracy", moved_on({GLOBAL}, pixels.accuracy)),
            patch.setattr(pixels, "rotate", lambda pictures, angle, sampling: pictures),
        ),
        {f"accuracy, {GLOBAL} minus {BLIND}", "largest accuracy at 90 degrees, of any model"},
    ),
    "places where there should be none, and a mirrored filter": Saboteur(
        places_and_mirrors,
        {
            "largest change under a shift by a patch, no positions",
            "largest gap between nine heads and the CNN's convolution",
        },
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_measurement_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    without_figures(monkeypatch, pixels)
    monkeypatch.setattr(pixels, "load", blocks)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, LITTLE, tmp_path))


class Edges(nn.Module):
    """Answers by the brightest patch, wherever it is: a shift by whole patches changes nothing, half a patch does."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(1.0 + seed + torch.arange(10.0))

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return nn.functional.avg_pool2d(pictures, 4).amax((1, 2, 3))[:, None] * self.scale


class Slope(Edges):
    """Answers by how far to the right it is bright: the farther a shift, the larger the change."""

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        ramp = torch.linspace(0, 1, pictures.shape[3], dtype=pictures.dtype)
        return (pictures * ramp).mean((1, 2, 3))[:, None] * self.scale


def test_a_model_that_minds_whole_patches_more_fails_the_claim_that_it_does_not() -> None:
    digits, _ = blocks(20, 20, None)

    def found(local: type[Edges]) -> str:
        models = {name: local if name == LOCAL else Edges for name in (GLOBAL, LOCAL, BLIND)}
        results = {
            name: PatchResults(models=[model(seed) for seed in range(3)]) for name, model in models.items()
        }
        return states(EXPERIMENT.claims, pixels._exact(results, digits))[WHOLE]

    assert (found(Edges), found(Slope)) == ("held", "failed")


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS | {"by itself": Saboteur(lambda patch: None, {WHOLE})})
