"""CSR file of a graph: compressed rows that are mapped into memory, so that a graph may be larger than it.

A page of JSON of 4,096 bytes (version, sizes, a checksum of itself and of each section), then three sections:
where the row of each target starts (int64), how many edges leave each node (int64), and the sources of all
edges by target, then by source (int32, or int64 from 2³¹ nodes on). All little-endian.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor

from regard.arguments import kinds
from regard.errors import RegardError
from regard.files import Damaged, Format, explained
from regard.shapes import Int

HEAD = 4096
"Bytes of the page before the sections."
PAGE = Format("graph file", 1, "make it again with this version", fields=("nodes", "edges", "ends", "sha256"))
SECTIONS = ("start", "out_of", "other")
BLOCK = 1 << 24
"Bytes that are read at a time."


@dataclass(frozen=True, eq=False)
class GraphRows:
    """The rows of a graph in a file: the edges to node i come from other[start[i]:start[i + 1]]."""

    path: Path
    start: Int[Tensor, " n_and_one"]
    "Where the row of each target begins among the edges."
    out_of: Int[Tensor, " n"]
    "How many edges leave each node."
    other: Int[Tensor, " e"]
    "The source of each edge, sorted by target, then by source."
    checksums: Mapping[str, str]

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.out_of)

    @property
    def count(self) -> int:
        """How many edges there are."""
        return len(self.other)

    def __repr__(self) -> str:
        return f"GraphRows({self.count} edges, {self.nodes} nodes, {self.path.name})"

    def verify(self) -> None:
        """Read the whole file and hold every section against its checksum."""
        for name, (offset, size, _) in _places(self.nodes, self.count, _ends(self.nodes)).items():
            if _digest(self.path, offset, size) != self.checksums[name]:
                raise _damaged(self.path, f"the section '{name}' is not what was written")


@kinds
def open_graph(path: Path | str) -> GraphRows:
    """The graph of a CSR file, mapped into memory: nothing but its first page is read now.

    >>> import tempfile
    >>> from regard.data.formats.external_sort import write_graph
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "path.txt").write_text("0 1\\n1 2\\n")
    >>> open_graph(write_graph(folder / "path.txt", folder / "path.csr", both_ways=True)).start
    tensor([0, 1, 3, 4])
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            text = file.read(HEAD)
        size = path.stat().st_size
    except OSError as error:
        raise RegardError(
            "the graph file cannot be read",
            f"{path}: {error.strerror}",
            "name a file that write_graph, or 'regard data --graph', has made",
        ) from error
    try:
        head = PAGE.parsed(text.rstrip(b" \n"), path)
        nodes, edges = head["nodes"], head["edges"]
        if not all(type(one) is int and one >= 0 for one in (nodes, edges)) or head["ends"] != _ends(nodes):
            raise Damaged(f"{path.name} has sizes that cannot be")
        places = _places(nodes, edges, _ends(nodes))
        wanted = max(offset + length for offset, length, _ in places.values())
        if size != wanted:
            raise Damaged(f"{path.name} has {size:,} bytes, not {wanted:,}")
    except Damaged as error:
        raise _damaged(path, str(error)) from error
    return GraphRows(
        path, **{name: _mapped(path, *place) for name, place in places.items()}, checksums=head["sha256"]
    )


def write_head(path: Path, nodes: int, edges: int) -> None:
    """Write the page of a file whose sections are there, with their checksums."""
    places = _places(nodes, edges, _ends(nodes))
    body = {
        "nodes": nodes,
        "edges": edges,
        "ends": _ends(nodes),
        "sha256": {name: _digest(path, offset, size) for name, (offset, size, _) in places.items()},
    }
    with explained(path), open(path, "r+b") as file:
        file.write(PAGE.page(body).encode().ljust(HEAD - 1) + b"\n")


def offsets(nodes: int) -> dict[str, int]:
    """Where each section begins."""
    return {name: place[0] for name, place in _places(nodes, 0, _ends(nodes)).items()}


def ends_type(nodes: int) -> numpy.dtype[Any]:
    """The type of a node's number in a file of so many nodes."""
    return numpy.dtype(_ends(nodes)).newbyteorder("<")


def _ends(nodes: int) -> str:
    return "int32" if nodes < 2**31 else "int64"


def _places(nodes: int, edges: int, ends: str) -> dict[str, tuple[int, int, str]]:
    """Offset, bytes and type of each section."""
    start, out_of = HEAD, HEAD + 8 * (nodes + 1)
    return {
        "start": (start, 8 * (nodes + 1), "int64"),
        "out_of": (out_of, 8 * nodes, "int64"),
        "other": (out_of + 8 * nodes, numpy.dtype(ends).itemsize * edges, ends),
    }


def _mapped(path: Path, offset: int, size: int, kind: str) -> Tensor:
    """A section as a tensor whose pages are read when needed; what is written to it stays in memory."""
    if not size:
        return torch.empty(0, dtype=getattr(torch, kind))
    return torch.from_numpy(
        numpy.memmap(path, dtype=kind, mode="c", offset=offset, shape=size // numpy.dtype(kind).itemsize)
    )


def _digest(path: Path, offset: int, size: int) -> str:
    digest = sha256()
    with open(path, "rb", buffering=0) as file:
        file.seek(offset)
        while size > 0 and (block := file.read(min(BLOCK, size))):
            digest.update(block)
            size -= len(block)
    return digest.hexdigest()


def _damaged(path: Path, got: str) -> RegardError:
    return RegardError(
        "the graph file is damaged, or is none", f"{path}: {got}", "make it again with write_graph"
    )
