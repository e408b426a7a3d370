"""Dice, IoU and boundary agreement: how well a predicted segmentation lies on the true one."""

import torch.nn.functional as F
from torch import Tensor

from regard.shapes import Bool, Float, Int


def dice(found: Int[Tensor, "b y x"], true: Int[Tensor, "b y x"], classes: int) -> Float[Tensor, " k"]:
    """2 |A ∩ B| / (|A| + |B|) of each class over all pictures; 1 where neither has it.

    >>> import torch
    >>> dice(torch.tensor([[[0, 1, 1, 1]]]), torch.tensor([[[0, 0, 1, 1]]]), 2)
    tensor([0.6667, 0.8000], dtype=torch.float64)
    """
    both, either = _counts(found, true, classes)
    return (2 * both).div(both + either).nan_to_num(1.0)


def iou(found: Int[Tensor, "b y x"], true: Int[Tensor, "b y x"], classes: int) -> Float[Tensor, " k"]:
    """|A ∩ B| / |A ∪ B| of each class over all pictures; 1 where neither has it.

    >>> import torch
    >>> iou(torch.tensor([[[0, 1, 1, 1]]]), torch.tensor([[[0, 0, 1, 1]]]), 2)
    tensor([0.5000, 0.6667], dtype=torch.float64)
    """
    both, either = _counts(found, true, classes)
    return both.div(either).nan_to_num(1.0)


def boundary_score(
    found: Int[Tensor, "b y x"], true: Int[Tensor, "b y x"], classes: int, *, tolerance: int = 0
) -> Float[Tensor, " k"]:
    """The F-score of each class's outline: how much of either lies within `tolerance` pixels of the other.

    F = 2PR / (P + R), P the share of the found outline that lies on the true one and R the reverse.
    """
    ours, theirs = (outline(members(mask, classes)) for mask in (found, true))
    precision = _share(ours, grow(theirs, tolerance))
    recall = _share(theirs, grow(ours, tolerance))
    return (2 * precision * recall).div(precision + recall).nan_to_num(0.0)


def outline(region: Bool[Tensor, "b k y x"]) -> Bool[Tensor, "b k y x"]:
    """The pixels of a region with a neighbour (of eight) outside of it; the picture's edge is none.

    >>> import torch
    >>> outline(torch.ones(1, 1, 3, 4, dtype=torch.bool)).any()
    tensor(False)
    """
    return region & grow(~region, 1)


def grow(region: Bool[Tensor, "b k y x"], pixels: int) -> Bool[Tensor, "b k y x"]:
    """A region and all within so many pixels of it, along either axis."""
    return F.max_pool2d(region.float(), 2 * pixels + 1, stride=1, padding=pixels) > 0


def members(mask: Int[Tensor, "b y x"], classes: int) -> Bool[Tensor, "b k y x"]:
    """The pixels of each class."""
    return F.one_hot(mask, classes).movedim(-1, 1).bool()


def _counts(found: Tensor, true: Tensor, classes: int) -> tuple[Tensor, Tensor]:
    ours, theirs = members(found, classes), members(true, classes)
    return (ours & theirs).sum((0, 2, 3)).double(), (ours | theirs).sum((0, 2, 3)).double()


def _share(part: Tensor, whole: Tensor) -> Tensor:
    """The share of a part that lies inside the whole, class by class; 1 of nothing."""
    return (part & whole).sum((0, 2, 3)).div(part.sum((0, 2, 3))).nan_to_num(1.0)
