# Triton's kernels take all they read and write one by one: ruff's and pyright's counts do not fit them.
# ruff: noqa: PLR0913
# pyright: reportIndexIssue=false, reportArgumentType=false, reportOperatorIssue=false, reportCallIssue=false
"""Causal linear attention on a GPU, by chunks in Triton kernels that sum in float32.

Forward, each chunk gives its sum of key times value; running sums make of them the state before each chunk;
then each chunk's queries meet that state and, densely, the triangle of their own chunk. Backward does the
same from the end. A state is a matrix (d c), and behind it the sum of the keys (d).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]
from torch import Tensor
from torch.autograd.function import once_differentiable

from regard.core.similarity import elu_plus_one
from regard.shapes import Float

CHUNK = 128
"Tokens that meet densely, in half precision; what is wider gets fewer, for want of room on the chip."
WIDEST = 128
"Channels of a key or value that a chunk's work has room for."
PRECISION = {torch.float32: "tf32x3", torch.float16: "tf32", torch.bfloat16: "half"}
"What is multiplied, by the type of the tensors; three products of tf32 make one of float32."
MAPS: dict[Callable[[Tensor], Tensor], str] = {elu_plus_one: "elu"}
"Feature maps that the kernels compute themselves."


@triton.jit
def _down(x):
    """min(x, 0), and NaN where x is none: Triton's minimum would give 0."""
    return tl.where(x > 0, 0.0, x)


@triton.jit
def _features(x, MAP: tl.constexpr):
    """phi of what was loaded."""
    if MAP == "elu":
        return tl.where(x > 0, x + 1, tl.exp(_down(x)))
    else:  # Triton compiles what stands behind a return, too
        return x


@triton.jit
def _slope(x, MAP: tl.constexpr):
    """The derivative of phi."""
    if MAP == "elu":
        return tl.where(x > 0, 1.0, tl.exp(_down(x)))
    else:
        return tl.full(x.shape, 1.0, x.dtype)


@triton.jit
def _dot(a, b, PRECISION: tl.constexpr):
    """A product of tiles summed in float32; 'half' rounds what is multiplied to bfloat16."""
    if PRECISION == "half":
        return tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16))
    else:
        return tl.dot(a, b, input_precision=PRECISION)


@triton.jit
def _tile(at, rows, columns, N, W: tl.constexpr):
    """Rows of a tensor whose last axis is contiguous, zero outside, in float32."""
    inside = (rows < N)[:, None] & (columns < W)[None, :]
    return tl.load(at + rows[:, None].to(tl.int64) * W + columns[None, :], inside, 0.0).to(tl.float32)


@triton.jit
def _put(at, x, rows, columns, N, W: tl.constexpr):
    inside = (rows < N)[:, None] & (columns < W)[None, :]
    tl.store(at + rows[:, None].to(tl.int64) * W + columns[None, :], x.to(at.dtype.element_ty), inside)


@triton.jit
def _state(at, d, c, D: tl.constexpr, C: tl.constexpr):
    """A state: the matrix, and the sum of keys."""
    inside = (d < D)[:, None] & (c < C)[None, :]
    return tl.load(at + d[:, None] * C + c[None, :], inside, 0.0), tl.load(at + D * C + d, d < D, 0.0)


@triton.jit
def _put_state(at, matrix, sums, d, c, D: tl.constexpr, C: tl.constexpr):
    tl.store(at + d[:, None] * C + c[None, :], matrix, (d < D)[:, None] & (c < C)[None, :])
    tl.store(at + D * C + d, sums, d < D)


@triton.jit
def _terms(
    k, v, states, N, chunks,
    D: tl.constexpr, C: tl.constexpr, BD: tl.constexpr, BC: tl.constexpr,
    T: tl.constexpr, MAP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Each chunk's sum of key times value, and of keys."""
    at = tl.program_id(0).to(tl.int64)
    head, chunk = at // chunks, (at % chunks).to(tl.int32)
    rows, d, c = chunk * T + tl.arange(0, T), tl.arange(0, BD), tl.arange(0, BC)
    keys = _features(_tile(k + head * N * D, rows, d, N, D), MAP)
    keys = tl.where((rows < N)[:, None] & (d < D)[None, :], keys, 0.0)
    values = _tile(v + head * N * C, rows, c, N, C)
    matrix = _dot(tl.trans(keys), values, PRECISION)
    _put_state(states + at * (D * C + D), matrix, tl.sum(keys, 0), d, c, D, C)


@triton.jit
def _running(states, chunks, SIZE, BLOCK: tl.constexpr, AHEAD: tl.constexpr, REVERSE: tl.constexpr):
    """Each term replaced by the sum of those before it, or with REVERSE of those behind it."""
    each, step = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, AHEAD)
    base = states + tl.program_id(0).to(tl.int64) * chunks * SIZE
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, chunks, AHEAD):
        # Several terms are fetched at once: one after the other, each would wait for the memory.
        i = first + step
        chunk = chunks - 1 - i if REVERSE else i
        place = base + chunk[:, None].to(tl.int64) * SIZE + each[None, :]
        inside = (i < chunks)[:, None] & (each < SIZE)[None, :]
        term = tl.load(place, inside, 0.0)
        tl.store(place, total[None, :] + tl.cumsum(term, 0) - term, inside)
        total += tl.sum(term, 0)


