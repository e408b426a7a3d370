"""The sums over edges with torch alone, head by head: one head's slice stays in the processor's cache."""

import warnings
from collections.abc import Iterator
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.edges import Edges, Side
from regard.core.normalise import nonzero, peak
from regard.shapes import Float, Int

CHUNK = 1 << 16
"Edges whose ends are gathered at a time where torch has no sampled product."


def sum_scaled(
    side: Side,
    outer: Float[Tensor, " rows"],
    inner: Float[Tensor, " others"],
    values: Float[Tensor, "b h others c"],
) -> Float[Tensor, "b h rows c"]:
    """outer_r times the sum over the row's entries of inner_o values_o."""
    weights = inner.index_select(0, side.other).mul_(outer.index_select(0, _rows(side)))
    # Every head has the same weights, so one product serves them all.
    batch, heads, _, channels = values.shape
    summed = _product(side, weights, values.permute(2, 0, 1, 3).flatten(1))
    return summed.view(side.rows, batch, heads, channels).permute(1, 2, 0, 3)


def sum_weighted(
    side: Side, weights: Float[Tensor, "b h e"], values: Float[Tensor, "b h others c"]
) -> Float[Tensor, "b h rows c"]:
    """The sum over the row's entries of weight_e values_o."""
    out = values.new_empty(*values.shape[:2], side.rows, values.shape[3])
    for sums, weight, value in _slices(out, weights, values):
        sums.copy_(_product(side, _placed(side, weight), value))
    return out


def dots(
    side: Side, rows: Float[Tensor, "b h rows c"], others: Float[Tensor, "b h others c"]
) -> Float[Tensor, "b h e"]:
    """row_r · other_o for every edge; the side is that of the targets."""
    assert side.place is None
    out = rows.new_empty(*rows.shape[:2], len(side.other))
    for score, left, right in _slices(out, rows, others):
        score.copy_(_sampled(side, left, right))
    return out


def sum_edges(side: Side, values: Float[Tensor, "b h e"]) -> Float[Tensor, "b h rows"]:
    """The sum over the row's entries of values_e."""
    out = values.new_empty(*values.shape[:2], side.rows)
    for sums, value in _slices(out, values):
        sums.copy_(_total(side, _placed(side, value)))
    return out


def parts(
    edges: Edges,
    target: Float[Tensor, "h c"],
    source: Float[Tensor, "h c"],
    values: Float[Tensor, "b h n c"],
) -> tuple[Float[Tensor, "b h n"], Float[Tensor, "b h n"]]:
    """What each node adds to the scores of the edges that it is the target of, and the source of."""
    left, right = (torch.einsum("bhnd,hd->bhn", values, vectors) for vectors in (target, source))
    return left, right


