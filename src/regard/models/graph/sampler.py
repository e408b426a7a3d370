"""Neighbour sampling for mini-batches of a graph that does not fit: a few edges to each node, hop by hop.

It reads rows of edges by target, of `Edges` or of a file that is mapped into memory, and needs no compiled
library. Every draw follows from the seed and the number of the batch.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from regard.arguments import check, kinds, told
from regard.core.edges import INTEGERS, Edges
from regard.errors import RegardError
from regard.models.graph.sampled import SampledEdges, SampledGraph
from regard.shapes import Int

ALL = -1
"The fan-out that takes every edge."


@runtime_checkable
class Rows(Protocol):
    """Edges by target, as `open_graph` gives them: those to i are from other[start[i]:start[i + 1]]."""

    start: Tensor
    other: Tensor
    out_of: Tensor


class NeighbourSampler:
    """Draws, for some nodes, up to `fanout[0]` edges to each, then `fanout[1]` to each new node, and so on.

    Without replacement and with equal chances; -1 takes all edges. With all of them, a network of as many
    layers as hops says of these nodes what it says with the whole graph.

    >>> ring = Edges(torch.arange(6), (torch.arange(6) + 1) % 6, nodes=6).both_ways()
    >>> batch = NeighbourSampler(ring, (-1, -1), features=torch.eye(6)).sample(torch.tensor([3]))
    >>> batch.n_id.tolist(), batch.edges
    ([3, 2, 4, 1, 5], SampledEdges(6 edges, 5 targets, 5 sources))
    """

    @kinds
    def __init__(
        self,
        graph: Edges | Rows,
        fanout: Sequence[int],
        *,
        features: Tensor | None = None,
        labels: Tensor | None = None,
        seed: int = 0,
    ) -> None:
        if isinstance(graph, Edges):
            self.start, self.other, self.out_of = (
                graph.targets.start,
                graph.targets.other,
                graph.sources.count,
            )
        else:
            self.start, self.other, self.out_of = graph.start, graph.other, graph.out_of
        self.fanout, self.features, self.labels, self.seed = tuple(fanout), features, labels, seed
        if not self.fanout or any(
            not isinstance(one, int) or (one < 1 and one != ALL) for one in self.fanout
        ):
            raise RegardError(
                "the fan-out is how many edges are drawn to a node, for each hop",
                told(fanout),
                "pass one number for each layer, at least 1, or -1 for all: (10, 10)",
            )
        for name, rows in {"features": features, "labels": labels}.items():
            if rows is not None and (not rows.dim() or len(rows) != self.nodes):
                raise RegardError(
                    f"{name} are one row per node of the graph",
                    f"{tuple(rows.shape)} for {self.nodes} nodes",
                    "give every node its row; nodes without edges have one too",
                )

    @property
    def nodes(self) -> int:
        """How many nodes the graph has."""
        return len(self.start) - 1

    def sample(self, nodes: Int[Tensor, " s"], *, number: int = 0) -> SampledGraph:
        """The neighbourhood of some nodes; the same again for the same nodes and batch number."""
        self._check(nodes)
        check("sample", "number", number, int)
        n_id, source, target = self.draw(nodes, number=number)
        into, out_of = self.start[n_id + 1] - self.start[n_id], self.out_of[n_id]
        return SampledGraph(
            torch.empty(len(n_id), 0) if self.features is None else self.features[n_id],
            SampledEdges(source, target, into=into, out_of=out_of),
            labels=None if self.labels is None else self.labels[n_id],
            n_id=n_id,
            batch_size=len(nodes),
        )

    def batches(self, nodes: Int[Tensor, " s"], size: int) -> Callable[[int], SampledGraph]:
        """Batch number i for `Training`: each node comes once in an epoch, in an order of its own."""
        self._check(nodes)
        check("batches", "size", size, int)
        if not 1 <= size <= len(nodes):
            raise RegardError(
                "a batch has at least one of the nodes and at most all",
                f"size={size} of {len(nodes)}",
                "choose another size",
            )
        rounds = -(-len(nodes) // size)

        def batch(number: int) -> SampledGraph:
            epoch, place = divmod(number, rounds)
            order = torch.randperm(len(nodes), generator=self._generator(epoch, 1))
            return self.sample(nodes[order[place * size : (place + 1) * size]], number=number)

        return batch

    def draw(
        self, nodes: Int[Tensor, " s"], *, number: int = 0
    ) -> tuple[Int[Tensor, " n"], Int[Tensor, " e"], Int[Tensor, " e"]]:
        """All nodes of a neighbourhood, those asked for first, and its edges by their places among these."""
        generator, known, first = self._generator(number, 0), nodes, 0
        sources, targets = [], []
        for fanout in self.fanout:
            source, row = self._drawn(known[first:], fanout, generator)
            sources.append(source)
            targets.append(row + first)
            found = source.unique()
            first = len(known)
            known = torch.cat([known, found[~torch.isin(found, known)]])
        ordered, place = known.sort()
        return known, place[torch.searchsorted(ordered, torch.cat(sources))], torch.cat(targets)

    def _drawn(
        self, nodes: Int[Tensor, " m"], fanout: int, generator: torch.Generator
    ) -> tuple[Int[Tensor, " e"], Int[Tensor, " e"]]:
        """For each node, up to so many of the edges to it: their sources, and the place of the node."""
        start = self.start[nodes]
        degree = self.start[nodes + 1] - start
        many = degree > fanout if fanout != ALL else torch.zeros_like(degree, dtype=torch.bool)
        few = (~many).nonzero().flatten()
        row = few.repeat_interleave(degree[few])
        behind = torch.arange(len(row)) - (degree[few].cumsum(0) - degree[few]).repeat_interleave(degree[few])
        rich = many.nonzero().flatten()
        picked = (
            subsets(degree[rich], fanout, generator) if len(rich) else degree.new_empty(0, max(fanout, 0))
        )
        edge = torch.cat([start[row] + behind, (start[rich, None] + picked).flatten()])
        row = torch.cat([row, rich.repeat_interleave(picked.shape[1])])
        return self.other[edge].long(), row

    def _generator(self, number: int, purpose: int) -> torch.Generator:
        return torch.Generator().manual_seed(((self.seed * 2_000_003 + number) * 2 + purpose) % 2**63)

    def _check(self, nodes: Tensor) -> None:
        if not isinstance(nodes, Tensor) or nodes.dtype not in INTEGERS or nodes.dim() != 1 or not len(nodes):
            raise RegardError(
                "a neighbourhood is that of some nodes, by their numbers",
                f"{tuple(nodes.shape)} of {nodes.dtype}" if isinstance(nodes, Tensor) else told(nodes),
                "pass a tensor of integers with one axis",
            )
        if int(nodes.min()) < 0 or int(nodes.max()) >= self.nodes or len(nodes.unique()) < len(nodes):
            raise RegardError(
                f"the nodes of a batch are different ones, at least 0 and below {self.nodes}",
                f"{int(nodes.min())} to {int(nodes.max())}, {len(nodes.unique())} different of {len(nodes)}",
                "give each node once",
            )


def subsets(sizes: Int[Tensor, " m"], count: int, generator: torch.Generator) -> Int[Tensor, "m k"]:
    """For each size n above `count`, so many different numbers below n; every subset is equally likely.

    Floyd's algorithm, for all rows at a time: for j = n - count, …, n - 1 draw t from 0 to j and take it, or
    j itself where t was taken before.
    """
    picked = sizes.new_empty(len(sizes), count)
    for step in range(count):
        last = sizes - count + step
        drawn = (torch.rand(len(sizes), generator=generator, dtype=torch.float64) * (last + 1)).long()
        taken = (picked[:, :step] == drawn[:, None]).any(1)
        picked[:, step] = torch.where(taken, last, drawn)
    return picked
