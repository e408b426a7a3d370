"""Linear attention: a kernel in time linear in the length; keys are summed before a query meets them.

Under Full, phi(Q) (phi(K)^T V). Under Causal, the same with the sum over all earlier chunks, and inside a
chunk the dense triangle. Divide carries its sums as one more channel of the values, all ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from regard.core.backends.gpu.usable import usable
from regard.core.call import Call, Refusal, finite, transformed, wide
from regard.core.normalise import Divide, Raw, nonzero
from regard.core.position import Position
from regard.core.similarity import Kernel
from regard.core.support import Causal, Full
from regard.shapes import Float

CHUNK = 64
"""Tokens that meet densely: fewer make the products too small to be fast, more waste half a triangle."""

SPAN = 2048
"""Tokens worked on at a time, whole chunks, so that what lies between two products stays in the cache."""


def refuse(call: Call) -> Refusal | None:
    """Why the call cannot be done in linear time, or None."""
    similarity, support, normalise, position = call.similarity, call.support, call.normalise, call.position
    elsewhere = "drop backend='linear', or pass backend='reference'"
    if type(similarity) is not Kernel:
        return "backend 'linear' needs a kernel", type(similarity).__name__, "pass similarity=Kernel(phi)"
    if type(normalise) not in (Divide, Raw):
        return "backend 'linear' needs Divide or Raw", type(normalise).__name__, "pass normalise=Divide()"
    if type(support) not in (Full, Causal):
        return "backend 'linear' needs Full or Causal", type(support).__name__, elsewhere
    if isinstance(support, Causal) and isinstance(support.offset, Tensor) and support.offset.dim():
        return "backend 'linear' needs one offset for all rows", f"{len(support.offset)} offsets", elsewhere
    if isinstance(support, Causal) and transformed():
        return (
            "backend 'linear' under Causal does not pass through torch.func",
            "vmap, grad or jvp",
            elsewhere,
        )
    if position is not None and type(position).bias is not Position.bias:
        return "backend 'linear' has no scores to add a bias to", type(position).__name__, elsewhere
    if call.weights or call.dropout:
        got = "weights=True, or a trace" if call.weights else f"dropout={call.dropout}"
        return "backend 'linear' never has the weights", got, elsewhere
    return None


def run(call: Call) -> tuple[Tensor, None]:
    """The output; half precision is summed in float32."""
    assert isinstance(call.similarity, Kernel)
    if (output := fused(call)) is not None:
        return output, None
    q, k, v = call.similarity.phi(wide(call.q)), call.similarity.phi(wide(call.k)), wide(call.v)
    (b, h, n), (g, m) = q.shape[:3], k.shape[1:3]
    q, k, v = q.reshape(b * g, h // g, n, q.shape[3]), k.flatten(0, 1), v.flatten(0, 1)
    divide = isinstance(call.normalise, Divide)
    if isinstance(call.support, Causal):
        start = m - n if call.support.offset is None else int(call.support.offset)
        output = causal(q, k, v, start=start, divide=divide)
    else:
        output = full(q, k, v, divide=divide)
    return output.reshape(b, h, n, v.shape[2]).to(call.v.dtype), None


def fused(call: Call) -> Tensor | None:
    """The output by a GPU's kernels that know the feature map; None without them, or if it is not finite."""
    assert isinstance(call.similarity, Kernel) and isinstance(call.normalise, Divide | Raw)
    n, m = call.q.shape[2], call.k.shape[2]
    aligned = isinstance(call.support, Causal) and n == m and call.support.offset in (None, 0)
    if not (aligned and usable(call.q)):
        return None
    from regard.core.backends.gpu import linear as gpu  # imports Triton, which not every machine has

    kind = gpu.MAPS.get(call.similarity.phi)
    if kind is None or not gpu.fits(call.q, call.v):
        return None
    output = gpu.Chunked.apply(call.q, call.k, call.v, kind, isinstance(call.normalise, Divide))
    return output if finite(output[:, :, -1]) else None


def full(
    q: Float[Tensor, "b h n d"], k: Float[Tensor, "b m d"], v: Float[Tensor, "b m c"], *, divide: bool
) -> Float[Tensor, "b h n c"]:
    """Every query over every key; the heads of q share one key head."""
    rows = q.flatten(1, 2)
    output = rows @ (k.mT @ v)
    output = output / nonzero(rows @ k.sum(1).unsqueeze(-1)) if divide else output
    return output.unflatten(1, q.shape[1:3])


