# Triton's kernels take all they read and write one by one: ruff's and pyright's counts do not fit them.
# ruff: noqa: PLR0913, PLR0915
# pyright: reportPossiblyUnboundVariable=false
"""The Triton kernels of `edges`: sums over the entries of a row, or of a piece of a long one.

Row r owns the entries start[r] to start[r + 1]; entry t leads to node other[t] and is edge place[t]. Where
WHOLE, programs are rows, and those with more than LONG entries do nothing; else they are pieces.
"""

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]


@triton.jit
def _span(start, row, begin, end, at, WHOLE: tl.constexpr, LONG: tl.constexpr):
    """The row of this program, its entries, and whether it writes: not where the row is left to pieces."""
    if WHOLE:
        first, last = tl.load(start + at), tl.load(start + at + 1)
        mine = tl.where(last - first > LONG, 0, 1)
        return at, first, first + (last - first) * mine, mine
    else:
        return tl.load(row + at), tl.load(begin + at), tl.load(end + at), 1


@triton.jit
def scaled(
    start, other, row, begin, end, outer, inner, values, out, places, others,
    W: tl.constexpr, BW: tl.constexpr, BE: tl.constexpr, LONG: tl.constexpr, WHOLE: tl.constexpr,
):  # fmt: skip
    """outer_r times the sum of inner_o values_o."""
    at, batch = tl.program_id(0).to(tl.int64), tl.program_id(2).to(tl.int64)
    r, first, last, mine = _span(start, row, begin, end, at, WHOLE, LONG)  # type: ignore[misc]
    w = tl.program_id(1) * BW + tl.arange(0, BW)
    values += batch * others * W
    total = tl.zeros((BW,), values.dtype.element_ty)
    for t in range(first, last, BE):
        e = t + tl.arange(0, BE)
        inside = e < last
        o = tl.load(other + e, inside, 0)
        factor = tl.load(inner + o, inside, 0.0)
        each = tl.load(values + o[:, None] * W + w[None, :], inside[:, None] & (w < W)[None, :], 0.0)
        total += tl.sum(factor[:, None] * each, 0)
    tl.store(out + (batch * places + at) * W + w, total * tl.load(outer + r), w < W * mine)


@triton.jit
def merge(rows, first, parts, out, places, count, W: tl.constexpr, BW: tl.constexpr):
    """The sum of the pieces of a long row."""
    at, batch = tl.program_id(0), tl.program_id(2).to(tl.int64)
    w = tl.program_id(1) * BW + tl.arange(0, BW)
    total = tl.zeros((BW,), parts.dtype.element_ty)
    for p in range(tl.load(first + at), tl.load(first + at + 1)):
        total += tl.load(parts + (batch * count + p) * W + w, w < W, 0.0)
    tl.store(out + (batch * places + tl.load(rows + at)) * W + w, total, w < W)


