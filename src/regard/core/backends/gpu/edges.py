# pyright: reportIndexIssue=false, reportArgumentType=false
# A kernel of Triton is called with its grid in brackets.
"""Sums over the edges of a graph on a GPU, in Triton: a program for each row walks over its entries.

Memory order: nodes (batch, node, head, channel), edges (batch, edge, head), edges sorted by target. Long rows
are cut in pieces, whose sums are added in their order: results do not change from run to run.
"""

import torch
import triton  # pyright: ignore[reportMissingImports]
from torch import Tensor

from regard.core.backends.edges.torch_sums import sum_edges
from regard.core.backends.gpu import edge_kernels as kernels
from regard.core.backends.gpu.pieces import LONG, Pieces, pieces
from regard.core.edges import Edges, Side
from regard.shapes import Float

TYPES = (torch.float32, torch.float64)
TILE = 4096
"Numbers that one warp holds of the nodes at the far ends."
WIDEST = 4096
"Channels, over all heads, that one program has room for."


def sum_scaled(
    side: Side,
    outer: Float[Tensor, " rows"],
    inner: Float[Tensor, " others"],
    values: Float[Tensor, "b h others c"],
) -> Float[Tensor, "b h rows c"]:
    """outer_r times the sum over the row's entries of inner_o values_o."""
    values = _inside(values)
    batch, others, heads, channels = values.shape
    width, cut = heads * channels, pieces(side)
    out = values.new_empty(batch, side.rows, heads, channels)
    block = min(triton.next_power_of_2(width), 256)
    words = {"W": width, "BW": block, "BE": max(1, min(32, TILE // block)), "LONG": LONG, "num_warps": 1}
    columns = triton.cdiv(width, block)

    def launch(count: int, into: Tensor, whole: bool) -> None:
        if count and width:
            kernels.scaled[(count, columns, batch)](
                side.start, side.other, cut.row, cut.begin, cut.end, outer, inner, values, into,
                len(into[0]), others, WHOLE=whole, **words,
            )  # fmt: skip

    launch(side.rows, out, True)
    if cut.count:
        parts = values.new_empty(batch, cut.count, width)
        launch(cut.count, parts, False)
        _merge(cut, parts, out)
    return out.transpose(1, 2)


def additive_forward(
    edges: Edges,
    left: Tensor,
    right: Tensor,
    term: Tensor | None,
    keep: Tensor | None,
    values: Tensor,
    slope: float,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The sums, and what their gradients need.

    Kept of each target: its part of the score, the largest score, one over the sum of exponentials, the share
    of edges with a positive score, and the sum over those: of them the gradient of its part is made, without
    a number per edge.
    """
    left, right, values = _inside(left), _inside(right), _inside(values)
    term, keep = (None if x is None else _inside(x) for x in (term, keep))
    batch, others, heads, channels = values.shape
    side, cut = edges.targets, pieces(edges.targets)
    memory = values.new_empty(batch, side.rows, 4, heads)
    out, lifted = (values.new_empty(batch, side.rows, heads, channels) for _ in range(2))
    words = _words(heads, channels, slope, term, keep)

    def launch(count: int, into: tuple[Tensor, Tensor, Tensor], whole: bool) -> None:
        if count:
            kernels.forward[(count, batch)](
                side.start, side.other, cut.row, cut.begin, cut.end,
                left, right, right if term is None else term, right if keep is None else keep, values, *into,
                side.rows, others, edges.count, count, WHOLE=whole, **words,
            )  # fmt: skip

    launch(side.rows, (out, lifted, memory), True)
    if cut.count:
        sums, lifts = (values.new_empty(batch, cut.count, heads, channels) for _ in range(2))
        facts = values.new_empty(batch, cut.count, 4, heads)
        launch(cut.count, (sums, lifts, facts), False)
        sizes = {name: words[name] for name in ("H", "C", "HP", "CP", "num_warps")}
        kernels.merge_softmax[(len(cut.rows), batch)](
            cut.rows, cut.first, sums, lifts, facts, out, lifted, memory, side.rows, cut.count, **sizes
        )
    return out.transpose(1, 2), (right, values, memory, lifted)


def additive_backward(
    edges: Edges,
    saved: tuple[Tensor, ...],
    term: Tensor | None,
    keep: Tensor | None,
    slope: float,
    out: Tensor,
    upstream: Tensor,
) -> tuple[Tensor, Tensor, Tensor | None, Tensor]:
    """The gradients of both parts of the scores, of each edge's term where there is one, of the values."""
    right, values, memory, lifted = saved
    term, keep = (None if x is None else _inside(x) for x in (term, keep))
    upstream, out = _inside(upstream), _inside(out)
    batch, others, heads, channels = values.shape
    side, cut, targets = edges.sources, pieces(edges.sources), edges.sizes[0]
    words = _words(heads, channels, slope, term, keep)
    to_left, known = values.new_empty(batch, targets, heads), memory.clone()
    if targets:
        kernels.slack[(triton.cdiv(targets * batch, words["BE"]),)](
            upstream, out, lifted, known, to_left, targets * batch,
            **{name: words[name] for name in ("H", "C", "HP", "CP", "BE", "SLOPE", "num_warps")},
        )  # fmt: skip
    to_values, to_right = torch.empty_like(values), torch.empty_like(right)
    to_edges = None if term is None else values.new_empty(batch, edges.count, heads)

    def launch(count: int, into: tuple[Tensor, Tensor], whole: bool) -> None:
        if count:
            kernels.backward[(count, batch)](
                side.start, side.other, side.place, cut.row, cut.begin, cut.end,
                right, right if term is None else term, right if keep is None else keep, values, known,
                upstream, *into, right if to_edges is None else to_edges,
                others, targets, edges.count, count, WHOLE=whole, **words,
            )  # fmt: skip

    launch(side.rows, (to_values, to_right), True)
    if cut.count:
        parts = (
            values.new_empty(batch, cut.count, heads, channels),
            right.new_empty(batch, cut.count, heads),
        )
        launch(cut.count, parts, False)
        _merge(cut, parts[0], to_values)
        _merge(cut, parts[1], to_right)
    if to_edges is None:
        return to_left.transpose(1, 2), to_right.transpose(1, 2), None, to_values.transpose(1, 2)
    changes = to_edges.transpose(1, 2)
    return sum_edges(edges.targets, changes), to_right.transpose(1, 2), changes, to_values.transpose(1, 2)


def fits(values: Tensor) -> bool:
    """Whether the kernels have room for so many channels, and know this type."""
    if values.dim() != 4:
        return False
    heads, channels = values.shape[1], values.shape[3]
    padded = triton.next_power_of_2(max(heads, 1)) * triton.next_power_of_2(max(channels, 1))
    return values.dtype in TYPES and heads * channels > 0 and padded <= WIDEST  # type: ignore[return-value]


def _words(heads: int, channels: int, slope: float, term: Tensor | None, keep: Tensor | None) -> dict:
    """What is known when a kernel is compiled."""
    wide = triton.next_power_of_2(heads), triton.next_power_of_2(channels)
    warps = max(1, min(4, wide[0] * wide[1] // 256))
    return {
        **{"H": heads, "C": channels, "HP": wide[0], "CP": wide[1]},
        **{"BE": max(1, min(32, warps * TILE // (wide[0] * wide[1]))), "LONG": LONG, "num_warps": warps},
        **{"SLOPE": slope, "TERM": term is not None, "KEEP": keep is not None},
    }


def _merge(cut: Pieces, parts: Tensor, out: Tensor) -> None:
    """Put the sum of its pieces into each long row."""
    width = parts[0, 0].numel()
    block = min(triton.next_power_of_2(width), 1024)
    kernels.merge[(len(cut.rows), triton.cdiv(width, block), len(parts))](
        cut.rows, cut.first, parts, out, out.shape[1], cut.count, W=width, BW=block
    )


def _inside(x: Tensor) -> Tensor:
    """Heads behind nodes or edges in memory, which costs nothing where a projection made them so."""
    return x.transpose(1, 2).contiguous()
