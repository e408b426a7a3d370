"""Sparse features, such as bags of words: kept, dropped and multiplied entry by entry."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from regard.arguments import told
from regard.core.backends.edges.autograd import Weighted
from regard.core.edges import Edges
from regard.errors import RegardError
from regard.shapes import Float


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """One row of features per node of which only the entries are kept: a matrix for `@` and for dropout.

    A row and a word it holds are the two ends of an edge, so that X @ W is a weighted sum over edges and its
    gradient the sum over their transpose. Dropout draws for the entries alone, as zeros stay what they are.

    >>> x = SparseFeatures.of(torch.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]))
    >>> x @ torch.tensor([[10.0], [100.0], [1000.0]])
    tensor([[ 200.],
            [3010.]])
    """

    cells: Edges
    "Row `target` holds word `source`."
    values: Float[Tensor, " e"]
    "The entries, by row and then by word."

    @classmethod
    def of(cls, x: Tensor) -> "SparseFeatures":
        """The entries of a matrix of features, dense or sparse, that are not zero."""
        if not isinstance(x, Tensor) or x.dim() != 2 or not x.is_floating_point():
            raise RegardError(
                "features are one row of real numbers per node",
                f"{tuple(x.shape)} of {x.dtype}" if isinstance(x, Tensor) else told(x),
                "shape them (nodes, features) and convert with .float()",
            )
        x = (x if x.layout is torch.strided else x.to_dense()).detach()
        rows, words = x.nonzero(as_tuple=True)
        return cls(Edges(words, rows, sizes=(x.shape[0], x.shape[1])), x[rows, words])

    @classmethod
    def joined(cls, bags: "Sequence[SparseFeatures]") -> "SparseFeatures":
        """The rows of several, one below the other."""
        words, lengths = max(one.shape[1] for one in bags), [len(one) for one in bags]
        starts = torch.tensor([0, *lengths]).cumsum(0).tolist()
        rows = torch.cat([one.cells.sorted.target + start for one, start in zip(bags, starts, strict=False)])
        source = torch.cat([one.cells.sorted.source for one in bags])
        return cls(Edges(source, rows, sizes=(starts[-1], words)), torch.cat([one.values for one in bags]))

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows there are, and how many words."""
        return self.cells.sizes

    @property
    def device(self) -> torch.device:
        """Where the entries are kept."""
        return self.values.device

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"SparseFeatures({self.cells.count} entries in {self.shape[0]} rows of {self.shape[1]})"

    def __matmul__(self, weight: Float[Tensor, "words c"]) -> Float[Tensor, "n c"]:
        """X W: for every row the sum of its words' rows of W, each times its entry."""
        values = self.values.to(weight.dtype)
        return Weighted.apply(self.cells, values[None, None], weight[None, None])[0, 0]

    def dropped(self, share: float) -> "SparseFeatures":
        """The features after dropout: entries are zero with probability `share`, the others grow to match."""
        return replace(self, values=dropped(self.values, share))

    def dense(self) -> Float[Tensor, "n words"]:
        """The whole matrix."""
        cells = self.cells.sorted
        return self.values.new_zeros(self.shape).index_put((cells.target, cells.source), self.values)

    def to(self, device: torch.device | str) -> "SparseFeatures":
        """The same features on another device."""
        return SparseFeatures(self.cells.to(device), self.values.to(device))


Features = Tensor | SparseFeatures
"""What layers over graphs take: a dense matrix with one row per node, or bags."""


def drop(x: Features, share: float, training: bool) -> Features:
    """The features after dropout, if the layer is being trained."""
    if not training or share == 0.0:
        return x
    return x.dropped(share) if isinstance(x, SparseFeatures) else dropped(x, share)


def dropped(x: Float[Tensor, "*axes"], share: float) -> Float[Tensor, "*axes"]:
    """The numbers after dropout: zero with probability `share`, else divided by the probability to stay.

    Sixteen random bits decide on each, so that `share` is rounded to a multiple of 2⁻¹⁶; torch's own dropout
    draws a real number for each and takes several times as long.
    """
    if not 0.0 <= share < 1.0:
        raise RegardError("dropout is the share of numbers that is dropped", f"{share}", "0 <= dropout < 1")
    level = round(share * 2**16)
    draws = torch.empty(-(-x.numel() // 4), dtype=torch.int64, device=x.device).random_(-(2**63), None)
    stays = draws.view(torch.int16)[: x.numel()].view(x.shape) >= level - 2**15
    return x * stays.to(x.dtype).mul_(2**16 / (2**16 - level))
