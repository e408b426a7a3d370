"""Attention over edges inside plain torch code: rows are gathered, weighted, and summed where they arrive.

Weights of edges are seen where they are not negative and those of each receiving node sum to one, or where
their sum divides what arrived.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from regard.core.edges import Edges
from regard.core.products import CLOSE, letters, of_sum
from regard.shapes import Float, Int

GATHERS = {"__getitem__", "index_select", "gather", "take_along_dim"}
SUMS = {
    "index_add", "index_add_", "scatter_add", "scatter_add_", "scatter_reduce", "scatter_reduce_",
    "index_put", "index_put_", "segment_reduce",
}  # fmt: skip
TIMES = {"mul", "mul_", "multiply", "__mul__", "__rmul__", "__imul__"}
OVER = {"div", "div_", "divide", "true_divide", "__truediv__", "__itruediv__"}
VIEWS = {
    "view", "reshape", "flatten", "unflatten", "contiguous", "squeeze", "unsqueeze", "dropout", "to", "float",
}  # fmt: skip
"What leaves the entries in their order."
SPARSE = {"matmul", "__matmul__", "mm", "_sparse_mm", "spmm", "sparse_mm"}


class Gathered(NamedTuple):
    """Where rows come from: which ones, of a table of how many."""

    index: Int[Tensor, " e"]
    rows: int


class Unsettled(NamedTuple):
    """What arrived with weights that sum to anything: a division by their sum may follow."""

    weights: Float[Tensor, "e h"]
    edges: Edges


class Messages:
    """Follows rows from where they are gathered to where they are summed; what it finds, it tells."""

    def __init__(self, over_edges: Callable[..., None], dense: Callable[[Tensor], None]) -> None:
        self.over_edges, self.dense = over_edges, dense
        # All by tensors that may go: nothing is kept alive that the model has let go of.
        self.rows = WeakTensorKeyDictionary()
        "The origins of rows that were gathered, and of what was made of them."
        self.factors = WeakTensorKeyDictionary()
        "Both operands of a product, entry by entry."
        self.sums = WeakTensorKeyDictionary()
        "What is unsettled, by the tensor in which it arrived."

    def follow(
        self,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        marked: Callable[[Tensor], bool],
    ) -> None:
        """Take note of one call of a function of torch."""
        name = getattr(func, "__name__", "")
        if name in SPARSE and isinstance(args[0], Tensor) and args[0].layout is not torch.strided:
            return self._sparse(args[0], result)
        if name in SUMS:
            return self._arrive(name, args, kwargs, result)
        if name in TIMES or name == "einsum":
            self._multiply(name, args, result)
        elif name in OVER:
            self._divide(args, result)
        elif name == "sum" and args and args[0] in self.factors:
            first, second = self.factors[args[0]]
            axes = kwargs.get("dim", args[1] if len(args) > 1 else None)
            found = of_sum(first, second, axes, marked)
            if found is not None:
                self.dense(found)
        elif name in VIEWS and args and isinstance(args[0], Tensor) and isinstance(result, Tensor):
            for known in (self.factors, self.sums):
                if args[0] in known and result is not args[0]:
                    known[result] = known[args[0]]
        self._originate(name, args, kwargs, result)

    def _originate(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Where the rows of a result come from: gathered now, or made of what was gathered."""
        found = list(self._gathered(args, kwargs)) if name in GATHERS else []
        found = found or [one for x in _tensors(args) for one in self._origins(x)]
        if not found:
            return
        for made in _tensors(result if isinstance(result, tuple | list) else [result]):
            if made.is_floating_point():
                mine = [one for one in found if len(one.index) in made.shape]
                if mine:
                    self.rows[made] = _distinct([*self._origins(made), *mine])

    def _origins(self, x: Tensor) -> list[Gathered]:
        return self.rows.get(x, []) or []

    def _gathered(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Gathered]:
        table, *rest = (*args, *kwargs.values())
        places = rest[0] if len(rest) == 1 and isinstance(rest[0], tuple) else rest
        dim = next((one for one in places if type(one) is int), None)
        dim = (
            next((at for at, one in enumerate(places) if isinstance(one, Tensor)), 0) if dim is None else dim
        )
        index = next((one for one in places if isinstance(one, Tensor)), None)
        if not isinstance(table, Tensor) or index is None or not -table.dim() <= dim < table.dim():
            return
        index = _column(index, dim)
        if index is not None:
            yield Gathered(index, table.shape[dim])
            yield from (
                Gathered(one.index[index], one.rows)
                for one in self._origins(table)
                if len(one.index) == table.shape[dim]
            )

    def _multiply(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        operands = [*_tensors(args)]
        pair = _laid_out(args[0], operands) if name == "einsum" else args[:2]
        if pair is None or len(pair) < 2 or not all(isinstance(x, Tensor) for x in pair):
            return
        first, second = pair
        for x, laid in zip(operands, pair, strict=True):
            if x in self.rows:
                self.rows[laid] = self.rows[x]
        if first.shape != second.shape or first in self.rows or second in self.rows:
            self.factors[result] = (first, second)

    def _arrive(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        given = _arriving(name, args, kwargs)
        if given is None:
            return
        dim, target, messages = given
        pair = self.factors.get(messages)
        if pair is None or len(target) != messages.shape[dim]:
            return
        whole = torch.broadcast_shapes(*(x.shape for x in pair))
        if whole[: dim + 1] != messages.shape[: dim + 1]:
            return
        for weights, values in (pair, pair[::-1]):
            source = self._source(values, target, result.shape[dim])
            flat = None if source is None else _by_edge(weights, whole, dim)
            if source is None or flat is None:
                continue
            edges = Edges(source.index, target, sizes=(result.shape[dim], source.rows), duplicates="keep")
            if self._settle(flat, edges, result):
                return

    def _settle(self, weights: Float[Tensor, "e h"], edges: Edges, result: Tensor) -> bool:
        sums = _sums(weights, edges)
        if bool((weights < 0).any()) or not bool((sums > 0).any()):
            return False
        if bool((((sums - 1.0).abs() < CLOSE) | (sums == 0.0)).all()):
            self.over_edges(weights.T[None], edges)
            return True
        self.sums[result] = Unsettled(weights, edges)
        return False

    def _divide(self, args: tuple[Any, ...], result: Any) -> None:
        held = self.sums.get(args[0]) if isinstance(args[0], Tensor) else None
        if held is None or len(args) < 2 or not isinstance(args[1], Tensor):
            return
        sums = _sums(held.weights, held.edges)
        if args[1].numel() != sums.numel():
            return
        by = args[1].reshape(sums.shape)
        there = sums > 0
        if bool(((by - sums).abs() <= CLOSE * sums)[there].all()):
            self.over_edges((held.weights / by[held.edges.target]).T[None], held.edges)

    def _sparse(self, matrix: Tensor, result: Any) -> None:
        """A sparse matrix times values: its rows look, its columns are looked at."""
        if matrix.dim() != 2 or not matrix.is_floating_point():
            return
        matrix = matrix.detach().to_sparse_coo().coalesce()
        target, source = matrix.indices()
        edges = Edges(source, target, sizes=(matrix.shape[0], matrix.shape[1]), duplicates="keep")
        self._settle(matrix.values()[:, None], edges, result)

    def _source(self, values: Tensor, target: Tensor, nodes: int) -> Gathered | None:
        """Whose rows the values are, besides the receiver's own; None where that is not one thing."""
        if isinstance(values, nn.Parameter):
            return None
        found = [one for one in self._origins(values) if len(one.index) == len(target)]
        found = [one for one in found if not torch.equal(one.index, target)]
        found = [one for one in found if one.rows == nodes] or found
        return found[0] if len(found) == 1 else None


def _tensors(given: Any) -> Iterator[Tensor]:
    for one in given:
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, tuple | list):
            yield from _tensors(one)


def _distinct(origins: list[Gathered]) -> list[Gathered]:
    kept: list[Gathered] = []
    for one in origins:
        if not any(one.rows == other.rows and torch.equal(one.index, other.index) for other in kept):
            kept.append(one)
    return kept


def _column(index: Tensor, dim: int) -> Int[Tensor, " e"] | None:
    """The one index that stands in every column; None where they differ, and for a mask.

    >>> _column(torch.tensor([[2, 2], [0, 0]]), 0)
    tensor([2, 0])
    """
    if index.dtype not in (torch.int64, torch.int32) or index.dim() < 1 or not index.numel():
        return None
    if index.dim() > 1:
        columns = index.movedim(dim, 0).flatten(1)
        if not bool((columns == columns[:, :1]).all()):
            return None
        index = columns[:, 0]
    return index.long()


def _arriving(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, Tensor, Tensor] | None:
    """Along which axis, where and what is summed; None where it is no sum."""
    if name == "segment_reduce":
        lengths = kwargs.get("lengths")
        if lengths is None or lengths.dim() != 1 or "sum" not in (*args[1:2], kwargs.get("reduce")):
            return None
        return 0, torch.arange(len(lengths), device=lengths.device).repeat_interleave(lengths), args[0]
    if name.startswith("index_put"):
        words = ("input", "indices", "values", "accumulate")
        given = dict(zip(words, args, strict=False)) | kwargs
        places = given["indices"]
        if not given.get("accumulate") or len(places) != 1:
            return None
        dim, index, messages = 0, places[0], given["values"]
    else:
        words = ("input", "dim", "index", "source" if name.startswith("index") else "src", "reduce")
        given = dict(zip(words, args, strict=False)) | kwargs
        if name.startswith("scatter_reduce") and given.get("reduce") != "sum":
            return None
        dim, index, messages = given["dim"], given["index"], given[words[3]]
    if not isinstance(messages, Tensor):
        return None
    dim = dim % max(messages.dim(), 1)
    target = _column(index, dim)
    return None if target is None else (dim, target, messages)


def _by_edge(weights: Tensor, whole: torch.Size, dim: int) -> Float[Tensor, "e h"] | None:
    """Weights with a row for each edge; what was spread over the channels stands once."""
    if isinstance(weights, nn.Parameter) or not weights.is_floating_point():
        return None
    weights = weights.detach().reshape((1,) * (len(whole) - weights.dim()) + tuple(weights.shape))
    if weights.shape[dim] != whole[dim]:
        return None
    if dim < weights.dim() - 1 and bool((weights == weights[..., :1]).all()):
        weights = weights[..., :1]
    return weights.movedim(dim, 0).flatten(1) if weights.dim() > 1 else weights[:, None]


def _sums(weights: Float[Tensor, "e h"], edges: Edges) -> Float[Tensor, "n h"]:
    return weights.new_zeros(edges.sizes[0], weights.shape[1]).index_add(0, edges.target, weights)


def _laid_out(equation: Any, operands: list[Tensor]) -> tuple[Tensor, Tensor] | None:
    """Both operands of an einsum that sums nothing, with the axes of its result."""
    if not isinstance(equation, str) or len(operands) != 2:
        return None
    *words, out = letters(equation, [x.dim() for x in operands])
    if set(words[0] + words[1]) != set(out) or any(len(set(word)) < len(word) for word in words):
        return None
    first, second = (
        x.permute([word.index(c) for c in out if c in word])[
            tuple(slice(None) if c in word else None for c in out)
        ]
        for x, word in zip(operands, words, strict=True)
    )
    return first, second
