"""A network that gives every pixel a class: trained, tried, and held against what brightness tells."""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.data.sets.album import load_album
from regard.data.sets.brain import load_slices
from regard.data.sets.masks import Segmented
from regard.errors import RegardError, nearest
from regard.experiments.images.unet.overlap import boundary_score, dice, iou
from regard.experiments.images.unet.scenes import make_scenes, make_textures
from regard.models.unet import UNet, middle
from regard.shapes import Float, Int
from regard.training import Plan, Training

SETS: dict[str, Callable[[], Segmented]] = {
    "brain": lambda: load_slices(step=3),
    "textures": make_textures,
    "scenes": make_scenes,
    "membranes": lambda: load_album("membranes"),
    "pets": lambda: load_album("pets", factor=8),
}
"The sets of pictures with masks, by name."


def load_segmented(name: str) -> Segmented:
    """The set of that name."""
    if name not in SETS:
        raise RegardError(
            "no set of masks of that name", repr(name), nearest(name, SETS, f"one of {', '.join(SETS)}")
        )
    return SETS[name]()


@dataclass(frozen=True)
class Scores:
    """How good a segmentation is; means over the classes but the first, which surrounds the others."""

    dice: float
    "Mean Dice."
    iou: float
    "Mean intersection over union."
    outline: float
    "Mean F-score of the outlines, to the pixel."
    near: float
    "Mean F-score of the outlines, a pixel off allowed."
    loss: float = float("nan")
    "Mean −log p of the true class, where there are probabilities."

    def named(self) -> dict[str, float]:
        """The scores under the names that people read."""
        words = {
            "dice": "Dice",
            "iou": "IoU",
            "outline": "outline F",
            "near": "outline F, a pixel off",
            "loss": "loss",
        }
        return {words[name]: value for name, value in asdict(self).items()}


def score(
    found: Int[Tensor, "b y x"], true: Int[Tensor, "b y x"], classes: int, loss: float = float("nan")
) -> Scores:
    """The scores of predicted classes."""
    return Scores(
        dice=_inner(dice(found, true, classes)),
        iou=_inner(iou(found, true, classes)),
        outline=_inner(boundary_score(found, true, classes)),
        near=_inner(boundary_score(found, true, classes, tolerance=1)),
        loss=loss,
    )


def _inner(values: Tensor) -> float:
    return float(values[1:].mean())


def pixel_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Float[Tensor, ""]:
    """Mean −log p of the true class, over the pixels that the network has scores for."""
    images, masks = batch
    scores = model(images)
    return F.cross_entropy(scores.float(), middle(masks, scores))


@torch.no_grad()
def try_on(
    model: UNet, pictures: Segmented, split: str = "test", *, cut: Collection[int] = (), size: int = 4
) -> tuple[Int[Tensor, "b y x"], Scores]:
    """The classes that a network gives to the pictures of a part, and how good they are."""
    training, device = model.training, next(model.parameters()).device
    model.eval()
    images, masks = pictures.whole(split)
    try:
        scores = torch.cat([model(part.to(device), cut=cut).cpu() for part in images.split(size)])
    finally:
        model.train(training)
    found, masks = scores.argmax(1), middle(masks, scores)
    return found, score(found, masks, len(pictures.classes), float(F.cross_entropy(scores, masks)))


def train_steps(model: UNet, pictures: Segmented, plan: Plan, *, batch: int, crop: int | None) -> Training:
    """A training of the network on random crops; iterate it."""

    def batches(index: int) -> Any:
        return pictures.batch("train", index, size=batch, seed=plan.seed, crop=crop)

    return Training(model, batches, pixel_loss, plan, capture=True)


@dataclass(frozen=True)
class Brightness:
    """The best that can be said of a pixel from its brightness alone: a class for each level of it."""

    levels: Float[Tensor, " n"]
    "The borders between levels."
    choice: Int[Tensor, " m"]
    "The class of each level."

    @classmethod
    def learn(cls, pictures: Segmented, *, levels: int = 64) -> "Brightness":
        """For each level the likeliest class of the training pictures, rare classes lifted.

        They are lifted by as much as gives the best Dice on the test pictures themselves: the rule, not the
        network, is given that advantage.
        """
        images, masks = pictures.whole("train")
        grey, classes = images.mean(1).flatten(), len(pictures.classes)
        some = grey[:: max(1, len(grey) // 100_000)]
        borders = torch.quantile(some, torch.linspace(0, 1, levels + 1)[1:-1])
        place = torch.bucketize(grey, borders)
        counts = torch.bincount(masks.flatten() * levels + place, minlength=classes * levels)
        counts = counts.view(classes, levels).double()
        share = counts.sum(1, keepdim=True).clamp(min=1)
        rules = [cls(borders, (counts / share**power).argmax(0)) for power in (0.0, 0.25, 0.5, 0.75, 1.0)]
        images, masks = pictures.whole("test")
        return max(rules, key=lambda rule: float(dice(rule(images), masks, classes)[1:].mean()))

    def __call__(self, images: Float[Tensor, "b c y x"]) -> Int[Tensor, "b y x"]:
        """The class of each pixel."""
        return self.choice[torch.bucketize(images.mean(1), self.levels)]
