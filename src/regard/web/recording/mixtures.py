"""Two mixtures on the map of Europe, epoch by epoch: Gaussians, which move, and boxes, which cannot."""

from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn

from regard.data.sets.places import EAST, NORTH, SOUTH, WEST, Places, load_places
from regard.lab.documents.plain import rounded
from regard.models.mixture.gaussian import GaussianMixtureModel, Mixture, unlikelihood
from regard.models.mixture.uniform import UniformMixtureModel
from regard.training import Plan, Training

COMPONENTS, EPOCHS, BATCHES, POINTS, LIMIT = 10, 50, 9, 2000, 5400
RATES = {"gaussian": 0.01, "uniform": 0.003}
"Learning rates, as the experiments `mixtures` and `uniform-mixture` have them."


def record_mixtures() -> dict[str, Any]:
    """Both trainings, and some of the places they learn from."""
    places = load_places(33, limit=LIMIT)
    torch.manual_seed(42)
    gaussian, boxes = GaussianMixtureModel(COMPONENTS), UniformMixtureModel(COMPONENTS)
    sides = zip(_trained(gaussian, places, "gaussian"), _trained(boxes, places, "uniform"), strict=True)
    points = places.degrees(places.splits["train"][:POINTS])
    return {
        "kind": "mixture",
        "version": 1,
        "name": "Places of Europe",
        "made": f"{COMPONENTS} diagonal Gaussians and {COMPONENTS} boxes, each trained for {EPOCHS} "
        f"epochs of AdamW in {BATCHES} batches on {len(places.splits['train']):,} places, seed 42; "
        f"{POINTS:,} of them are shown. Data: GeoNames (geonames.org), CC BY 4.0.",
        "points": _rows(points, 4),
        "bounds": [WEST, EAST, SOUTH, NORTH],
        "names": ["longitude", "latitude"],
        "frames": [
            {
                "epoch": epoch,
                "gaussian": _gaussian(first, places),
                "uniform": _boxes(second, places),
            }
            for epoch, (first, second) in enumerate(sides)
            if epoch % 2 == 0
        ],
    }


def _trained(model: Mixture, places: Places, kind: str) -> list[Any]:
    """The model before the training and after each epoch."""
    size = -(-len(places.splits["train"]) // BATCHES)
    plan = Plan(
        steps=EPOCHS * BATCHES,
        learning_rate=RATES[kind],
        betas=(0.9, 0.999),
        schedule="constant",
        warmup=0.0,
        clip=None,
        seed=0,
    )
    frames = [deepcopy(model)]
    for step in Training(model, lambda i: places.batch("train", i, size=size, seed=0), unlikelihood, plan):
        if step.step % BATCHES == 0:
            frames.append(deepcopy(model))
    return frames


def _gaussian(model: GaussianMixtureModel, places: Places) -> dict[str, Any]:
    scale = places.deviation.square()
    with torch.no_grad():
        variances = model.log_variances.exp() * scale
        return {
            "means": _rows(places.degrees(model.means), 5),
            "covariances": [[[rounded(a, 5), 0.0], [0.0, rounded(b, 5)]] for a, b in variances.tolist()],
            "weights": [rounded(one, 4) for one in model.weights.tolist()],
            "loglik": rounded(float(model(places.splits["test"]).mean())),
        }


def _boxes(model: UniformMixtureModel, places: Places) -> dict[str, Any]:
    model = deepcopy(model)
    model.zero_grad()
    model.loss(places.splits["train"]).backward()
    with torch.no_grad():
        return {
            "centres": _rows(places.degrees(model.centres), 5),
            "sizes": _rows(model.log_sizes.exp() * places.deviation, 5),
            "weights": [rounded(one, 4) for one in model.weights.tolist()],
            "loglik": rounded(float(model(places.splits["test"]).mean())),
            "gradient": _slopes(model.centres),
            "size_gradient": _slopes(model.log_sizes),
            "outside": rounded(model.uncovered(places.splits["test"])),
        }


def _slopes(parameter: nn.Parameter) -> list[float]:
    """How strongly the loss pulls at each component; that of hard boxes does not even see their centres."""
    if parameter.grad is None:
        return [0.0] * len(parameter)
    return [rounded(one, 4) for one in parameter.grad.norm(dim=1).tolist()]


def _rows(values: Tensor, digits: int) -> list[list[float]]:
    return [[rounded(one, digits) for one in row] for row in values.tolist()]
