"""Sums over edges as autograd functions. Gradients are written by hand: no double backward.

Edges stand in the order of `Edges.sorted` throughout.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from regard.core.backends.edges import native
from regard.core.backends.edges import torch_sums as eager
from regard.core.backends.gpu.usable import usable
from regard.core.edges import Edges, Side
from regard.core.normalise import peak
from regard.shapes import Float

Context = Any


def kernels(like: Tensor) -> ModuleType:
    """Who does the sums for such a tensor: the compiled library, or torch alone."""
    compiled = like.device.type == "cpu" and like.dtype in native.TYPES and native.missing() is None
    return native if compiled else eager


def row_kernels(like: Tensor) -> ModuleType:
    """The same for whole layers, of which a GPU has kernels of ours."""
    if usable(like):
        from regard.core.backends.gpu import edges as gpu  # imports Triton, which not every machine has

        if gpu.fits(like):
            return gpu
    return kernels(like)


class Scaled(Function):
    """outer_i times the sum over the edges to i of inner_j v_j: each weight is the product of two factors."""

    @staticmethod
    def forward(ctx: Context, edges: Edges, outer: Tensor, inner: Tensor, v: Tensor) -> Tensor:
        ctx.edges, ctx.factors = edges, (inner, outer)
        return row_kernels(v).sum_scaled(edges.targets, outer, inner, v)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, upstream: Tensor) -> tuple[None, None, None, Tensor]:
        return None, None, None, row_kernels(upstream).sum_scaled(ctx.edges.sources, *ctx.factors, upstream)


class Weighted(Function):
    """The sum over the edges to i of w_e v_j."""

    @staticmethod
    def forward(ctx: Context, edges: Edges, weights: Tensor, v: Tensor) -> Tensor:
        ctx.edges = edges
        ctx.save_for_backward(weights, v)
        return kernels(v).sum_weighted(edges.targets, weights, v)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, upstream: Tensor) -> tuple[None, Tensor | None, Tensor | None]:
        weights, v = ctx.saved_tensors
        _, to_weights, to_v = ctx.needs_input_grad
        by = kernels(v)
        return (
            None,
            by.dots(ctx.edges.targets, upstream, v) if to_weights else None,
            by.sum_weighted(ctx.edges.sources, weights, upstream) if to_v else None,
        )


class Sampled(Function):
    """q_i · k_j for every edge."""

    @staticmethod
    def forward(ctx: Context, edges: Edges, q: Tensor, k: Tensor) -> Tensor:
        ctx.edges = edges
        ctx.save_for_backward(q, k)
        return kernels(q).dots(edges.targets, q, k)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, upstream: Tensor) -> tuple[None, Tensor | None, Tensor | None]:
        q, k = ctx.saved_tensors
        _, to_q, to_k = ctx.needs_input_grad
        by = kernels(q)
        return (
            None,
            by.sum_weighted(ctx.edges.targets, upstream, k) if to_q else None,
            by.sum_weighted(ctx.edges.sources, upstream, q) if to_k else None,
        )


class Totals(Function):
    """For every edge, the sum over the edges that share its row; the operator is its own transpose."""

    @staticmethod
    def forward(ctx: Context, side: Side, ends: Tensor, x: Tensor) -> Tensor:
        ctx.side, ctx.ends = side, ends
        return kernels(x).sum_edges(side, x).index_select(2, ends)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, upstream: Tensor) -> tuple[None, None, Tensor]:
        return None, None, kernels(upstream).sum_edges(ctx.side, upstream).index_select(2, ctx.ends)


def _attend_forward(
    ctx: Context,
    how: tuple[Edges, float, Tensor | None],
    left: Tensor,
    right: Tensor,
    term: Tensor | None,
    v: Tensor,
    *more: Tensor,
) -> Tensor:
    """A GAT layer's sum; what its gradient needs is saved behind `more`."""
    edges, slope, keep = how
    # What one way keeps, the other cannot read.
    ctx.by = row_kernels(v)
    out, saved = ctx.by.additive_forward(edges, left, right, term, keep, v, slope)
    ctx.edges, ctx.slope, ctx.given = edges, slope, (term is not None, keep is not None)
    ctx.save_for_backward(*more, out, *saved, *[x for x in (term, keep) if x is not None])
    return out