@triton.jit
def _forward(
    q, k, v, states, out, scale, N, chunks, GROUP: tl.constexpr,
    D: tl.constexpr, C: tl.constexpr, BD: tl.constexpr, BC: tl.constexpr, T: tl.constexpr,
    MAP: tl.constexpr, DIVIDE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The output of one chunk of one head, and what each of its rows was multiplied by."""
    at = tl.program_id(0).to(tl.int64)
    head, chunk = at // chunks, (at % chunks).to(tl.int32)
    own = head // GROUP
    rows, d, c = chunk * T + tl.arange(0, T), tl.arange(0, BD), tl.arange(0, BC)
    wide = (rows < N)[:, None] & (d < D)[None, :]
    queries = tl.where(wide, _features(_tile(q + head * N * D, rows, d, N, D), MAP), 0.0)
    keys = tl.where(wide, _features(_tile(k + own * N * D, rows, d, N, D), MAP), 0.0)
    values = _tile(v + own * N * C, rows, c, N, C)
    past, sums = _state(states + (own * chunks + chunk) * (D * C + D), d, c, D, C)
    scores = _dot(queries, tl.trans(keys), PRECISION)
    scores = tl.where(rows[:, None] >= rows[None, :], scores, 0.0)
    found = _dot(scores, values, PRECISION) + _dot(queries, past, PRECISION)
    if DIVIDE:
        total = tl.sum(scores, 1) + tl.sum(queries * sums[None, :], 1)
        factor = 1.0 / tl.where(total != 0, total, 1.0)
        found = found * factor[:, None]
        tl.store(scale + head * N + rows, factor, rows < N)
    _put(out + head * N * C, found, rows, c, N, C)


@triton.jit
def _later(
    q, out, scale, given, slack, states, N, chunks, GROUP: tl.constexpr,
    D: tl.constexpr, C: tl.constexpr, BD: tl.constexpr, BC: tl.constexpr, T: tl.constexpr,
    MAP: tl.constexpr, DIVIDE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Each chunk's sum of query times slope, over the heads that share a key; and the slope of each total."""
    at = tl.program_id(0).to(tl.int64)
    own, chunk = at // chunks, (at % chunks).to(tl.int32)
    rows, d, c = chunk * T + tl.arange(0, T), tl.arange(0, BD), tl.arange(0, BC)
    wide = (rows < N)[:, None] & (d < D)[None, :]
    matrix, sums = tl.zeros((BD, BC), tl.float32), tl.zeros((BD,), tl.float32)
    for r in range(0, GROUP):
        head = own * GROUP + r
        queries = tl.where(wide, _features(_tile(q + head * N * D, rows, d, N, D), MAP), 0.0)
        slope = _tile(given + head * N * C, rows, c, N, C)
        if DIVIDE:
            slope = slope * tl.load(scale + head * N + rows, rows < N, 0.0)[:, None]
            less = -tl.sum(slope * _tile(out + head * N * C, rows, c, N, C), 1)
            tl.store(slack + head * N + rows, less, rows < N)
            sums += tl.sum(queries * less[:, None], 0)
        matrix += _dot(tl.trans(queries), slope, PRECISION)
    _put_state(states + at * (D * C + D), matrix, sums, d, c, D, C)


@triton.jit
def _backward(
    q, k, v, before, behind, scale, slack, given, to_q, to_k, to_v, N, chunks, GROUP: tl.constexpr,
    D: tl.constexpr, C: tl.constexpr, BD: tl.constexpr, BC: tl.constexpr, T: tl.constexpr,
    MAP: tl.constexpr, DIVIDE: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """The slopes of one chunk's queries, keys and values."""
    at = tl.program_id(0).to(tl.int64)
    own, chunk = at // chunks, (at % chunks).to(tl.int32)
    rows, d, c = chunk * T + tl.arange(0, T), tl.arange(0, BD), tl.arange(0, BC)
    wide = (rows < N)[:, None] & (d < D)[None, :]
    seen = rows[:, None] >= rows[None, :]
    raw_keys = _tile(k + own * N * D, rows, d, N, D)
    keys = tl.where(wide, _features(raw_keys, MAP), 0.0)
    values = _tile(v + own * N * C, rows, c, N, C)
    past, sums = _state(before + at * (D * C + D), d, c, D, C)
    coming, weights = _state(behind + at * (D * C + D), d, c, D, C)
    key_slope = _dot(values, tl.trans(coming), PRECISION) + weights[None, :]
    value_slope = _dot(keys, coming, PRECISION)
    for r in range(0, GROUP):
        head = own * GROUP + r
        raw = _tile(q + head * N * D, rows, d, N, D)
        queries = tl.where(wide, _features(raw, MAP), 0.0)
        slope = _tile(given + head * N * C, rows, c, N, C)
        if DIVIDE:
            slope = slope * tl.load(scale + head * N + rows, rows < N, 0.0)[:, None]
        to_scores = _dot(slope, tl.trans(values), PRECISION)
        query_slope = _dot(slope, tl.trans(past), PRECISION)
        if DIVIDE:
            less = tl.load(slack + head * N + rows, rows < N, 0.0)
            to_scores += less[:, None]
            query_slope += less[:, None] * sums[None, :]
        to_scores = tl.where(seen, to_scores, 0.0)
        query_slope += _dot(to_scores, keys, PRECISION)
        _put(to_q + head * N * D, query_slope * _slope(raw, MAP), rows, d, N, D)
        key_slope += _dot(tl.trans(to_scores), queries, PRECISION)
        scores = tl.where(seen, _dot(queries, tl.trans(keys), PRECISION), 0.0)
        value_slope += _dot(tl.trans(scores), slope, PRECISION)
    _put(to_k + own * N * D, key_slope * _slope(raw_keys, MAP), rows, d, N, D)
    _put(to_v + own * N * C, value_slope, rows, c, N, C)


def fits(q: Tensor, v: Tensor) -> bool:
    """Whether the kernels have room for these widths, and know this type."""
    known = q.dtype in (torch.float32, torch.bfloat16, torch.float16)
    return known and 0 < q.shape[-1] <= WIDEST and 0 < v.shape[-1] <= WIDEST and q.shape[2] > 0


@dataclass(frozen=True)
class Sizes:
    """The sizes of a call, and what the kernels are told of them."""

    heads: int
    "Key heads, over the whole batch."
    group: int
    "Query heads that share one."
    n: int
    d: int
    c: int
    like: Tensor

    @classmethod
    def of(cls, q: Tensor, k: Tensor, v: Tensor) -> "Sizes":
        """The sizes of these tensors."""
        b, g, n, d = k.shape
        return cls(b * g, q.shape[1] // g, n, d, v.shape[3], q)

    @property
    def chunks(self) -> int:
        """How many chunks a text has."""
        return -(-self.n // self.chunk)

    @property
    def chunk(self) -> int:
        """Tokens that meet densely."""
        wide = (2 if self.like.dtype is not torch.bfloat16 else 1) * (2 if max(self.d, self.c) > 64 else 1)
        return max(16, CHUNK // wide)

    def states(self) -> Tensor:
        """Room for a state per chunk."""
        shape = self.heads * self.chunks, self.d * self.c + self.d
        return torch.empty(shape, dtype=torch.float32, device=self.like.device)

    def words(self, kind: str) -> dict[str, Any]:
        """What is known when a kernel is compiled."""
        wide = [max(16, triton.next_power_of_2(size)) for size in (self.d, self.c)]
        tiles = {"D": self.d, "C": self.c, "BD": wide[0], "BC": wide[1], "T": self.chunk}
        tiles |= {"num_warps": 8 if self.chunk >= 128 else 4}
        return tiles | {"MAP": kind, "PRECISION": PRECISION[self.like.dtype]}

    def accumulate(self, states: Tensor, *, reverse: bool) -> None:
        """Make of each chunk's term the sum of all before it, or behind it."""
        block, size = 128, states.shape[1]
        _running[(self.heads, triton.cdiv(size, block))](
            states, self.chunks, size, BLOCK=block, AHEAD=32, REVERSE=reverse, num_warps=4
        )


class Chunked(torch.autograd.Function):
    """phi(q) over its past, the sums divided or not. No double backward."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Float[Tensor, "b h n d"],
        k: Float[Tensor, "b g n d"],
        v: Float[Tensor, "b g n c"],
        kind: str,
        divide: bool,
    ) -> Float[Tensor, "b h n c"]:
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        sizes = Sizes.of(q, k, v)
        words, states = sizes.words(kind), sizes.states()
        _terms[(len(states),)](k, v, states, sizes.n, sizes.chunks, **words)
        sizes.accumulate(states, reverse=False)
        out, scale = q.new_empty(*q.shape[:3], v.shape[3]), q.new_empty(q.shape[:3], dtype=torch.float32)
        _forward[(len(states) * sizes.group,)](
            q, k, v, states, out, scale, sizes.n, sizes.chunks, sizes.group, DIVIDE=divide, **words
        )
        ctx.save_for_backward(q, k, v, out, scale, states)
        ctx.kind, ctx.divide = kind, divide
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *given: Tensor) -> tuple[Tensor | None, ...]:
        q, k, v, out, scale, before = ctx.saved_tensors
        sizes, slope = Sizes.of(q, k, v), given[0].contiguous()
        words = sizes.words(ctx.kind) | {"DIVIDE": ctx.divide}
        behind, slack = torch.empty_like(before), torch.empty_like(scale)
        grid, counts = (len(behind),), (sizes.n, sizes.chunks, sizes.group)
        _later[grid](q, out, scale, slope, slack, behind, *counts, **words)
        sizes.accumulate(behind, reverse=True)
        into = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        _backward[grid](q, k, v, before, behind, scale, slack, slope, *into, *counts, **words)
        return *into, None, None
