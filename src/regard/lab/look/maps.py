"""Attention maps: the weights of every layer and head, with the names of what looks and is looked at."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import torch
from torch import Tensor

from regard.core.edges import Edges
from regard.errors import RegardError
from regard.shapes import Float

Maps = TypeVar("Maps", bound="AttentionMaps")
FINEST = 512
"Cells to a side beyond which a map is drawn coarser: the largest weight of each block stands for it."


@dataclass(frozen=True, eq=False)
class AttentionLayer:
    """The weights of one layer, by head, and how they came to be known."""

    name: str
    "The module that attended, by its dotted name."
    weights: Float[Tensor, "..."]
    "(b h n m), or (b h e) beside `edges`."
    how: str
    "Who computed them."
    edges: Edges | None = None
    "Whom the weights (b h e) join; None where every query has a weight for every key."

    @property
    def heads(self) -> int:
        """How many heads there are."""
        return self.weights.shape[1]

    def matrix(self, row: int = 0) -> Float[Tensor, "h n m"]:
        """The weights of one sample, query by key; edges that are given twice are added up.

        >>> ring = Edges(torch.tensor([1, 0]), torch.tensor([0, 1]), nodes=2)
        >>> AttentionLayer("", torch.tensor([[[0.25, 1.0]]]), "", ring).matrix()
        tensor([[[0.0000, 0.2500],
                 [1.0000, 0.0000]]])
        """
        weights = self.weights[row]
        if self.edges is None:
            return weights
        n, m = self.edges.sizes
        blocks = max(1, -(-max(n, m) // FINEST))
        at = (self.edges.target // blocks) * -(-m // blocks) + self.edges.source // blocks
        flat = weights.new_zeros(self.heads, -(-n // blocks) * -(-m // blocks))
        if blocks == 1:
            return flat.index_add(1, at, weights).view(self.heads, n, m)
        flat = flat.scatter_reduce(1, at.expand_as(weights), weights, "amax")
        return flat.view(self.heads, -(-n // blocks), -1)


@dataclass(frozen=True, eq=False)
class AttentionMaps:
    """Layers, labels, and which of them are shown."""

    layers: tuple[AttentionLayer, ...]
    "One for each call, in the order of the calls."
    labels: tuple[str, ...]
    "The tokens, patches or nodes, one for each key; empty where nobody named them."
    notes: tuple[str, ...] = ()
    "What was fed, and whatever else should be known."
    row: int = 0
    "Which sample of the batch is shown."
    shown: tuple[int, ...] | None = None
    "The heads that are shown; all of them when None."
    numbers: tuple[int, ...] = ()
    "The numbers of the layers; counted from 0 where none are given."
    grid: tuple[int, int] | None = None
    "Rows and columns of patches, where the model looks at a picture."
    picture: Float[Tensor, "c y x"] | None = field(default=None, repr=False)
    "That picture."
    of: str = ""
    "Whose maps they are, and what it was fed; empty where nobody said."

    def __repr__(self) -> str:
        return f"Attention({self.told})"

    @property
    def told(self) -> str:
        """How many layers, heads and labels there are."""
        sizes = " + ".join(str(layer.heads) for layer in self.layers)
        counts = {"layer": str(len(self.layers)), "head": sizes}
        counts |= {"label": str(len(self.labels))} if self.labels else {}
        said = [f"{count} {word}{'' if count == '1' else 's'}" for word, count in counts.items()]
        return ", ".join([*said, *([f"{self.grid[0]} by {self.grid[1]} patches"] if self.grid else [])])

    @property
    def said(self) -> tuple[str, ...]:
        """The notes, and what small numbers in the labels mean where there are some."""
        pairs = pairwise(self.labels)
        part = next((a[:-1] for a, b in pairs if a.endswith("₁") and b == f"{a[:-1]}₂"), None)
        if part is None:
            return self.notes
        return (
            *self.notes,
            f"{part}₁ and {part}₂ are tokens that make '{part}' together: a small number counts them",
        )

    @property
    def weights(self) -> list[Float[Tensor, "..."]]:
        """The weights of each layer: (b h n m), or (b h e) over edges."""
        return [layer.weights for layer in self.layers]

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """The numbers of the heads that are shown."""
        return tuple(range(max(layer.heads for layer in self.layers))) if self.shown is None else self.shown

    def number(self, place: int) -> int:
        """The number of the layer at a place."""
        return self.numbers[place] if self.numbers else place

    def choose(
        self: Maps, *, layer: int | None = None, head: int | None = None, row: int | None = None
    ) -> Maps:
        """The same with one layer, one head or one sample of the batch alone."""
        one = self
        if layer is not None:
            _within("layer", layer, len(self.layers))
            one = replace(one, layers=(self.layers[layer],), numbers=(self.number(layer),))
        if head is not None:
            _within("head", head, min(each.heads for each in one.layers))
            one = replace(one, shown=(head,))
        if row is not None:
            _within("sample", row, min(len(each.weights) for each in one.layers))
            one = replace(one, row=row)
        return one

    def named(self, count: int) -> tuple[str, ...]:
        """The labels of so many places; their numbers where the labels are of something else."""
        return self.labels if len(self.labels) == count else tuple(map(str, range(count)))


def coarse(map: Float[Tensor, "n m"], most: int) -> Float[Tensor, "a b"]:
    """The map in at most so many cells to a side, each the largest of its block.

    >>> coarse(torch.tensor([[0.1, 0.9, 0.2], [0.3, 0.4, 0.5]]), 2)
    tensor([[0.9000, 0.5000]])
    """
    step = -(-max(map.shape) // most)
    if step == 1:
        return map
    return torch.nn.functional.max_pool2d(map[None].float(), step, ceil_mode=True)[0]


def _within(what: str, number: object, count: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < count:
        raise RegardError(f"no {what} of that number", f"{number!r}", f"they are numbered 0 to {count - 1}")
