"""Generation by a CUDA graph: one captured step, replayed for each token; no copy to the host between."""

from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from regard.generation.sampling import Sampler
from regard.shapes import Float, Int


@runtime_checkable
class Steps(Protocol):
    """A model's way of taking single tokens on a GPU, in room that stays where it is."""

    rows: int
    ids: Int[Tensor, " b"]
    logits: Float[Tensor, "b k"]

    def fits(self, rows: int) -> bool:
        """Whether it can still be used, for so many rows."""
        ...

    def read(self, ids: Int[Tensor, "b n"]) -> Float[Tensor, "b k"]:
        """Take a prompt; fill the logits."""
        ...

    def advance(self) -> None:
        """Read the tokens in `ids`; fill the logits."""
        ...


class Replayed:
    """A model's step and a draw, captured together."""

    def __init__(self, steps: Steps, sampler: Sampler, room: int) -> None:
        from regard.generation.device_draw import DeviceDraw

        self.steps, self.sampler, self.room = steps, sampler, room
        self.draw = DeviceDraw(sampler, steps.rows, room, steps.ids.device)
        self._prepare()

    def _prepare(self) -> None:
        """Compile the kernels by running them once, on another stream as torch asks; then capture them."""
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self.draw.step.zero_()
                self._once()
        torch.cuda.current_stream().wait_stream(aside)
        self.draw.step.zero_()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self._once()

    def _once(self) -> None:
        self.steps.advance()
        self.draw.choose(self.steps.logits, self.steps.ids)

    def run(
        self, prompt: Int[Tensor, "b n"], steps: int, generator: torch.Generator | None
    ) -> Int[Tensor, "b steps"]:
        """The tokens that follow."""
        self.draw.begin(generator)
        self.draw.choose(self.steps.read(prompt), self.steps.ids)
        for _ in range(steps - 1):
            self.graph.replay()
        return self.draw.kept[:, :steps].clone()


_KEPT: WeakKeyDictionary[Any, Replayed] = WeakKeyDictionary()


@torch.inference_mode()
def captured(
    model: Any, prompt: Int[Tensor, "b n"], steps: int, sampler: Sampler, generator: torch.Generator | None
) -> Int[Tensor, "b steps"] | None:
    """The tokens that follow a prompt by replaying one step; None where that cannot be done.

    A model offers its step by `device_steps(rows)`. The last graph of each model is kept.
    """
    offer = getattr(model, "device_steps", None)
    context = getattr(getattr(model, "config", None), "context", 0)
    if offer is None or prompt.device.type != "cuda" or prompt.shape[1] + steps > context or steps < 2:
        return None
    from regard.generation.device_draw import can  # imports Triton, which not every machine has

    if not can(sampler, model.config.vocabulary):
        return None
    known = _KEPT.get(model)
    if known is None or known.sampler != sampler or not known.steps.fits(len(prompt)):
        own = offer(len(prompt))
        if own is None:
            return None
        known = _KEPT[model] = Replayed(own, sampler, context)
    return known.run(prompt, steps, generator)
