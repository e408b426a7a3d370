"""External counting sort: an edge list of any length becomes a CSR file in a constant amount of memory.

Edges are counted by ranges of targets; they are dealt to buckets, files of consecutive ranges that fit the
memory; each bucket is sorted by itself and its rows are written on. Only a range of 2⁻¹⁶ of all
nodes is never divided: one that holds more edges than a bucket should makes a bucket of its own.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy

from regard.arguments import kinds
from regard.data.formats.csr import ends_type, offsets, write_head
from regard.data.formats.edge_stream import EDGES, stream
from regard.errors import RegardError
from regard.files import explained

Array = numpy.ndarray
BUCKET = 1 << 22
"Edges that are sorted at a time; each takes 8 bytes, and as many again twice."
RANGES = 1 << 16
COUNTERS = 1 << 24
"Nodes whose outgoing edges are counted at a time."
SPARSE = 64
"Nodes there may be for each edge, and a million more: else their numbers are no numbers from 0."


@kinds
def write_graph(
    edges: Path | str,
    out: Path | str,
    *,
    nodes: int | None = None,
    both_ways: bool = False,
    loops: bool = False,
    merge: bool = False,
) -> Path:
    """Sort an edge list (text of two columns, also .gz, or .npy) into a CSR file that `open_graph` maps.

    `both_ways` takes every edge in both directions, `loops` gives every node one loop whatever loops there
    were, `merge` keeps one of equal edges. It takes 24 bytes of disk for each edge meanwhile.
    """
    edges, out = Path(edges), Path(out)
    if not out.parent.is_dir():
        raise RegardError("there is no such folder", str(out.parent), "make it first")
    with explained(out), tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as folder:
        draft, spool, largest, count = Path(folder) / "graph", Path(folder) / "edges", -1, 0
        with open(spool, "wb") as file:
            for block in stream(edges):
                largest, count = max(largest, int(block.max(initial=-1))), count + len(block)
                file.write(block.tobytes())
        total = largest + 1 if nodes is None else nodes
        _require_sizes(edges, largest, count, total)
        sort = _Sort(spool, total, Path(folder), both_ways=both_ways, loops=loops, merge=merge)
        written = sort.write(draft)
        _count_sources(draft, total, written)
        write_head(draft, total, written)
        draft.replace(out)
    return out


def _require_sizes(edges: Path, largest: int, count: int, total: int) -> None:
    if largest >= total:
        raise RegardError(
            f"node numbers are at least 0 and below {total}",
            f"{largest} in {edges.name}",
            "leave nodes= out, or give as many as there are",
        )
    if total > SPARSE * count + 10**6:
        raise RegardError(
            "nodes are numbered from 0 without large gaps",
            f"{count:,} edges whose largest node is {largest:,} of {total:,}",
            "number the nodes that there are, from 0",
        )


@dataclass
class _Sort:
    """One sort: where the edges are, how many nodes there are, and what becomes of loops and equal edges."""

    spool: Path
    "The edges as pairs of int64: text is read once."
    nodes: int
    folder: Path
    both_ways: bool
    loops: bool
    merge: bool

    def write(self, draft: Path) -> int:
        """Write the sections `start` and `other`; gives the number of edges."""
        bounds = self._bounds()
        self._deal(bounds)
        places, kind, written = offsets(self.nodes), ends_type(self.nodes), 0
        draft.touch()
        with open(draft, "r+b") as starts, open(draft, "r+b") as others:
            starts.seek(places["start"])
            starts.write(numpy.zeros(1, "<i8").tobytes())
            others.seek(places["other"])
            for number, (low, high) in enumerate(pairwise(bounds)):
                target, source = self._sorted(number, int(low), int(high))
                rows = numpy.bincount(target - low, minlength=high - low).cumsum() + written
                starts.write(rows.astype("<i8").tobytes())
                others.write(source.astype(kind).tobytes())
                written += len(source)
            others.truncate(places["other"] + kind.itemsize * written)
        return written

    def _blocks(self) -> Iterator[tuple[Array, Array]]:
        with open(self.spool, "rb") as file:
            while len(block := numpy.fromfile(file, numpy.int64, 2 * EDGES)):
                yield block[::2], block[1::2]

    def _keys(self) -> Iterator[Array]:
        """The edges as numbers target · nodes + source, block by block."""
        for source, target in self._blocks():
            if self.loops:
                source, target = source[source != target], target[source != target]
            yield target * self.nodes + source
            if self.both_ways:
                apart = source != target
                yield source[apart] * self.nodes + target[apart]

    def _bounds(self) -> Array:
        """The nodes at which buckets end: as few as there can be of consecutive ranges."""
        width = max(1, -(-self.nodes // RANGES))
        counts = numpy.zeros(-(-self.nodes // width) if self.nodes else 1, numpy.int64)
        for keys in self._keys():
            counts += numpy.bincount(keys // (self.nodes * width), minlength=len(counts))
        if self.loops:
            counts += width
        bounds, held = [0], 0
        for place, more in enumerate(counts):
            # Rows of many nodes without edges take memory too.
            if place and (held + more > BUCKET or (place * width - bounds[-1]) >= BUCKET):
                bounds.append(place * width)
                held = 0
            held += int(more)
        return numpy.array([*bounds, self.nodes], numpy.int64)

    def _deal(self, bounds: Array) -> None:
        """Write each edge to the file of its bucket."""
        for keys in self._keys():
            keys.sort()
            cuts = numpy.searchsorted(keys, bounds[1:-1] * self.nodes)
            for number, part in enumerate(numpy.split(keys, cuts)):
                if len(part):
                    with open(self.folder / str(number), "ab") as file:
                        file.write(part.tobytes())

    def _sorted(self, number: int, low: int, high: int) -> tuple[Array, Array]:
        """The targets and sources of a bucket, in order."""
        file = self.folder / str(number)
        keys = numpy.fromfile(file, numpy.int64) if file.exists() else numpy.empty(0, numpy.int64)
        file.unlink(missing_ok=True)
        if self.loops:
            keys = numpy.concatenate([keys, numpy.arange(low, high) * (self.nodes + 1)])
        keys.sort()
        if self.merge and len(keys):
            keys = keys[numpy.concatenate([[True], keys[1:] != keys[:-1]])]
        return keys // max(1, self.nodes), keys % max(1, self.nodes)


def _count_sources(draft: Path, nodes: int, edges: int) -> None:
    """Write the section `out_of`: read the sources as often as it takes to count them in parts."""
    places, kind = offsets(nodes), ends_type(nodes)
    with open(draft, "r+b") as file:
        for low in range(0, nodes, COUNTERS):
            counts = numpy.zeros(min(COUNTERS, nodes - low), numpy.int64)
            file.seek(places["other"])
            for first in range(0, edges, BUCKET):
                part = numpy.fromfile(file, kind, min(BUCKET, edges - first)).astype(numpy.int64) - low
                inside = part if nodes <= COUNTERS else part[(part >= 0) & (part < len(counts))]
                numpy.add.at(counts, inside, 1)
            file.seek(places["out_of"] + 8 * low)
            file.write(counts.astype("<i8").tobytes())
