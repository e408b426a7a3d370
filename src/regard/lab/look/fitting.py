"""Inputs that do not fit a model: how many tokens would, and what was passed, in three lines."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from regard.arguments import told
from regard.errors import RegardError

LONGEST = 200
"Characters of an error that are told."


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """As in `module.eval()`, and as it was afterwards."""
    before = [(one, one.training) for one in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for one, training in before:
            one.training = training


def unpacked(module: nn.Module, inputs: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """What a call may mean, to try in turn: a tuple stands for the inputs of a model that takes several.

    >>> unpacked(nn.Bilinear(2, 2, 2), ((1, 2),)), unpacked(nn.Linear(2, 2), ((1, 2),))
    ([(1, 2)], [((1, 2),)])
    """
    if len(inputs) != 1 or not isinstance(inputs[0], tuple | list) or len(inputs[0]) < 2:
        return [inputs]
    taken = inspect.signature(module.forward).parameters.values()
    several = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = [one for one in several if one.default is one.empty]
    if len(several) < len(inputs[0]):
        return [inputs]
    return [tuple(inputs[0])] if len(needed) > 1 else [inputs, tuple(inputs[0])]


def require_fitting(module: nn.Module, tried: Sequence[tuple[Any, ...]], **words: Any) -> None:
    """Raise where ids were given, none of which fit, and fewer of them would."""
    long = [one for one in tried if _length(one)]
    if not long:
        return
    length = max(_length(one) for one in long)
    fit = max(_fitting(module, one, words) for one in long)
    if 0 < fit < length:
        raise RegardError(
            "the text is too long for the model",
            f"{length} tokens, of which {fit} fit",
            f"give a text of at most {fit} tokens",
        )


def misfit(module: nn.Module, inputs: Sequence[Any], error: Exception) -> RegardError:
    """An error that a model raised for what it was called with, in three lines."""
    shapes = (f"a tensor {tuple(x.shape)} of {x.dtype}" if isinstance(x, Tensor) else told(x) for x in inputs)
    return RegardError(
        "the model cannot be called with this",
        f"{', '.join(shapes)}: {first_line(error)}",
        f"pass what its forward takes: {inspect.signature(module.forward)}",
    )


def first_line(error: Exception) -> str:
    """The kind of an error and the first line of what it says."""
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0][:LONGEST]}" if lines else type(error).__name__


def _length(inputs: Sequence[Any]) -> int:
    """How many ids are given at once; 0 where none are."""
    first = inputs[0] if inputs else None
    if not isinstance(first, Tensor) or first.dim() != 2 or first.is_floating_point():
        return 0
    return first.shape[1]


def _fitting(module: nn.Module, inputs: Sequence[Any], words: dict[str, Any]) -> int:
    """The most ids that the model takes; all of them where their number is not what it refuses."""
    length = _length(inputs)

    def takes(count: int) -> bool:
        # Token 0, which every model knows: the length alone is asked for.
        cut = [torch.zeros_like(x[:, :count]) if _length([x]) == length else x for x in inputs]
        try:
            module(*cut, **words)
        except Exception:
            return False
        return True

    least, most = 0, length + 1
    with evaluating(module), torch.no_grad():
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (middle, most) if takes(middle) else (least, middle)
    return least