@triton.jit
def forward(
    start, other, row, begin, end, left, right, term, keep, values, out, lifted, memory,
    targets, others, edges, places,
    H: tl.constexpr, C: tl.constexpr, HP: tl.constexpr, CP: tl.constexpr, BE: tl.constexpr,
    LONG: tl.constexpr, SLOPE: tl.constexpr, TERM: tl.constexpr, KEEP: tl.constexpr, WHOLE: tl.constexpr,
):  # fmt: skip
    """z = left_r + right_o + term_e, p the softmax of leaky(z) over the row: the sum of keep_e p_e values_o.

    `lifted` is the same sum over the edges with z > 0. A piece leaves its sums of exponentials undivided.
    """
    at, batch = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    r, first, last, mine = _span(start, row, begin, end, at, WHOLE, LONG)  # type: ignore[misc]
    h, c = tl.arange(0, HP), tl.arange(0, CP)
    heads, both = h < H, (h < H)[:, None] & (c < C)[None, :]
    cell = h[:, None] * C + c[None, :]
    kind = values.dtype.element_ty
    own = tl.load(left + (batch * targets + r) * H + h, heads, 0.0)
    most = tl.full((HP,), float("-inf"), kind)
    total, high = tl.zeros((HP,), kind), tl.zeros((HP,), kind)
    sums, lift = tl.zeros((HP, CP), kind), tl.zeros((HP, CP), kind)
    for t in range(first, last, BE):
        e = t + tl.arange(0, BE)
        inside = e < last
        o = tl.load(other + e, inside, 0) + batch * others
        there = inside[:, None] & heads[None, :]
        cells = (o * (H * C))[:, None, None] + cell[None, :, :]
        value = tl.load(values + cells, inside[:, None, None] & both[None, :, :], 0.0)
        z = own[None, :] + tl.load(right + o[:, None] * H + h[None, :], there, 0.0)
        if TERM:
            z += tl.load(term + (batch * edges + e)[:, None] * H + h[None, :], there, 0.0)
        s = tl.where(inside[:, None], tl.where(z > 0, z, z * SLOPE), float("-inf"))
        new = tl.maximum(most, tl.max(s, 0))
        base = tl.where(new == float("-inf"), 0.0, new)
        p, shrink = tl.exp(s - base[None, :]), tl.exp(most - base)
        up = tl.where(z > 0, p, 0.0)
        total, high = total * shrink + tl.sum(p, 0), high * shrink + tl.sum(up, 0)
        if KEEP:
            kept = tl.load(keep + (batch * edges + e)[:, None] * H + h[None, :], there, 0.0)
            p, up = p * kept, up * kept
        sums = sums * shrink[:, None] + tl.sum(p[:, :, None] * value, 0)
        lift = lift * shrink[:, None] + tl.sum(up[:, :, None] * value, 0)
        most = new
    put = (batch * places + at) * H
    heads, both = h < H * mine, (h < H * mine)[:, None] & (c < C)[None, :]
    if WHOLE:
        most = tl.where(most == float("-inf"), 0.0, most)
        inverse = tl.where(total != 0, 1.0 / tl.where(total != 0, total, 1.0), 0.0)
        sums, lift, total, high = sums * inverse[:, None], lift * inverse[:, None], inverse, high * inverse
    tl.store(out + put * C + cell, sums, both)
    tl.store(lifted + put * C + cell, lift, both)
    tl.store(memory + put * 4 + h, own, heads)
    tl.store(memory + put * 4 + H + h, most, heads)
    tl.store(memory + put * 4 + 2 * H + h, total, heads)
    tl.store(memory + put * 4 + 3 * H + h, high, heads)


@triton.jit
def merge_softmax(
    rows, first, part_sums, part_lifts, facts, out, lifted, memory, targets, count,
    H: tl.constexpr, C: tl.constexpr, HP: tl.constexpr, CP: tl.constexpr,
):  # fmt: skip
    """The pieces of a long row brought to one largest score, and divided."""
    at, batch = tl.program_id(0), tl.program_id(1).to(tl.int64)
    h, c = tl.arange(0, HP), tl.arange(0, CP)
    heads, both = h < H, (h < H)[:, None] & (c < C)[None, :]
    cell = h[:, None] * C + c[None, :]
    kind = part_sums.dtype.element_ty
    most, own = tl.full((HP,), float("-inf"), kind), tl.zeros((HP,), kind)
    total, high = tl.zeros((HP,), kind), tl.zeros((HP,), kind)
    sums, lift = tl.zeros((HP, CP), kind), tl.zeros((HP, CP), kind)
    for p in range(tl.load(first + at), tl.load(first + at + 1)):
        place = (batch * count + p) * H
        fact = facts + place * 4 + h
        own, peak = tl.load(fact, heads, 0.0), tl.load(fact + H, heads, 0.0)
        new = tl.maximum(most, peak)
        base = tl.where(new == float("-inf"), 0.0, new)
        before, now = tl.exp(most - base), tl.exp(peak - base)
        total = total * before + now * tl.load(fact + 2 * H, heads, 0.0)
        high = high * before + now * tl.load(fact + 3 * H, heads, 0.0)
        sums = sums * before[:, None] + now[:, None] * tl.load(part_sums + place * C + cell, both, 0.0)
        lift = lift * before[:, None] + now[:, None] * tl.load(part_lifts + place * C + cell, both, 0.0)
        most = new
    inverse = tl.where(total != 0, 1.0 / tl.where(total != 0, total, 1.0), 0.0)
    put = (batch * targets + tl.load(rows + at)) * H
    tl.store(out + put * C + cell, sums * inverse[:, None], both)
    tl.store(lifted + put * C + cell, lift * inverse[:, None], both)
    tl.store(memory + put * 4 + h, own, heads)
    tl.store(memory + put * 4 + H + h, tl.where(most == float("-inf"), 0.0, most), heads)
    tl.store(memory + put * 4 + 2 * H + h, inverse, heads)
    tl.store(memory + put * 4 + 3 * H + h, high * inverse, heads)