def causal(
    q: Float[Tensor, "b h n d"],
    k: Float[Tensor, "b m d"],
    v: Float[Tensor, "b m c"],
    *,
    start: int,
    divide: bool,
) -> Float[Tensor, "b h n c"]:
    """Query i over the keys 0 .. start + i; some may stand before the first key, some behind the last."""
    n, m = q.shape[2], k.shape[1]
    blind = min(max(-start, 0), n)
    behind = min(max(start + n - m, 0), n - blind)
    parts = [full(q[:, :, :blind], k[:, :0], v[:, :0], divide=divide)] if blind or not n else []
    if blind + behind < n:
        seen = slice(start + n - behind)
        parts.append(
            triangle(q[:, :, blind : n - behind], k[:, seen], v[:, seen], start=max(start, 0), divide=divide)
        )
    if behind:
        parts.append(full(q[:, :, n - behind :], k, v, divide=divide))
    return parts[0] if len(parts) == 1 else torch.cat(parts, 2)


def triangle(
    q: Float[Tensor, "b h n d"],
    k: Float[Tensor, "b m d"],
    v: Float[Tensor, "b m c"],
    *,
    start: int,
    divide: bool,
) -> Float[Tensor, "b h n c"]:
    """The last queries over their past, where NaN and infinities reach what comes after them alone.

    The last query sees every key, so it tells whether one of them is not finite. The sums, in which zeros
    hide the future and zero times NaN is NaN, are then made without it, and it is put where it belongs.
    """
    apply = _ways(q, v, start)
    output = apply(q, k, v, start, divide)
    if finite(output[:, :, -1]):
        return output
    lost, spoilt = ~k.isfinite().all(-1, keepdim=True), ~v.isfinite()
    since = (lost | spoilt).int().cummax(1).values[:, start:].bool()
    output = apply(q, k.masked_fill(lost, 0.0), v.masked_fill(spoilt, 0.0), start, divide)
    return output.masked_fill(since.unsqueeze(1), torch.nan)


def _ways(q: Tensor, v: Tensor, start: int) -> Callable[..., Tensor]:
    """Who does the sums: kernels of a GPU where they can, else torch."""
    if start == 0 and usable(q):
        from regard.core.backends.gpu import linear as gpu

        if gpu.fits(q, v):
            return lambda q, k, v, start, divide: gpu.Chunked.apply(q, k[:, None], v[:, None], "", divide)
    return _Triangle.apply


