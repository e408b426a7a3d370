"""The fused backend: torch's `scaled_dot_product_attention` (SDPA), for a softmax over a dense support.

It returns no weights. Its dropout is torch's own draw, so that with a generator it refuses. NaN and
infinities: on a CPU a NaN in a query comes out of torch's kernel as zeros, and a hidden one reaches rows
that do not see it. Either shows in the output, which is looked at (2 us); such a call is computed by the
reference. On a GPU, and in a compiled or mapped function, nobody looks: that would wait for the kernel.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.backends import reference
from regard.core.backends.reference import dense_bias
from regard.core.call import Call, Refusal, wide
from regard.core.edges import Edges
from regard.core.normalise import Softmax
from regard.core.similarity import Dot
from regard.core.support import Causal, Full
from regard.shapes import Float


def refuse(call: Call) -> Refusal | None:
    """Why the fused kernel cannot do the call."""
    elsewhere = "drop backend='sdpa', or pass backend='reference'"
    if isinstance(call.support, Edges):
        return (
            "backend 'sdpa' needs a dense support",
            repr(call.support),
            "drop backend='sdpa', or pass backend='edges'",
        )
    if type(call.similarity) is not Dot:
        return "backend 'sdpa' knows the similarity Dot alone", type(call.similarity).__name__, elsewhere
    if type(call.normalise) is not Softmax:
        return "backend 'sdpa' knows the normaliser Softmax alone", type(call.normalise).__name__, elsewhere
    if call.weights:
        return "backend 'sdpa' returns no weights", "weights=True, or a trace", elsewhere
    if call.dropout and call.generator is not None:
        return (
            "backend 'sdpa' cannot draw its dropout from a generator",
            f"dropout={call.dropout}, generator=...",
            elsewhere,
        )
    return None


def run(call: Call) -> tuple[Float[Tensor, "b h n c"], None]:
    """The output of the fused kernel."""
    q, k, v = call.q, call.k, call.v
    mask, causal = hidden(call)
    assert isinstance(call.similarity, Dot)
    scale, grouped = call.similarity.scale, q.shape[1] != k.shape[1]
    output = F.scaled_dot_product_attention(
        q, k, v, mask, call.dropout, causal, scale=scale, enable_gqa=grouped
    )
    if output.is_cpu and suspicious(output) and not all(x.isfinite().all() for x in (q, k, v)):
        return reference.run(call)[0], None
    return output, None


def suspicious(output: Tensor) -> bool:
    """Whether an output holds a zero or a NaN, as where the kernel met what is no number."""
    if torch.compiler.is_compiling() or not output.numel():
        return False
    seen = output.detach() if output.requires_grad else output
    try:
        return not float(seen.abs().amin()) > 0
    except RuntimeError:  # under vmap there is no single number
        return False


def hidden(call: Call) -> tuple[Tensor | None, bool]:
    """The mask, with what is added to the scores in it, and whether the kernel's own causal mask serves."""
    support = call.support
    if call.position is None and type(support) is Full:
        return None, False
    n, m = call.q.shape[2], call.k.shape[2]
    added = call.position is not None or support.adds
    bias = dense_bias(call, wide(call.q[:0]).dtype) if added else None
    if bias is None and type(support) is Causal and support.offset is None and n in (1, m):
        # The last query sees every key; torch's own mask starts at the first key, which is right where n = m.
        return None, n == m
    mask = support.mask(n, m, call.q.device)  # type: ignore[union-attr]
    if bias is None:
        return mask if mask is None else four(mask), False
    if call.q.dtype is torch.float16:
        # -1e9, which some masks hold, would become -inf, and hide the pair.
        bias = bias.clamp(min=torch.finfo(torch.float16).min).masked_fill(bias == -torch.inf, -torch.inf)
    bias = bias if mask is None else bias.masked_fill(~mask, -torch.inf)
    return four(bias).to(call.q.dtype), False


def four(mask: Tensor) -> Tensor:
    """The mask with the four axes that the kernel asks for."""
    return mask[(None,) * (4 - mask.dim())]