@triton.jit
def slack(
    upstream, out, lifted, memory, to_left, rows,
    H: tl.constexpr, C: tl.constexpr, HP: tl.constexpr, CP: tl.constexpr, BE: tl.constexpr,
    SLOPE: tl.constexpr,
):  # fmt: skip
    """<gradient, output> of each target, written over its share of positive scores; and its part's gradient.

    The gradients of a row's scores before LeakyReLU has bent them add up to nothing, so that of z they add up
    to (1 - slope) times the sum over the edges with z > 0.
    """
    r = tl.program_id(0).to(tl.int64) * BE + tl.arange(0, BE)
    h, c = tl.arange(0, HP), tl.arange(0, CP)
    cell = (r * (H * C))[:, None, None] + (h[:, None] * C + c[None, :])[None, :, :]
    inside = (r < rows)[:, None, None] & ((h < H)[:, None] & (c < C)[None, :])[None, :, :]
    there = (r < rows)[:, None] & (h < H)[None, :]
    g = tl.load(upstream + cell, inside, 0.0)
    less = tl.sum(g * tl.load(out + cell, inside, 0.0), 2)
    lift = tl.sum(g * tl.load(lifted + cell, inside, 0.0), 2)
    place = memory + r[:, None] * (4 * H) + 3 * H + h[None, :]
    share = tl.load(place, there, 0.0)
    tl.store(to_left + r[:, None] * H + h[None, :], (lift - less * share) * (1 - SLOPE), there)
    tl.store(place, less, there)


@triton.jit
def backward(
    start, other, place, row, begin, end, right, term, keep, values, memory, upstream,
    to_values, to_right, to_edges, sources, targets, edges, places,
    H: tl.constexpr, C: tl.constexpr, HP: tl.constexpr, CP: tl.constexpr, BE: tl.constexpr,
    LONG: tl.constexpr, SLOPE: tl.constexpr, TERM: tl.constexpr, KEEP: tl.constexpr, WHOLE: tl.constexpr,
):  # fmt: skip
    """Rows are the sources here: the gradients of the values, of the sources' part and of each edge's z."""
    at, batch = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    r, first, last, mine = _span(start, row, begin, end, at, WHOLE, LONG)  # type: ignore[misc]
    h, c = tl.arange(0, HP), tl.arange(0, CP)
    heads, both = h < H, (h < H)[:, None] & (c < C)[None, :]
    cell = h[:, None] * C + c[None, :]
    kind = values.dtype.element_ty
    own = tl.load(right + (batch * sources + r) * H + h, heads, 0.0)
    value = tl.load(values + (batch * sources + r) * (H * C) + cell, both, 0.0)
    sums, total = tl.zeros((HP, CP), kind), tl.zeros((HP,), kind)
    for t in range(first, last, BE):
        e = t + tl.arange(0, BE)
        inside = e < last
        i = tl.load(other + e, inside, 0) + batch * targets
        there = inside[:, None] & heads[None, :]
        cells = (i * (H * C))[:, None, None] + cell[None, :, :]
        g = tl.load(upstream + cells, inside[:, None, None] & both[None, :, :], 0.0)
        known = memory + i[:, None] * (4 * H) + h[None, :]
        z = tl.load(known, there, 0.0) + own[None, :]
        if TERM or KEEP:
            edge = (tl.load(place + e, inside, 0) + batch * edges)[:, None] * H + h[None, :]
        if TERM:
            z += tl.load(term + edge, there, 0.0)
        s = tl.where(z > 0, z, z * SLOPE)
        p = tl.exp(s - tl.load(known + H, there, 0.0)) * tl.load(known + 2 * H, there, 0.0)
        change = tl.sum(g * value[None, :, :], 2)
        weight = p
        if KEEP:
            kept = tl.load(keep + edge, there, 0.0)
            change, weight = change * kept, weight * kept
        change = p * (change - tl.load(known + 3 * H, there, 0.0))
        change = tl.where(there, tl.where(z > 0, change, change * SLOPE), 0.0)
        weight = tl.where(there, weight, 0.0)
        if TERM:
            tl.store(to_edges + edge, change, there)
        total += tl.sum(change, 0)
        sums += tl.sum(weight[:, :, None] * g, 0)
    put = (batch * places + at) * H
    heads, both = h < H * mine, (h < H * mine)[:, None] & (c < C)[None, :]
    tl.store(to_values + put * C + cell, sums, both)
    tl.store(to_right + put + h, total, heads)
