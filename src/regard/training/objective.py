"""Losses (objectives): cross-entropy, mean squared error, and evaluation on held-out batches."""

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.arguments import kinds, told
from regard.errors import RegardError
from regard.shapes import Float

LARGE = 4096
"Classes from which on their logits are not worth keeping."

Objective = Callable[[nn.Module, Any], Tensor]


def cross_entropy(model: nn.Module, batch: tuple[Any, Tensor]) -> Float[Tensor, ""]:
    """Mean of −log p(target), p the softmax of the model's output over its last axis; −100 is no target.

    >>> cross_entropy(nn.Identity(), (torch.zeros(3, 4), torch.tensor([0, 2, 3])))   # ln 4
    tensor(1.3863)
    """
    inputs, targets = pair(model, batch)
    if _fuses(model):
        from regard.training.gpu.fused_loss import loss  # imports Triton, which not every machine has

        return loss(*model.before_head(inputs), targets)  # type: ignore[operator]
    scores = model(inputs)
    # In float32 whatever the model computes in: the sum over many classes loses too much otherwise.
    return functional.cross_entropy(scores.flatten(0, -2).float(), targets.flatten())


def _fuses(model: nn.Module) -> bool:
    """Whether head and loss can be one: in half precision on a GPU, where the vocabulary is large."""
    head = getattr(model, "output", None)
    return (
        isinstance(head, Tensor)
        and head.is_cuda
        and len(head) >= LARGE
        and head.requires_grad
        and torch.is_grad_enabled()
        and torch.is_autocast_enabled("cuda")
        and hasattr(model, "before_head")
        and find_spec("triton") is not None
    )


def mean_squared_error(model: nn.Module, batch: tuple[Any, Tensor]) -> Float[Tensor, ""]:
    """Mean of (model(input) − target)².

    >>> mean_squared_error(nn.Identity(), (torch.ones(3), -torch.ones(3)))
    tensor(4.)
    """
    inputs, targets = pair(model, batch)
    return (model(inputs).float() - targets).square().mean()


def count_targets(batch: tuple[Any, Tensor]) -> int:
    """How many targets a batch has."""
    return pair(nn.Identity(), batch)[1].numel()


def pair(model: nn.Module, batch: tuple[Any, Tensor]) -> tuple[Any, Tensor]:
    """The inputs and the targets of a batch, for a model that can be asked; or the error that tells."""
    if not callable(model):
        raise RegardError("the loss needs a model", told(model), "pass a module, such as a GPT")
    if not (isinstance(batch, tuple | list) and len(batch) == 2 and isinstance(batch[1], Tensor)):
        raise RegardError(
            "a batch is inputs and targets", told(batch), "pass two: (inputs, targets), the second a tensor"
        )
    return batch[0], batch[1]


@kinds
def evaluate(
    model: nn.Module,
    batches: Iterable[Any],
    objective: Objective = cross_entropy,
    *,
    weigh: Callable[[Any], float] = count_targets,
) -> float:
    """The mean loss over batches not trained on, each weighed by its number of targets; without dropout."""
    training = model.training
    model.eval()
    total = weight = 0.0
    try:
        with torch.no_grad():
            for batch in batches:
                total += weigh(batch) * float(objective(model, batch))
                weight += weigh(batch)
    finally:
        model.train(training)
    if not weight:
        raise RegardError(
            "nothing to evaluate on", "no batch, or batches without targets", "pass a larger text"
        )
    return total / weight
