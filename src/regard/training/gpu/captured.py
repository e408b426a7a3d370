"""CUDA graphs of a training step: gradient and move are captured once, and replayed with no launch between.

A step of a small model is hundreds of short kernels, which a GPU does sooner than Python can ask for them.
Learning rates and the batch lie in tensors that are written before each replay. Nobody waits for loss and
norm: the GPU itself lets a step that is not finite, and all after it, move nothing. They are two graphs, so
that one can be prepared while the other runs.
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

    `compute(batch)` leaves a gradient in every parameter and gives loss and norm in one tensor;
    `move(norm, fine)` moves the parameters by it, where `fine` is true. `buffers` are what `compute` may
    write into; `keep` lists all that the runs before the capture must leave as it was.
    """

    def __init__(
        self,
        compute: Callable[[Any], Tensor],
        move: Callable[[Tensor, Tensor], None],
        batch: Any,
        parameters: Sequence[Tensor],
        buffers: Sequence[Tensor],
        keep: Callable[[], list[Tensor]],
    ) -> None:
        leaves, self.shape = tree_flatten(batch)
        self.inputs = [one.clone() if isinstance(one, Tensor) else one for one in leaves]
        self.fits_shapes = [tuple(one.shape) for one in leaves if isinstance(one, Tensor)]
        self.compute, self.move, self.parameters, self.buffers = compute, move, parameters, buffers
        with warnings.catch_warnings():
            # The stream of the first backward pass is not that of the captured one, of which torch warns.
            warnings.filterwarnings("ignore", message="The AccumulateGrad node's stream does not match")
            self._capture(tree_unflatten(self.inputs, self.shape), keep)

    def _capture(self, given: Any, keep: Callable[[], list[Tensor]]) -> None:
        self.fine = torch.ones((), dtype=torch.bool, device=self.parameters[0].device)
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            kept = keep()
            before = [one.clone() for one in kept]
            for _ in range(WARM):
                self._empty()
                self.move(self._compute(given)[1], self.fine)
            # What an optimiser remembers is made by its first move, and put back to nothing here.
            _put_back(kept, before, keep())
            self.fine.fill_(True)
        torch.cuda.current_stream().wait_stream(aside)
        self._empty()
        self.first, self.second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.first):
            self.figures = self._compute(given)
        with torch.cuda.graph(self.second, pool=self.first.pool()):
            self.move(self.figures[1], self.fine)
        self.gradients = [one.grad for one in self.parameters]  # the second graph reads them where they are

    def _compute(self, given: Any) -> Tensor:
        """The gradients; where they are not finite, buffers are as before."""
        before = [one.clone() for one in self.buffers]
        figures = self.compute(given)
        self.fine.logical_and_(figures.isfinite().all())
        for one, value in zip(self.buffers, before, strict=True):
            one.copy_(torch.where(self.fine, one, value))
        return figures

    def _empty(self) -> None:
        for one in self.parameters:
            one.grad = None

    def takes(self, batch: Any) -> bool:
        """Whether a batch has the shapes that were captured."""
        leaves, shape = tree_flatten(batch)
        return shape == self.shape and self.fits_shapes == [
            tuple(one.shape) for one in leaves if isinstance(one, Tensor)
        ]

    def step(self, batch: Any) -> Tensor:
        """Move the parameters by a batch; loss and norm, which the next step overwrites."""
        for own, one in zip(self.inputs, tree_flatten(batch)[0], strict=True):
            if isinstance(own, Tensor):
                own.copy_(one, non_blocking=True)
        self.first.replay()
        self.second.replay()
        return self.figures


@torch.no_grad()
def _put_back(kept: list[Tensor], before: list[Tensor], after: list[Tensor]) -> None:
    """Everything as it was: what is new was made of zeros, and becomes zeros."""
    known = {id(one) for one in kept}
    for one, value in zip(kept, before, strict=True):
        one.copy_(value)
    for one in after:
        if id(one) not in known:
            one.zero_()
