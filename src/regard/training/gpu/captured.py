"""CUDA graphs of a training step: gradient and move are captured once, and replayed with no launch between.

A step of a small model is hundreds of short kernels, which a GPU does sooner than Python can ask for them.
Learning rates and the batch lie in tensors that are written before each replay. Between the two graphs the
loss and the norm are looked at, as in any training, so that nothing that is not finite moves a parameter.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

WARM = 3
"Runs before a capture, in which libraries and compilers make themselves ready."


class Captured:
    """The two halves of a step, in graphs.

    `compute(batch)` leaves a gradient in every parameter and gives loss and norm in one tensor; `move(norm)`
    moves the parameters by it. `keep` lists what the runs before the capture must leave as it was.
    """

    def __init__(
        self,
        compute: Callable[[Any], Tensor],
        move: Callable[[Tensor], None],
        batch: Any,
        parameters: Sequence[Tensor],
        keep: Callable[[], list[Tensor]],
    ) -> None:
        leaves, self.shape = tree_flatten(batch)
        self.inputs = [one.clone() if isinstance(one, Tensor) else one for one in leaves]
        self.fits_shapes = [tuple(one.shape) for one in leaves if isinstance(one, Tensor)]
        given = tree_unflatten(self.inputs, self.shape)
        with warnings.catch_warnings():
            # The stream of the first backward pass is not that of the captured one, of which torch warns.
            warnings.filterwarnings("ignore", message="The AccumulateGrad node's stream does not match")
            self._capture(compute, move, given, parameters, keep)

    def _capture(
        self,
        compute: Callable[[Any], Tensor],
        move: Callable[[Tensor], None],
        given: Any,
        parameters: Sequence[Tensor],
        keep: Callable[[], list[Tensor]],
    ) -> None:
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM):
                self._empty(parameters)
                self.figures = compute(given)
            kept = keep()
            before = [one.clone() for one in kept]
            # Makes what an optimiser remembers, where it has never moved; that is put back to nothing below.
            move(self.figures[1])
            after = keep()
            _put_back(kept, before, after)
        torch.cuda.current_stream().wait_stream(aside)
        self._empty(parameters)
        self.first, self.second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.first):
            self.figures = compute(given)
        with torch.cuda.graph(self.second, pool=self.first.pool()):
            move(self.figures[1])
        self.gradients = [one.grad for one in parameters]  # the second graph reads them where they are

    @staticmethod
    def _empty(parameters: Sequence[Tensor]) -> None:
        for one in parameters:
            one.grad = None

    def takes(self, batch: Any) -> bool:
        """Whether a batch has the shapes that were captured."""
        leaves, shape = tree_flatten(batch)
        return shape == self.shape and self.fits_shapes == [
            tuple(one.shape) for one in leaves if isinstance(one, Tensor)
        ]

    def compute(self, batch: Any) -> Tensor:
        """Gradients of a batch; loss and norm."""
        for own, one in zip(self.inputs, tree_flatten(batch)[0], strict=True):
            if isinstance(own, Tensor):
                own.copy_(one, non_blocking=True)
        self.first.replay()
        return self.figures

    def move(self) -> None:
        """Move the parameters by the gradients of the last batch."""
        self.second.replay()


@torch.no_grad()
def _put_back(kept: list[Tensor], before: list[Tensor], after: list[Tensor]) -> None:
    """Everything as it was: what is new was made of zeros, and becomes zeros."""
    known = {id(one) for one in kept}
    for one, value in zip(kept, before, strict=True):
        one.copy_(value)
    for one in after:
        if id(one) not in known:
            one.zero_()
