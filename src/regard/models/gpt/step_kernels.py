# Triton's kernels take all they read and write one by one: ruff's and pyright's counts do not fit them.
# ruff: noqa: PLR0913
# pyright: reportPossiblyUnboundVariable=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
"""The Triton kernels of a decoding step of GPT-2 on a GPU: one token of each row.

Sums are float32. Where EARLY, a kernel is started before the one in front of it has ended, fetches its
weights, and waits for that end only then.
"""

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]


@triton.jit
def _wait(EARLY: tl.constexpr):
    """Go on when the kernel before has ended; let the next one start."""
    if EARLY:
        tl.extra.cuda.gdc_wait()
        tl.extra.cuda.gdc_launch_dependents()


@triton.jit
def _gelu(x):
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return x * (1.0 - 1.0 / (tl.exp(2.0 * inner) + 1.0))


@triton.jit
def embed(
    ids, tokens, positions, length, x, W: tl.constexpr, BW: tl.constexpr, PLACED: tl.constexpr,
):  # fmt: skip
    """The token table's row, and that of the place."""
    row, w = tl.program_id(0), tl.arange(0, BW)
    found = tl.load(tokens + tl.load(ids + row) * W + w, w < W, 0.0).to(tl.float32)
    if PLACED:
        found += tl.load(positions + tl.load(length) * W + w, w < W, 0.0).to(tl.float32)
    tl.store(x + row * W + w, found, w < W)


@triton.jit
def one_row(
    x, gain, shift, weight, bias, out, epsilon,
    K: tl.constexpr, OUT: tl.constexpr, BK: tl.constexpr, BO: tl.constexpr,
    NORM: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr, BIAS: tl.constexpr,
    KIND: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """norm(x) W^T + bias for a single row, where every weight is met once; 'add' adds it to what is there."""
    o, k = tl.program_id(0) * BO + tl.arange(0, BO), tl.arange(0, BK)
    place = weight + o[:, None] * K + k[None, :]
    tile = tl.load(place, (o < OUT)[:, None] & (k < K)[None, :], 0.0)
    if GAIN:
        scale = tl.load(gain + k, k < K, 0.0).to(tl.float32)
    if SHIFT:
        added = tl.load(shift + k, k < K, 0.0).to(tl.float32)
    _wait(EARLY)
    row = tl.load(x + k, k < K, 0.0).to(tl.float32)
    if NORM:
        row = tl.where(k < K, row - tl.sum(row, 0) / K, 0.0)
        row = row * tl.rsqrt(tl.sum(row * row, 0) / K + epsilon)
        if GAIN:
            row = row * scale
        if SHIFT:
            row += added
        row = row.to(weight.dtype.element_ty).to(tl.float32)
    sums = tile.to(tl.float32) * row[None, :]
    for start in range(BK, K, BK):
        inside = start + k < K
        more = tl.load(place + start, (o < OUT)[:, None] & inside[None, :], 0.0).to(tl.float32)
        sums += more * tl.load(x + start + k, inside, 0.0).to(tl.float32)[None, :]
    found = tl.sum(sums, 1)
    if BIAS:
        found += tl.load(bias + o, o < OUT, 0.0).to(tl.float32)
    if KIND == "gelu":
        found = _gelu(found)
    if KIND == "add":
        found += tl.load(out + o, o < OUT, 0.0)
    tl.store(out + o, found.to(out.dtype.element_ty), o < OUT)


@triton.jit
def add_norm(
    x, added, gain, shift, out, epsilon,
    W: tl.constexpr, BW: tl.constexpr, ADD: tl.constexpr, GAIN: tl.constexpr, SHIFT: tl.constexpr,
):  # fmt: skip
    """x + added, written over x, and its norm: what stands between two products of several rows."""
    at, w = tl.program_id(0) * W, tl.arange(0, BW)
    row = tl.load(x + at + w, w < W, 0.0)
    if ADD:
        row += tl.load(added + at + w, w < W, 0.0).to(tl.float32)
        tl.store(x + at + w, row, w < W)
    row = tl.where(w < W, row - tl.sum(row, 0) / W, 0.0)
    row = row * tl.rsqrt(tl.sum(row * row, 0) / W + epsilon)
    if GAIN:
        row = row * tl.load(gain + w, w < W, 0.0).to(tl.float32)
    if SHIFT:
        row += tl.load(shift + w, w < W, 0.0).to(tl.float32)
    tl.store(out + at + w, row.to(out.dtype.element_ty), w < W)


@triton.jit
def look(
    mixed, both, length, out, room, half, scale,
    H: tl.constexpr, G: tl.constexpr, D: tl.constexpr, BD: tl.constexpr, BM: tl.constexpr,
    EARLY: tl.constexpr,
):  # fmt: skip
    """Softmax attention of one query over all keys before it and its own, which it puts into the cache."""
    head, row, d = tl.program_id(0), tl.program_id(1), tl.arange(0, BD)
    group = head // (H // G)
    mixed += row * (H + 2 * G) * D
    keys = both + (row * G + group).to(tl.int64) * room * D
    values = keys + half
    end = tl.load(length)
    m = tl.arange(0, BM)
    # What was kept of earlier tokens does not depend on the kernel before.
    inside = (m < end)[:, None] & (d < D)[None, :]
    before = tl.load(keys + m[:, None] * D + d[None, :], inside, 0.0)
    worth = tl.load(values + m[:, None] * D + d[None, :], inside, 0.0)
    _wait(EARLY)
    query = tl.load(mixed + head * D + d, d < D, 0.0).to(tl.float32) * scale
    key = tl.load(mixed + (H + group) * D + d, d < D, 0.0)
    value = tl.load(mixed + (H + G + group) * D + d, d < D, 0.0)
    # Heads that share a key write the same.
    tl.store(keys + end * D + d, key, d < D)
    tl.store(values + end * D + d, value, d < D)
    own = tl.sum(query * key.to(tl.float32), 0)
    # Each place of the tile has sums of its own until the end, so that its parts never wait for each other.
    score = tl.where(m < end, tl.sum(before.to(tl.float32) * query[None, :], 1), float("-inf"))
    most = tl.maximum(score, own)
    total = tl.exp(score - most)
    sums = total[:, None] * worth.to(tl.float32)
    for start in range(BM, end, BM):
        inside = (start + m < end)[:, None] & (d < D)[None, :]
        before = tl.load(keys + (start + m)[:, None] * D + d[None, :], inside, 0.0)
        worth = tl.load(values + (start + m)[:, None] * D + d[None, :], inside, 0.0)
        score = tl.where(start + m < end, tl.sum(before.to(tl.float32) * query[None, :], 1), float("-inf"))
        new = tl.maximum(most, score)
        p, shrink = tl.exp(score - new), tl.exp(most - new)
        total = total * shrink + p
        sums = sums * shrink[:, None] + p[:, None] * worth.to(tl.float32)
        most = new
    top = tl.max(most, 0)
    weight, mine = tl.exp(most - top), tl.exp(own - top)
    found = tl.sum(sums * weight[:, None], 0) + mine * value.to(tl.float32)
    found = found / (tl.sum(total * weight, 0) + mine)
    tl.store(out + (row * H + head) * D + d, found.to(out.dtype.element_ty), d < D)
