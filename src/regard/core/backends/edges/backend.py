"""Backend for edge lists (sparse attention): memory for edges times heads, never a message per channel."""

import torch
from torch import Tensor

from regard.core.backends.edges import native
from regard.core.backends.edges.autograd import (
    AdditiveSoftmax,
    Neighbours,
    Sampled,
    Scaled,
    SharedAdditiveSoftmax,
    Weighted,
)
from regard.core.backends.gpu.usable import usable
from regard.core.call import Call, Refusal, finite, kept, transformed, wide
from regard.core.edges import Edges
from regard.core.normalise import Divide, Mean, Raw, Softmax, Symmetric
from regard.core.position import Position
from regard.core.similarity import Additive, Constant, Cosine, Dot, Gaussian, Kernel, unit
from regard.shapes import Float

SIMILARITIES = (Additive, Constant, Cosine, Dot, Gaussian, Kernel)


def refuse(call: Call) -> Refusal | None:
    """Why the sums over edges cannot do the call."""
    elsewhere = "drop backend='edges', or pass backend='reference'"
    if not isinstance(call.support, Edges):
        fix = "pass support=Edges(source, target), or backend='reference'"
        return "backend 'edges' needs an edge list as its support", type(call.support).__name__, fix
    if type(call.similarity) not in SIMILARITIES:
        return (
            "backend 'edges' does not know this similarity edge by edge",
            type(call.similarity).__name__,
            elsewhere,
        )
    if call.position is not None and type(call.position).bias is not Position.bias:
        return "backend 'edges' adds no position to the scores", type(call.position).__name__, elsewhere
    if transformed():
        return "backend 'edges' does not pass through torch.func", "vmap, grad or jvp", elsewhere
    return None


def way(call: Call) -> str:
    """How the sums will be made, for the reason that `attend` gives."""
    if call.q.device.type != "cpu":
        by = "Triton" if usable(call.v) else "torch"
        return f"; by {by}, on {call.q.device.type}"
    missing = native.missing()
    return "; compiled" if missing is None else f"; by torch alone ({missing})"


def run(call: Call) -> tuple[Float[Tensor, "b h n c"], Float[Tensor, "b h e"] | None]:
    """y_i = sum over the edges to i of w_e v_j, and the weights where asked for.

    Half precision is summed in float32. The result can be differentiated once, not twice.
    """
    assert isinstance(call.support, Edges)
    edges, q, k, v = call.support, wide(call.q), wide(call.k), wide(call.v)
    group = q.shape[1] // k.shape[1]
    if group > 1:
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    keep, weights = survivors(call, edges, q), None
    if isinstance(call.similarity, Additive) and type(call.normalise) is Softmax and not call.weights:
        given = edges, float(call.similarity.slope), keep
        extra = term(call.similarity, edges, q)
        if call.q is call.k is call.v and not v.is_cuda:
            vectors = call.similarity.target.to(v), call.similarity.source.to(v)
            output = SharedAdditiveSoftmax.apply(*given, *vectors, extra, v)
        else:
            output = AdditiveSoftmax.apply(*given, *call.similarity.parts(q, k), extra, v)
    elif (
        isinstance(call.similarity, Constant)
        and type(call.normalise) in FACTORS
        and not call.weights
        and keep is None
    ):
        output = Scaled.apply(edges, *factors(call, edges, v), v)
    else:
        weights = call.normalise(scores(call, edges.sorted, q, k), Neighbours(edges))
        weights = weights if keep is None else weights * keep
        output = Weighted.apply(edges, weights, v)
    if call.weights:
        assert weights is not None
        weights = torch.empty_like(weights).index_copy(2, edges.order, weights).to(call.q.dtype)
    return output.to(call.q.dtype), weights if call.weights else None


def survivors(call: Call, edges: Edges, q: Float[Tensor, "b h n d"]) -> Float[Tensor, "b h e"] | None:
    """The factor by which dropout multiplies each weight; drawn in the order of the edges as given."""
    if call.dropout == 0.0:
        return None
    drawn = kept((*q.shape[:2], edges.count), call, q.device)
    # Heads behind edges, as the compiled sums want them: moved while each is one byte.
    inside = drawn.transpose(1, 2)
    placed = inside.contiguous() if edges.sorted is edges else inside.index_select(1, edges.order)
    return placed.transpose(1, 2).to(q.dtype) / (1.0 - call.dropout)


def term(similarity: Additive, edges: Edges, q: Tensor) -> Float[Tensor, "b h e"] | None:
    """What the relation and the features of each edge add to its score, in sorted order."""
    extra = similarity.extra(edges.sorted)
    return None if extra is None else extra.to(q.dtype).expand(len(q), -1, -1)


def scores(
    call: Call, edges: Edges, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]
) -> Float[Tensor, "b h e"]:
    """The similarity of every edge of a sorted list."""
    match call.similarity:
        case Dot() as dot:
            return Sampled.apply(edges, q * dot.factor(q.shape[-1]), k)
        case Cosine(scale=scale):
            return Sampled.apply(edges, unit(q) * scale, unit(k))
        case Kernel(phi=phi):
            return Sampled.apply(edges, phi(q), phi(k))
        case Gaussian() as gaussian if finite(q) and finite(k):
            return Sampled.apply(edges, *quadratic(gaussian, q, k))
        case similarity:
            return similarity.pairs(q, k, edges)


def quadratic(
    gaussian: Gaussian, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]
) -> tuple[Tensor, Tensor]:
    """Queries and keys whose inner product is the Gaussian's score.

    -(q - k)² / 2 s  =  (q², q, 1) · (-1 / 2 s, k / s, -k² / 2 s), and what the key adds alone joins the last.
    Taken about the keys' mean, since squares of far-off numbers cancel badly.
    """
    log_variance, log_weight = gaussian._per_key(k)
    middle = k.detach().mean(2, keepdim=True) if k.shape[2] else 0.0
    q, k = q - middle, k - middle
    precision = (-log_variance).exp().expand(k.shape)
    alone = log_weight - (precision * k.square() + log_variance).sum(-1) / 2
    left = torch.cat([q.square(), q, torch.ones_like(q[..., :1])], -1)
    return left, torch.cat([precision / -2, precision * k, alone.unsqueeze(-1)], -1)


def factors(call: Call, edges: Edges, v: Tensor) -> tuple[Float[Tensor, " n"], Float[Tensor, " m"]]:
    """Equal scores give every edge the product of a factor of its target and a factor of its source."""
    assert isinstance(call.similarity, Constant)
    into, out_of = (side.count.clamp(min=1).to(v.dtype) for side in (edges.targets, edges.sources))
    return FACTORS[type(call.normalise)](call.similarity.value, into, out_of)


FACTORS = {
    Softmax: lambda value, into, out_of: (1 / into, torch.ones_like(out_of)),
    Divide: lambda value, into, out_of: ((value > 0) / into, torch.ones_like(out_of)),
    Mean: lambda value, into, out_of: (value / into, torch.ones_like(out_of)),
    Symmetric: lambda value, into, out_of: ((value > 0) * into.rsqrt(), out_of.rsqrt()),
    Raw: lambda value, into, out_of: (torch.full_like(into, value), torch.ones_like(out_of)),
}
