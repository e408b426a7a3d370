"""Attention weights inside plain torch code: which operand of a product holds them, and how they stand.

Weights are rows that are not negative and sum to one, or come from a softmax, and are multiplied with values.
"""

from collections.abc import Callable
from string import ascii_uppercase
from typing import Any

import torch
from torch import Tensor, nn

from regard.shapes import Float

PRODUCTS = {
    torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm, torch.mm, Tensor.mm,
}  # fmt: skip
"Products of two matrices, the weights at the left or, turned, at the right."
CLOSE = 1e-3
"How far from one a row may sum: half precision is that coarse."


def weights_of(
    func: Callable[..., Any], args: tuple[Any, ...], marked: Callable[[Tensor], bool]
) -> Float[Tensor, "*axes n m"] | None:
    """The weights that a product applies, queries by keys in the last two axes; None where it applies none.

    >>> rows = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    >>> weights_of(torch.matmul, (rows, torch.randn(2, 3)), lambda x: False) is rows
    True
    >>> weights_of(torch.matmul, (torch.randn(2, 2), torch.randn(2, 3)), lambda x: False)
    """
    if func is torch.einsum:
        return _of_einsum(args, marked)
    if func is torch.baddbmm or func is Tensor.baddbmm:
        args = args[1:]
    if len(args) < 2 or not all(isinstance(x, Tensor) and x.dim() >= 2 for x in args[:2]):
        return None
    if any(x.layout is not torch.strided for x in args[:2]):
        return None
    left, right = args[:2]
    if _applies(left, right, left.dim() - 1, marked):
        return left
    return right.mT if _applies(right, left, right.dim() - 2, marked) else None


def _of_einsum(args: tuple[Any, ...], marked: Callable[[Tensor], bool]) -> Tensor | None:
    equation, *operands = args
    operands = operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    if not isinstance(equation, str) or len(operands) != 2:
        return None
    first, second, out = letters(equation, [x.dim() for x in operands])
    for x, own, y, others in (
        (operands[0], first, operands[1], second),
        (operands[1], second, operands[0], first),
    ):
        keys = [c for c in own if c in others and c not in out]
        queries = [c for c in own if c in out and c not in others]
        if len(keys) == len(queries) == 1 and _applies(x, y, own.index(keys[0]), marked):
            rest = [c for c in own if c not in (keys[0], queries[0])]
            return x.permute([own.index(c) for c in [*rest, queries[0], keys[0]]])
    return None


def letters(equation: str, axes: list[int]) -> tuple[str, str, str]:
    """The letters of both operands and of the result, dots written out.

    >>> letters("... i j, ... j d -> ... i d", [4, 4])
    ('YZij', 'YZjd', 'YZid')
    """
    inputs, _, out = equation.replace(" ", "").partition("->")
    words = inputs.split(",")
    dots = [n - len(word.replace("...", "")) for word, n in zip(words, axes, strict=True) if "..." in word]
    more = ascii_uppercase[-max(dots) :] if dots and max(dots) else ""
    first, second, result = (word.replace("...", more) for word in (*words, out))
    if "->" not in equation:
        result = "".join(sorted(c for c in first + second if (first + second).count(c) == 1))
    return first, second, result


def of_sum(
    first: Tensor, second: Tensor, axes: Any, marked: Callable[[Tensor], bool]
) -> Float[Tensor, "*axes n m"] | None:
    """The weights in (first * second).sum(axis), where one has an axis of queries that the other lacks.

    >>> rows = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    >>> found = of_sum(rows[:, :, None], torch.randn(1, 2, 3), 1, lambda x: False)
    >>> torch.equal(found, rows)
    True
    """
    axes = [axes] if isinstance(axes, int) else axes
    if not isinstance(axes, list | tuple) or len(axes) != 1:
        return None
    count = max(first.dim(), second.dim())
    key = axes[0] % max(count, 1)
    first, second = (x[(None,) * (count - x.dim()) + (...,)] for x in (first, second))
    for x, values in ((first, second), (second, first)):
        alone = [at for at in range(count) if x.shape[at] > 1 and values.shape[at] == 1]
        spread = [at for at in range(count) if x.shape[at] == 1 and values.shape[at] > 1]
        if len(alone) == 1 and key not in (*alone, *spread) and spread and _applies(x, values, key, marked):
            rest = [at for at in range(count) if at not in (key, *alone, *spread)]
            return x.permute([*rest, *alone, key, *spread]).flatten(len(rest) + 1)
    return None


def _applies(x: Tensor, values: Tensor, axis: int, marked: Callable[[Tensor], bool]) -> bool:
    """Whether rows along an axis weigh values; the rows of a table that was learned, by a softmax alone."""
    if isinstance(x, nn.Parameter) or not x.is_floating_point():
        return False
    if isinstance(values, nn.Parameter):
        return marked(x) and _sums_to_one(x.detach(), axis)
    return marked(x) or _sums_to_one(x.detach(), axis)


def _sums_to_one(x: Tensor, axis: int) -> bool:
    if x.shape[axis] < 2 or not x.numel() or bool((x < 0).any()):
        return False
    rows = x.sum(axis, dtype=torch.float64)
    # A query that sees nothing has a row of zeros.
    return bool((((rows - 1.0).abs() < CLOSE) | (rows == 0.0)).all()) and bool((rows > 0.0).any())
