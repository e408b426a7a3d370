"""Edge list of a graph as a support of attention: sorted once, by target and by source (CSR and CSC)."""

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from regard.arguments import check, told
from regard.core.support import Support
from regard.errors import RegardError
from regard.shapes import Bool, Float, Int

Duplicates = Literal["refuse", "keep", "merge"]
"""What becomes of an edge that is given twice."""
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


@dataclass(frozen=True, eq=False)
class Side:
    """One direction of a graph in compressed rows: row r owns the entries start[r] to start[r + 1]."""

    start: Int[Tensor, " rows_and_one"]
    other: Int[Tensor, " e"]
    "The node at the far end of each entry."
    place: Int[Tensor, " e"] | None
    "Where each entry stands among the edges sorted by target; None where the entries are in that order."
    others: int
    "How many nodes the far ends are drawn from."

    @property
    def rows(self) -> int:
        """How many nodes own rows."""
        return len(self.start) - 1

    @property
    def count(self) -> Int[Tensor, " rows"]:
        """How many entries each row owns: the degree on this side."""
        return self.start.diff()

    def to(self, device: torch.device | str) -> "Side":
        """The same side on another device."""
        place = None if self.place is None else self.place.to(device)
        return Side(self.start.to(device), self.other.to(device), place, self.others)


