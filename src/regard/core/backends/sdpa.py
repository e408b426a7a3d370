"""The fused backend: torch's `scaled_dot_product_attention` (SDPA), for a softmax over a dense support.

It returns no weights. Its dropout is torch's own draw, so that with a generator it refuses. NaN and
infinities: on a CPU a NaN in a query comes out of torch's kernel as zeros, and everywhere a hidden one
reaches rows that do not see it. Either shows in the output, which is looked at (1 us on a CPU; on a GPU the
kernel is waited for); such a call is computed by the reference. In compiled and captured functions nobody can
look: none is lost there, but hidden ones may reach other rows.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.backends.reference import dense_bias
from regard.core.backends.reference import run as run_reference
from regard.core.call import Call, Refusal, finite, look, unseen, wide
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
    # Words that say nothing new cost as much as all of the checks.
    if mask is scale is None and not (causal or grouped or call.dropout):
        output = F.scaled_dot_product_attention(q, k, v)
    else:
        output = F.scaled_dot_product_attention(
            q, k, v, mask, call.dropout, causal, scale=scale, enable_gqa=grouped
        )
    if unseen(q):
        return unlost(output, q, k) if q.is_cpu else output, None
    if suspicious(output) and not (finite(q) and finite(k) and finite(v)):
        return run_reference(call)[0], None
    return output, None


def way(call: Call) -> str:
    """What there is to say, behind why this backend was chosen, of a call that nobody can look at."""
    if (torch.compiler.is_compiling() or call.q.is_cuda) and (how := unseen(call.q)):
        return f"; {how}: nobody looks for NaN, and hidden ones may reach other rows"
    return ""


def suspicious(output: Tensor) -> bool:
    """Whether an output holds a zero or a NaN, as where the kernel met what is no number."""
    return look(output.detach() if output.requires_grad else output, _zero_or_nan) is True


def _zero_or_nan(x: Tensor) -> bool:
    if x.is_cpu:
        one = x / x  # NaN where x is zero, NaN or infinite; and NaN equals nothing, nor itself
        return not torch.equal(one, one)
    return x.numel() > 0 and not x.abs().min().item() > 0


def unlost(
    output: Float[Tensor, "b h n c"], q: Float[Tensor, "b h n d"], k: Float[Tensor, "b g m d"]
) -> Float[Tensor, "b h n c"]:
    """The output with NaN for the zeros that a CPU's kernel may have made of scores that are no number."""
    bad = ~q.isfinite().all(-1, keepdim=True) | ~k.isfinite().flatten(1).all(1).view(-1, 1, 1, 1)
    return output.masked_fill((output == 0) & bad, torch.nan)


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