def _attend_backward(
    ctx: Context, saved: Sequence[Tensor], upstream: Tensor
) -> tuple[Tensor, Tensor, Tensor | None, Tensor]:
    """The gradients of both parts of the scores, of each edge's term where there is one, of the values."""
    out, *saved = saved
    keep = saved.pop() if ctx.given[1] else None
    term = saved.pop() if ctx.given[0] else None
    left, right, score, v = ctx.by.additive_backward(
        ctx.edges, tuple(saved), term, keep, ctx.slope, out, upstream
    )
    return left, right, None if term is None else score, v


class AdditiveSoftmax(Function):
    """A GAT layer's whole sum: z = left_i + right_j + term_e, softmax of LeakyReLU(z), dropout, sum of v."""

    @staticmethod
    def forward(
        ctx: Context,
        edges: Edges,
        slope: float,
        keep: Tensor | None,
        left: Tensor,
        right: Tensor,
        term: Tensor | None,
        v: Tensor,
    ) -> Tensor:
        return _attend_forward(ctx, (edges, slope, keep), left, right, term, v)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, upstream: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, None, *_attend_backward(ctx, ctx.saved_tensors, upstream)


class SharedAdditiveSoftmax(Function):
    """The same where queries, keys and values are one tensor, as in a GAT layer.

    Its gradient is added up in place; autograd would make three of them and then add those.
    """

    @staticmethod
    def forward(
        ctx: Context,
        edges: Edges,
        slope: float,
        keep: Tensor | None,
        target: Tensor,
        source: Tensor,
        term: Tensor | None,
        v: Tensor,
    ) -> Tensor:
        left, right = kernels(v).parts(edges, target, source, v)
        return _attend_forward(ctx, (edges, slope, keep), left, right, term, v, target, source, v)

    @staticmethod
    @once_differentiable
    def backward(ctx: Context, upstream: Tensor) -> tuple[Tensor | None, ...]:
        target, source, v, *saved = ctx.saved_tensors
        left, right, score, to_v = _attend_backward(ctx, saved, upstream)
        gradients = left, right, to_v
        to_target, to_source, to_v = ctx.by.spread(ctx.edges, target, source, v, gradients)
        return None, None, None, to_target, to_source, score, to_v


class Neighbours:
    """The members of each row for the normalisers: the edges that share a target."""

    def __init__(self, edges: Edges) -> None:
        self.edges = edges

    def only(self, scores: Tensor, outside: float = 0.0) -> Tensor:
        """Every score: an edge is a member."""
        return scores

    def row_max(self, scores: Float[Tensor, "b h e"]) -> Float[Tensor, "b h e"]:
        """The largest score among the edges of a target, for each edge; no gradient flows through it."""
        scores, target = scores.detach(), self.edges.sorted.target
        rows = scores.new_full((*scores.shape[:2], self.edges.sizes[0]), -torch.inf)
        most = rows.scatter_reduce_(2, target.expand(scores.shape), scores, "amax")
        return peak(most).index_select(2, target)

    def row_sum(self, scores: Float[Tensor, "b h e"]) -> Float[Tensor, "b h e"]:
        """The sum over the edges of a target, for each edge."""
        return Totals.apply(self.edges.targets, self.edges.sorted.target, scores)

    def column_sum(self, scores: Float[Tensor, "b h e"]) -> Float[Tensor, "b h e"]:
        """The sum over the edges of a source, for each edge."""
        return Totals.apply(self.edges.sources, self.edges.sorted.source, scores)

    def row_count(self, scores: Float[Tensor, "b h e"]) -> Float[Tensor, " e"]:
        """How many edges a target has, for each edge."""
        return self.edges.targets.count[self.edges.sorted.target].to(scores.dtype)