def spread(
    edges: Edges,
    target: Float[Tensor, "h c"],
    source: Float[Tensor, "h c"],
    values: Float[Tensor, "b h n c"],
    gradients: tuple[Tensor, Tensor, Tensor],
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of both vectors and of the values, given those of both parts and of the values alone."""
    left, right, to_values = gradients
    for part, vectors in ((left, target), (right, source)):
        to_values.addcmul_(part.unsqueeze(3), vectors.unsqueeze(1))
    to_target, to_source = (torch.einsum("bhn,bhnd->hd", part, values) for part in (left, right))
    return to_target, to_source, to_values


def additive_forward(
    edges: Edges,
    left: Tensor,
    right: Tensor,
    term: Tensor | None,
    keep: Tensor | None,
    values: Tensor,
    slope: float,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The sums, and what their gradients need: the weights, and where the score was positive."""
    side, target = edges.targets, edges.sorted.target
    values = values.contiguous()
    out = values.new_empty(*values.shape[:2], side.rows, values.shape[3])
    weights = values.new_empty(*values.shape[:2], edges.count)
    positive = torch.empty_like(weights, dtype=torch.bool)
    parts = out, weights, positive, left, right, term, keep, values
    for y, weight, above, own, other, extra, kept, v in _slices(*parts):
        torch.add(own.index_select(0, target), other.index_select(0, side.other), out=weight)
        if extra is not None:
            weight.add_(extra)
        torch.gt(weight, 0, out=above)
        F.leaky_relu_(weight, slope)
        most = peak(torch.segment_reduce(weight, "max", offsets=side.start, unsafe=True))
        weight.sub_(most.index_select(0, target)).exp_()
        weight.div_(nonzero(_total(side, weight)).index_select(0, target))
        y.copy_(_product(side, weight if kept is None else weight * kept, v))
    return out, (weights, positive, values)


def additive_backward(
    edges: Edges,
    saved: tuple[Tensor, ...],
    term: Tensor | None,
    keep: Tensor | None,
    slope: float,
    out: Tensor,
    upstream: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients of the targets' part, of the sources' part, of each edge's score and of the values."""
    weights, positive, values = saved
    to_edges, to_values = torch.empty_like(weights), torch.empty_like(values)
    parts = to_edges, weights, positive, keep, out, upstream.contiguous(), values, to_values
    for change, weight, above, kept, y, g, v, to_v in _slices(*parts):
        torch.mul(_sampled(edges.targets, g, v), 1 if kept is None else kept, out=change)
        slack = (g * y).sum(-1).index_select(0, edges.sorted.target)
        change.sub_(slack).mul_(weight)
        torch.where(above, change, change * slope, out=change)
        applied = weight if kept is None else weight * kept
        to_v.copy_(_product(edges.sources, _placed(edges.sources, applied), g))
    return sum_edges(edges.targets, to_edges), sum_edges(edges.sources, to_edges), to_edges, to_values


def _matrix(side: Side, values: Float[Tensor, " e"]) -> Tensor:
    """The sparse matrix with these values, one per entry of the side."""
    _hear_the_warning()
    # Parallel relations can make more entries than cells, which cuSPARSE refuses: empty rows below make room.
    rows = max(side.rows, -(-len(values) // max(side.others, 1)))
    start = (
        torch.cat([side.start, side.start[-1:].expand(rows - side.rows)]) if rows > side.rows else side.start
    )
    return torch.sparse_csr_tensor(start, side.other, values, (rows, side.others), check_invariants=False)


@cache
def _hear_the_warning() -> None:
    """torch says once in a process that its compressed rows are in beta; said here, nobody else hears it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.sparse_csr_tensor([0, 0], [], [], (1, 1))


def _product(side: Side, values: Float[Tensor, " e"], dense: Tensor) -> Tensor:
    """The sparse matrix with these values times a dense one, or a vector."""
    # MKL refuses matrices without entries.
    if not (len(values) and dense.numel()):
        return dense.new_zeros(side.rows, *dense.shape[1:])
    return (_matrix(side, values) @ dense)[: side.rows]


def _rows(side: Side) -> Int[Tensor, " e"]:
    """The row that owns each entry."""
    return torch.repeat_interleave(side.count, output_size=len(side.other))


def _total(side: Side, values: Float[Tensor, " e"]) -> Float[Tensor, " rows"]:
    """Sum of the entries of each row."""
    return _product(side, values, values.new_ones(side.others))


def _placed(side: Side, values: Float[Tensor, " e"]) -> Float[Tensor, " e"]:
    """Values of the sorted edges, in the order of the side's entries."""
    return values if side.place is None else values.index_select(0, side.place)


def _sampled(
    side: Side, left: Float[Tensor, "rows c"], right: Float[Tensor, "others c"]
) -> Float[Tensor, " e"]:
    count, width = len(side.other), left.shape[1]
    if not count or not width:
        return left.new_zeros(count)
    if (left.is_cuda or torch.backends.mkl.is_available()) and count <= side.rows * side.others:
        pattern = _matrix(side, left.new_zeros(count))
        return torch.sparse.sampled_addmm(pattern, left, right.t(), beta=0.0).values()
    chunks = zip(_rows(side).split(CHUNK), side.other.split(CHUNK), strict=True)
    return torch.cat([(left.index_select(0, i) * right.index_select(0, j)).sum(-1) for i, j in chunks])


def _slices(*tensors: Tensor | None) -> Iterator[tuple]:
    """The tensors head by head, across the batch; what has one row or head serves all."""
    first = next(x for x in tensors if x is not None)
    for row in range(first.shape[0]):
        for head in range(first.shape[1]):
            yield tuple(
                None if x is None else x[row if len(x) > 1 else 0, head].contiguous() for x in tensors
            )