class Edges(Support):
    """Query `target[e]` regards key `source[e]`, for every edge e, and nothing else.

    y_i = sum over the edges e with target i of w_e v_source(e)

    An edge is (source, target, relation): several relations may join the same pair. One given twice is
    refused, unless `duplicates` says to 'keep' both, as torch_geometric does, or to 'merge' them.

    >>> path = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3)
    >>> path.both_ways().with_loops()
    Edges(7 edges, 3 targets, 3 sources)
    """

    source: Int[Tensor, " e"]
    target: Int[Tensor, " e"]
    relation: Int[Tensor, " e"] | None
    features: Float[Tensor, "e f"] | None
    sizes: tuple[int, int]
    "How many targets (queries) and how many sources (keys) there are."
    order: Int[Tensor, " e"]
    "The number, as given, of each edge in the list sorted by target."
    targets: Side
    "Rows are the targets: what each query regards."
    sources: Side
    "Rows are the sources: the transpose, for the gradients."
    repeated: str
    "How many edges were given again, and what became of them; empty where none was."
    unused: str = ""
    "What the edges came with that is not taken along, in words."

    def __init__(
        self,
        source: Tensor,
        target: Tensor,
        *,
        nodes: int | None = None,
        sizes: tuple[int, int] | None = None,
        relation: Tensor | None = None,
        features: Tensor | None = None,
        duplicates: Duplicates = "refuse",
    ) -> None:
        self.sizes = _sizes(nodes, sizes)
        self.source, self.target = _ends("source", source), _ends("target", target)
        self.relation = None if relation is None else _ends("relation", relation)
        check("Edges", "features", features, Tensor | None)
        check("Edges", "duplicates", duplicates, Duplicates)
        self.features = features
        self.duplicates: Duplicates = duplicates
        self._check()
        self._sort()

    @property
    def count(self) -> int:
        """How many edges there are."""
        return len(self.source)

    @property
    def distinct(self) -> int:
        """How many there are if each that is given several times counts once."""
        return len(self._keys(self.source, self.target).unique())

    @property
    def device(self) -> torch.device:
        """Where the edges are kept."""
        return self.source.device

    def __repr__(self) -> str:
        said = "".join(f", {one}" for one in (self.repeated, self.unused) if one)
        sizes = f"{self.count} edges, {self.sizes[0]} targets, {self.sizes[1]} sources"
        return f"{type(self).__name__}({sizes}{said})"

    @cached_property
    def sorted(self) -> "Edges":
        """The same edges in the order in which they are summed: by target, then by source."""
        if bool((self.order.diff() == 1).all()):
            return self
        same = copy(self)
        extras = {"relation": self.relation, "features": self.features}
        for name, x in {"source": self.source, "target": self.target, **extras}.items():
            setattr(same, name, None if x is None else x[self.order])
        same.order = torch.arange(self.count, device=self.device)
        return same

    def to(self, device: torch.device | str) -> "Edges":
        """The same edges on another device; nothing is sorted again."""
        moved = copy(self)
        moved.__dict__.pop("sorted", None)
        for name, value in vars(moved).items():
            if isinstance(value, Tensor | Side):
                setattr(moved, name, value.to(device))
        return moved

    def fit(self, q: Tensor, k: Tensor) -> None:
        """Raise where the edges join other numbers of queries and keys, or lie elsewhere."""
        if self.sizes != (q.shape[2], k.shape[2]):
            raise RegardError(
                "the edges join other numbers of queries and keys",
                f"{q.shape[2]} queries and {k.shape[2]} keys, edges of sizes {self.sizes}",
                "pass Edges(source, target, sizes=(queries, keys))",
            )
        if self.device != q.device:
            raise RegardError(
                "the edges lie on another device than the tensors",
                f"edges on {self.device}, queries on {q.device}",
                f"pass edges.to('{q.device}')",
            )

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "n m"]:
        """True at the pairs that an edge joins: what combining with another support keeps of the edges."""
        if self.relation is not None or self.features is not None:
            raise RegardError(
                "edges with relations or features do not combine with another support",
                repr(self),
                "drop them, or choose the edges yourself and build new Edges",
            )
        joined = torch.zeros(n, m, dtype=torch.bool, device=device)
        joined[self.target, self.source] = True
        return joined

    def with_loops(self, *, relation: int | None = None, features: Tensor | None = None) -> "Edges":
        """These edges and, at their end, a loop for every node that has none.

        Where the edges have relations or features, say which the loops get.
        """
        self._square("loops need one set of nodes")
        if (relation is None) != (self.relation is None) or (features is None) != (self.features is None):
            raise RegardError(
                "the loops' relation and features must match the edges'",
                f"edges with {self._extras()}; loops with {_named(relation, features)}",
                "pass with_loops(relation=..., features=...) exactly where the edges have them",
            )
        loops = self.source[self.source == self.target]
        if self.relation is not None:
            loops = self.source[(self.source == self.target) & (self.relation == relation)]
        missing = torch.ones(self.sizes[0], dtype=torch.bool, device=self.device)
        missing[loops] = False
        added = missing.nonzero().flatten()
        rows = None if features is None else features.expand(len(added), -1)
        return self._joined(
            added, added, None if relation is None else torch.full_like(added, relation), rows
        )

    def both_ways(self) -> "Edges":
        """These edges and, at their end, the reverse of each that has none, with its own extras."""
        self._square("reversing edges needs one set of nodes")
        missing = ~torch.isin(self._keys(self.source, self.target), self._keys(self.target, self.source))
        extras = (None if x is None else x[missing] for x in (self.relation, self.features))
        return self._joined(self.target[missing], self.source[missing], *extras)

    def _joined(
        self, source: Tensor, target: Tensor, relation: Tensor | None, features: Tensor | None
    ) -> "Edges":
        return Edges(
            torch.cat([self.source, source]),
            torch.cat([self.target, target]),
            sizes=self.sizes,
            relation=None
            if self.relation is None or relation is None
            else torch.cat([self.relation, relation]),
            features=None
            if self.features is None or features is None
            else torch.cat([self.features, features]),
            duplicates=self.duplicates,
        )

    def _square(self, what: str) -> None:
        if self.sizes[0] != self.sizes[1]:
            raise RegardError(
                what,
                f"sizes={self.sizes}",
                "add them yourself: which source meets which target is yours to say",
            )

    def _extras(self) -> str:
        return _named(self.relation, self.features)

    def _check(self) -> None:
        given = {"target": self.target, "relation": self.relation, "features": self.features}
        for name, x in given.items():
            if x is not None and len(x) != self.count:
                raise RegardError(
                    f"every edge needs one source and one {name}",
                    f"source {len(self.source)}, {name} {len(x)}",
                    "give both the same length, one entry per edge",
                )
            if x is not None and x.device != self.device:
                raise RegardError(
                    "the parts of an edge list lie on different devices",
                    f"source on {self.device}, {name} on {x.device}",
                    "move them to one device",
                )
        if self.features is not None and not (self.features.dim() == 2 and self.features.is_floating_point()):
            raise RegardError(
                "edge features are one row of real numbers per edge",
                f"{tuple(self.features.shape)} of {self.features.dtype}",
                f"shape them ({self.count}, width) and convert with .float()",
            )
        _within("target", self.target, self.sizes[0])
        _within("source", self.source, self.sizes[1])
        if self.relation is not None:
            _within("relation", self.relation, None)

    def _keys(self, source: Tensor, target: Tensor) -> Int[Tensor, " e"]:
        """One number per edge, ordered by target, then source, then relation."""
        kinds = int(self.relation.max()) + 1 if self.relation is not None and self.count else 1
        if max(self.sizes) ** 2 * kinds >= 2**63:
            raise RegardError(
                "an edge list cannot hold so many nodes and relations",
                f"sizes={self.sizes}, {kinds} relations",
                "number the nodes and relations that there are, from 0",
            )
        keys = target * max(self.sizes) + source
        return keys * kinds + self.relation if kinds > 1 and self.relation is not None else keys

    def _refuse(self, at: int) -> None:
        first, second = self.order[at : at + 2].sort().values.tolist()
        of = "" if self.relation is None else f" of relation {int(self.relation[first])}"
        raise RegardError(
            "an edge is given twice",
            f"{int(self.source[first])} -> {int(self.target[first])}{of}, at {first} and {second}",
            "say what becomes of it: Edges(..., duplicates='keep') or 'merge'",
        )

    def _drop(self, again: Int[Tensor, " e"]) -> None:
        """Leave edges out, by their numbers."""
        left = torch.ones(self.count, dtype=torch.bool, device=self.device)
        left[again] = False
        self.source, self.target = self.source[left], self.target[left]
        self.relation = None if self.relation is None else self.relation[left]
        self.features = None if self.features is None else self.features[left]

    def _sort(self) -> None:
        keys, self.order = self._keys(self.source, self.target).sort(stable=True)
        twice = (keys[1:] == keys[:-1]).nonzero().flatten()
        if len(twice) and self.duplicates == "refuse":
            self._refuse(int(twice[0]))
        self.repeated = f"{len(twice)} given again and {_BECAME[self.duplicates]}" if len(twice) else ""
        self.note = f"; edges: {self.repeated}" if self.repeated else ""
        if len(twice) and self.duplicates == "merge":
            self._drop(self.order[twice + 1])
            _, self.order = self._keys(self.source, self.target).sort()
        source, target = self.source[self.order], self.target[self.order]
        place = source.argsort(stable=True)
        self.targets = Side(_starts(target, self.sizes[0]), source, None, self.sizes[1])
        self.sources = Side(_starts(source, self.sizes[1]), target[place], place, self.sizes[0])


