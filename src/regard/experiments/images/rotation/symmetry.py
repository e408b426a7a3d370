"""Symmetry of classes under rotation: which look alike upside down, and what they are taken for."""

from collections.abc import Sequence

import torch
from torch import Tensor

from regard.shapes import Float, Int

ALIKE_SHARE = 0.3
"The share of the classes that counts as most alike to their half turns: three of ten."


def likeness(pictures: Tensor, labels: Int[Tensor, " n"], classes: int) -> Float[Tensor, " k"]:
    """For each class, the correlation of its mean picture with the same picture turned by 180 degrees.

    >>> bars = torch.zeros(2, 1, 4, 4)
    >>> bars[0, 0, 1:3], bars[1, 0, 0] = 1, 1
    >>> likeness(bars, torch.tensor([0, 1]), 2)
    tensor([ 1.0000, -0.3333])
    """
    means = torch.stack([pictures[labels == one].float().mean(0) for one in range(classes)])
    pairs = torch.stack([means.flatten(1), means.flip(2, 3).flatten(1)])
    pairs = torch.nn.functional.normalize(pairs - pairs.mean(2, keepdim=True), dim=2)
    return (pairs[0] * pairs[1]).sum(1)


def mistaken(said: Int[Tensor, "a n"], labels: Int[Tensor, " n"], classes: int) -> Float[Tensor, "k k"]:
    """The share of each class (row) that is taken for each class (column), over all angles."""
    counts = torch.bincount((labels * classes + said).flatten(), minlength=classes**2).view(classes, classes)
    return counts.double() / counts.sum(1, keepdim=True).clamp(min=1)


def upside_down(
    said: Int[Tensor, "s n"], labels: Int[Tensor, " n"], alike: Float[Tensor, " k"], names: Sequence[str]
) -> tuple[list[tuple], list[float]]:
    """A row for each class, the most alike first; and for each seed how far the most alike ones lead, in percent.

    `said` is what each seed's network says of the pictures turned by 180 degrees.
    """
    taken = torch.stack([mistaken(one[None], labels, len(names)) for one in said])
    mean, order = taken.mean(0), alike.argsort(descending=True).tolist()
    rows = []
    for one in order:
        others = mean[one].clone()
        others[one] = -1
        wrong = int(others.argmax())
        rows.append((names[one], float(alike[one]), 100 * float(mean[one, one]), names[wrong], 100 * float(mean[one, wrong])))  # fmt: skip
    count = max(1, round(ALIKE_SHARE * len(names)))
    right = 100 * taken.diagonal(dim1=1, dim2=2)
    lead = right[:, order[:count]].mean(1) - right[:, order[count:]].mean(1)
    return rows, lead.tolist()
