"""Segmentation data sets: pictures whose every pixel has a class, in splits and batches of crops."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.errors import RegardError, nearest
from regard.shapes import Float, Int


@dataclass(frozen=True, kw_only=True)
class Segmented:
    """Pictures with the class of each pixel, and which of them are for what.

    >>> images, masks = torch.zeros(3, 1, 5, 7), torch.zeros(3, 5, 7, dtype=torch.long)
    >>> parts = {"train": torch.tensor([0, 1]), "test": torch.tensor([2])}
    >>> names = ("ground", "thing")
    >>> pictures = Segmented(name="tiny", images=images, masks=masks, classes=names, splits=parts, said="")
    >>> images, masks = pictures.batch("train", 0, size=4, seed=0, crop=5)
    >>> images.shape, masks.shape
    (torch.Size([4, 1, 5, 5]), torch.Size([4, 5, 5]))
    """

    name: str
    "What people call the set."
    images: Tensor
    "Float32: number, channel, row, column."
    masks: Tensor
    "Int64: number, row, column."
    classes: tuple[str, ...]
    "What the classes are called; the first is what surrounds the others."
    splits: Mapping[str, Tensor]
    "The numbers of the pictures of each part, by name."
    said: str
    "Which pictures these are, in a sentence."

    def __post_init__(self) -> None:
        images, masks = self.images.shape, self.masks.shape
        if len(images) != 4 or masks != (images[0], *images[2:]):
            raise RegardError(
                f"the masks of {self.name} do not fit its pictures",
                f"pictures {tuple(images)}, masks {tuple(masks)}",
                "give (b c y x) and (b y x) of the same b, y and x",
            )
        labels = self.masks.unique().tolist()
        if unknown := [label for label in labels if not 0 <= label < len(self.classes)]:
            raise RegardError(
                f"the masks of {self.name} have labels without a class",
                f"label {unknown[0]}, and the classes are {dict(enumerate(self.classes))}",
                "name a class for each label, or change the labels",
            )

    def batch(
        self, split: str, index: int, *, size: int, seed: int, crop: int | None = None
    ) -> tuple[Float[Tensor, "{size} c y x"], Int[Tensor, "{size} y x"]]:
        """Batch number `index` of a part: random pictures, of each a random square where `crop` is given.

        Example j of a part is the same in every batch that holds it.
        """
        numbers = self.part(split)
        if (
            min(index, seed) < 0
            or size < 1
            or (crop is not None and not 1 <= crop <= min(self.masks.shape[1:]))
        ):
            raise RegardError(
                "no such batch",
                f"index={index}, size={size}, seed={seed}, crop={crop} of {tuple(self.masks.shape[1:])}",
                "index >= 0, size >= 1, seed >= 0 and a crop that fits into a picture",
            )
        rows, columns = self.masks.shape[1:]
        y, x = (rows, columns) if crop is None else (crop, crop)
        images, masks = [], []
        for example in range(index * size, (index + 1) * size):
            draw = numpy.random.default_rng([seed, *split.encode(), example]).random(3)
            number = numbers[int(draw[0] * len(numbers))]
            top, left = int(draw[1] * (rows - y + 1)), int(draw[2] * (columns - x + 1))
            images.append(self.images[number, :, top : top + y, left : left + x])
            masks.append(self.masks[number, top : top + y, left : left + x])
        return torch.stack(images), torch.stack(masks)

    def whole(self, split: str) -> tuple[Float[Tensor, "b c y x"], Int[Tensor, "b y x"]]:
        """All pictures of a part."""
        numbers = self.part(split)
        return self.images[numbers], self.masks[numbers]

    def part(self, split: str) -> Int[Tensor, " b"]:
        """The numbers of the pictures of a part."""
        if split not in self.splits:
            fix = nearest(split, self.splits, f"one of {', '.join(self.splits)}")
            raise RegardError("no split of that name", repr(split), fix)
        return self.splits[split]


def shrink(
    images: Float[Tensor, "b c y x"], masks: Int[Tensor, "b y x"], factor: int
) -> tuple[Float[Tensor, "b c y2 x2"], Int[Tensor, "b y2 x2"]]:
    """Pictures in a smaller size: the mean of each square of pixels, and the class that most of them have.

    >>> shrink(torch.arange(4.0).view(1, 1, 2, 2), torch.tensor([[[2, 2], [2, 0]]]), 2)
    (tensor([[[[1.5000]]]]), tensor([[[2]]]))
    """
    shares = F.one_hot(masks).movedim(-1, 1).float()
    return F.avg_pool2d(images, factor), F.avg_pool2d(shares, factor).argmax(1)


def standard(images: Float[Tensor, "b c y x"]) -> Float[Tensor, "b c y x"]:
    """Pictures of mean 0 and variance 1, over all of them and channel by channel."""
    axes = (0, 2, 3)
    spread = images.std(axes, keepdim=True).clamp(min=1e-6)
    return (images - images.mean(axes, keepdim=True)) / spread