class _Triangle(torch.autograd.Function):
    """The last queries over their past; backward runs the same sums from the end. No double backward."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, start: int, divide: bool) -> Tensor:
        output, scale = q.new_empty(*q.shape[:3], v.shape[2]), q.new_ones(*q.shape[:3], 1)
        states = [
            _Part(q[heads], k[heads], v[heads], start, divide).forward(output[heads], scale[heads])
            for heads in _together(q)
        ]
        ctx.save_for_backward(q, k, v, output, scale, *states)
        ctx.start, ctx.divide = start, divide
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, output, scale, *states = ctx.saved_tensors
        into = q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)
        with torch.autocast(q.device.type, enabled=False):
            for heads, before in zip(_together(q), states, strict=True):
                part = _Part(q[heads], k[heads], v[heads], ctx.start, ctx.divide)
                part.backward(before, output[heads], scale[heads], given[0][heads], [x[heads] for x in into])
        return *into, None, None


@dataclass(frozen=True)
class _Part:
    """Some key heads with their queries; the first query stands at key `start`.

    A state is a sum of key times value over the keys so far: all that later queries need to know of them.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    start: int
    divide: bool

    def forward(self, output: Tensor, scale: Tensor) -> Tensor:
        """Fill the output and what each row was multiplied by; give the state before each span."""
        state = self.k[:, : self.start].mT @ self.values(slice(self.start))
        states = []
        for tokens, chunk in _spans(self.q.shape[2]):
            queries, keys, values = self.chunks(tokens, chunk)
            states.append(state)
            sums = _before(keys.mT @ values, state)
            state = sums[:, -1].clone()  # a view would keep the sums of the whole span
            summed = (_triangle(queries, keys) @ values).baddbmm_(queries, sums[:, :-1].flatten(0, 1))
            if self.divide:
                factor = nonzero(summed[..., -1:]).reciprocal()
                _put(factor, scale[:, :, tokens], chunk)
                summed = summed[..., :-1].mul_(factor)
            _put(summed, output[:, :, tokens], chunk)
        return torch.stack(states)

    def backward(
        self, states: Tensor, output: Tensor, scale: Tensor, slope: Tensor, into: list[Tensor]
    ) -> None:
        """Fill the slopes of q, k and v; the state that runs backwards is a sum of query times slope."""
        to_q, to_k, to_v = into
        later = torch.zeros_like(states[0])
        spans = list(_spans(self.q.shape[2]))
        for state, (tokens, chunk) in zip(reversed(states), reversed(spans), strict=True):
            queries, keys, values = self.chunks(tokens, chunk)
            rows = slope[:, :, tokens] * scale[:, :, tokens]
            if self.divide:
                rows = torch.cat([rows, -(rows * output[:, :, tokens]).sum(-1, keepdim=True)], -1)
            rows = _split(rows, chunk)
            to_scores = _triangle(rows, values)
            sums = _before(keys.mT @ values, state)[:, :-1].flatten(0, 1)
            _put((to_scores @ keys).baddbmm_(rows, sums.mT), to_q[:, :, tokens], chunk)
            sums = _after(queries.mT @ rows, later)
            later, sums = sums[:, 0], sums[:, 1:].flatten(0, 1)
            _put((to_scores.mT @ queries).baddbmm_(values, sums.mT), self.own(to_k, tokens), chunk)
            to_values = (_triangle(queries, keys).mT @ rows).baddbmm_(keys, sums)
            _put(to_values[..., : self.v.shape[2]], self.own(to_v, tokens), chunk)
        past = slice(self.start)
        to_k[:, past] = self.values(past) @ later.mT
        to_v[:, past] = self.k[:, past] @ later[..., : self.v.shape[2]]

    def chunks(self, tokens: slice, chunk: int) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of a span, cut into chunks."""
        values = self.values(slice(self.start + tokens.start, self.start + tokens.stop)).unsqueeze(1)
        return (
            _split(self.q[:, :, tokens], chunk),
            _split(self.own(self.k, tokens), chunk),
            _split(values, chunk),
        )

    def own(self, x: Tensor, tokens: slice) -> Tensor:
        """The keys at which these queries stand."""
        return x[:, None, self.start + tokens.start : self.start + tokens.stop]

    def values(self, keys: slice) -> Tensor:
        """The values, with a channel of ones behind them where the sum of the weights is wanted."""
        values = self.v[:, keys]
        return F.pad(values, (0, 1), value=1.0) if self.divide else values


def _together(q: Tensor) -> Iterator[slice]:
    """Heads to work on at a time: one where the sequence is long, many where it is short."""
    count = max(1, SPAN // (q.shape[1] * q.shape[2]))
    for first in range(0, len(q), count):
        yield slice(first, first + count)


def _spans(length: int) -> Iterator[tuple[slice, int]]:
    """Tokens to work on at a time, and the size of their chunks; the rest at the end is one chunk."""
    whole = length - length % CHUNK
    for first in range(0, whole, SPAN):
        yield slice(first, min(first + SPAN, whole)), CHUNK
    if whole < length:
        yield slice(whole, length), length - whole


def _split(x: Tensor, chunk: int) -> Tensor:
    """(b h n d) as (b chunks, h chunk, d): the heads that share a key head meet it together."""
    b, h, n, d = x.shape
    return x.view(b, h, n // chunk, chunk, d).transpose(1, 2).reshape(-1, h * chunk, d)


def _put(x: Tensor, target: Tensor, chunk: int) -> None:
    """Write chunks, as `_split` makes them, into the target."""
    b, h, n, d = target.shape
    target.view(b, h, n // chunk, chunk, d).transpose(1, 2).copy_(x.view(b, n // chunk, h, chunk, d))


def _triangle(rows: Tensor, columns: Tensor) -> Tensor:
    """The products of rows with columns that are not behind them, for each head in the rows."""
    products, chunk = rows @ columns.mT, columns.shape[1]
    products.view(-1, chunk, chunk).tril_()
    return products


def _before(terms: Tensor, state: Tensor) -> Tensor:
    """The state and the terms of all chunks before: for each chunk, then for what follows them."""
    chunks = len(terms) // len(state)
    return _sums(terms, state, terms.new_ones(chunks + 1, chunks).tril(-1))


def _after(terms: Tensor, state: Tensor) -> Tensor:
    """The state and the terms of all chunks behind: first for what comes before them, then for each chunk."""
    chunks = len(terms) // len(state)
    return _sums(terms, state, terms.new_ones(chunks + 1, chunks).triu())


def _sums(terms: Tensor, state: Tensor, which: Tensor) -> Tensor:
    """The state plus the terms that each row of `which` names, head by head."""
    terms = terms.view(len(state), -1, state[0].numel())
    sums = torch.baddbmm(state.flatten(1).unsqueeze(1), which.expand(len(state), -1, -1), terms)
    return sums.unflatten(2, state.shape[1:])