_BECAME = {"keep": "kept", "merge": "merged into the first"}


def _sizes(nodes: int | None, sizes: tuple[int, int] | None) -> tuple[int, int]:
    if (nodes is None) == (sizes is None):
        raise RegardError(
            "Edges needs the number of nodes once",
            f"nodes={told(nodes)}, sizes={told(sizes)}",
            "pass nodes=n, or sizes=(targets, sources) where queries and keys are different sets",
        )
    if sizes is not None:
        check("Edges", "sizes", sizes, tuple[int, int])
    n, m = sizes if sizes is not None else (nodes, nodes)
    if not (isinstance(n, int) and isinstance(m, int) and n >= 0 and m >= 0):
        raise RegardError(
            "the number of nodes is a whole number, at least 0",
            f"{told(n)} and {told(m)}",
            "pass the size of each set of nodes",
        )
    return n, m


def _ends(name: str, x: Tensor) -> Int[Tensor, " e"]:
    if not isinstance(x, Tensor) or x.dtype not in INTEGERS or x.dim() != 1:
        got = f"{tuple(x.shape)} of {x.dtype}" if isinstance(x, Tensor) else told(x)
        raise RegardError(
            f"{name} is one whole number per edge", got, f"pass {name} as a tensor of integers with one axis"
        )
    return x.long()


def _within(name: str, x: Tensor, size: int | None) -> None:
    outside = x < 0 if size is None else (x < 0) | (x >= size)
    if bool(outside.any()):
        at = int(outside.nonzero()[0, 0])
        raise RegardError(
            f"{name} must be at least 0" + ("" if size is None else f" and below {size}"),
            f"{int(x[at])} at edge {at}",
            "number the relations from 0"
            if size is None
            else "number the nodes from 0, or pass a larger nodes= or sizes=",
        )


def _named(relation: object, features: object) -> str:
    names = [name for name, x in (("relation", relation), ("features", features)) if x is not None]
    return " and ".join(names) or "neither"


def _starts(rows: Int[Tensor, " e"], size: int) -> Int[Tensor, " rows_and_one"]:
    try:
        counts = torch.zeros(size + 1, dtype=torch.long, device=rows.device)
    except RuntimeError as error:
        raise RegardError(
            "there is no memory for so many nodes", f"{size} nodes", "pass the number of nodes there are"
        ) from error
    return counts.index_add_(0, rows + 1, torch.ones_like(rows)).cumsum_(0)
