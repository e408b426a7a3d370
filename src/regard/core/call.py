"""One validated call of `attend`, as the backends receive it."""

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


def finite(x: Float[Tensor, "*axes"]) -> bool:
    """Whether no entry is NaN or infinite; taken to be so where nobody can look, as under torch.compile."""
    if torch.compiler.is_compiling():
        return True
    try:
        return bool(x.isfinite().all())
    except RuntimeError:  # under torch.func.vmap and on the meta device
        return True


def wide(x: Float[Tensor, "*axes"]) -> Float[Tensor, "*axes"]:
    """The tensor in a type whose sums do not overflow: half precision becomes float32, the rest stays."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
