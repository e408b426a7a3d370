"""One validated call of `attend`, as the backends receive it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.shapes import Bool, Float

if TYPE_CHECKING:
    from regard.core.normalise import Normaliser
    from regard.core.similarity import Similarity
    from regard.core.support import Support

Refusal = tuple[str, str, str]
"""Why a backend cannot do a call: what, got, fix."""


@dataclass(slots=True)
class Call:
    """The tensors and factors of one call; `q` and `k` are already turned by the position."""

    q: Tensor
    k: Tensor
    v: Tensor
    similarity: "Similarity"
    support: "Support"
    position: Any
    normalise: "Normaliser"
    dropout: float
    generator: torch.Generator | None
    weights: bool


def drop(weights: Float[Tensor, "*axes"], call: Call) -> Float[Tensor, "*axes"]:
    """Weights after dropout; the draw depends on the generator and the shape alone, so backends agree on it.

    Over a dense support the shape is (b h n m), over edges (b h e) in the order in which they were given.
    """
    if call.dropout == 0.0:
        return weights
    return weights * kept(tuple(weights.shape), call, weights.device) / (1.0 - call.dropout)


def kept(shape: tuple[int, ...], call: Call, device: torch.device) -> Bool[Tensor, "*axes"]:
    """Which weights survive the dropout of this call."""
    return torch.rand(shape, generator=call.generator, device=device) >= call.dropout


def transformed() -> bool:
    """Whether torch.func (vmap, grad, jvp) is at work, which no sum with its own backward passes through."""
    return not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active()


def finite(x: Float[Tensor, "*axes"]) -> bool:
    """Whether no entry is NaN or infinite; taken to be so where nobody can look."""
    return bool(unseen(x)) or look(x, _all_finite) is not False


def _all_finite(x: Float[Tensor, "*axes"]) -> bool:
    return bool(x.isfinite().all())


def look(x: Float[Tensor, "*axes"], ask: Callable[[Tensor], bool]) -> bool | None:
    """What is asked of a tensor's numbers, under torch.vmap of all calls at once; None without numbers."""
    try:
        return ask(x)
    except RuntimeError:  # mapped, or on the meta device
        try:
            return ask(_Whole.apply(x.detach()))
        except RuntimeError:
            return None


def unseen(x: Float[Tensor, "*axes"]) -> str:
    """Why nobody can look at the numbers while they are made: 'compiled', 'captured'; empty where one can."""
    if torch.compiler.is_compiling():
        return "compiled"
    return "captured" if x.is_cuda and torch.cuda.is_current_stream_capturing() else ""


class _Whole(torch.autograd.Function):
    """A tensor as it lies under torch.vmap, every mapped call's part of it."""

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def vmap(info: object, axes: tuple[int | None], x: Tensor) -> tuple[Tensor, None]:
        return _Whole.apply(x), None


def wide(x: Float[Tensor, "*axes"]) -> Float[Tensor, "*axes"]:
    """The tensor in a type whose sums do not overflow: half precision becomes float32, the rest stays."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
