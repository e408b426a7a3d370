"""Aggregation (scatter): sums, means, maxima and medians over neighbours or over whole graphs.

Sums and means are linear; a maximum and a median are not, and so have no place in `attend`.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from regard.shapes import Float, Int

Aggregate = Callable[[Tensor, Tensor, int], Tensor]
"""Rows, the group of each row, and how many groups there are; gives one row per group."""


def sums(rows: Float[Tensor, "e c"], group: Int[Tensor, " e"], groups: int) -> Float[Tensor, "g c"]:
    """The sum of each group; zero where it has no rows.

    >>> sums(torch.tensor([[1.0], [2.0], [4.0]]), torch.tensor([0, 2, 2]), 3)
    tensor([[1.],
            [0.],
            [6.]])
    """
    return rows.new_zeros(groups, rows.shape[1]).index_add(0, group, rows)


def means(rows: Float[Tensor, "e c"], group: Int[Tensor, " e"], groups: int) -> Float[Tensor, "g c"]:
    """The mean of each group; zero where it has no rows."""
    return sums(rows, group, groups) / counts(group, groups).clamp(min=1).to(rows.dtype).unsqueeze(1)


def maxima(rows: Float[Tensor, "e c"], group: Int[Tensor, " e"], groups: int) -> Float[Tensor, "g c"]:
    """The largest of each group, channel by channel; zero where it has no rows.

    >>> maxima(torch.tensor([[-1.0], [-2.0]]), torch.tensor([0, 0]), 2)
    tensor([[-1.],
            [ 0.]])
    """
    index = group.unsqueeze(1).expand(rows.shape)
    return rows.new_zeros(groups, rows.shape[1]).scatter_reduce(0, index, rows, "amax", include_self=False)


def medians(rows: Float[Tensor, "e c"], group: Int[Tensor, " e"], groups: int) -> Float[Tensor, "g c"]:
    """The median of each group, channel by channel; zero where it has no rows.

    Of an even number it is the mean of the two in the middle, as in numpy.

    >>> medians(torch.tensor([[1.0], [9.0], [2.0], [4.0]]), torch.tensor([0, 0, 0, 1]), 2)
    tensor([[2.],
            [4.]])
    """
    number = counts(group, groups)
    if not len(rows):
        return sums(rows, group, groups)
    # By value, then stably by group: each group's rows stand together in rising order, channel by channel.
    rising = rows.detach().argsort(dim=0)
    order = rising.gather(0, group[rising].argsort(dim=0, stable=True))
    first, last = number.cumsum(0) - number, len(rows) - 1
    lower, upper = ((first + half).clamp(0, last) for half in ((number - 1) // 2, number // 2))
    middle = (rows.gather(0, order[lower]) + rows.gather(0, order[upper])) / 2
    return middle.where((number > 0).unsqueeze(1), 0.0)


def counts(group: Int[Tensor, " e"], groups: int) -> Int[Tensor, " g"]:
    """How many rows each group has."""
    return torch.bincount(group, minlength=groups)
