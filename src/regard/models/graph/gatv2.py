"""The score of GATv2, whose order of neighbours can depend on who looks (Brody, Alon and Yahav, 2022)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check_sizes, kinds
from regard.core.edges import Edges
from regard.core.similarity import Similarity, check_finite, fit_vectors, given
from regard.shapes import Float


class GATv2Score(nn.Module, Similarity):
    """both · LeakyReLU( q_i + k_j + relation_r + feature f_ij ): the score of a GATv2 layer.

    In `Additive` the LeakyReLU comes last, so that every query ranks the keys alike; here it comes between
    the sum and the inner product, and each query can rank them its own way. The price is a vector per edge.

    >>> similarity = GATv2Score(heads=2, width=3)
    >>> similarity.dense(torch.zeros(1, 2, 4, 3), torch.zeros(1, 2, 5, 3)).shape
    torch.Size([1, 2, 4, 5])
    """

    @kinds
    def __init__(
        self, heads: int, width: int, *, slope: float = 0.2, relations: int = 0, features: int = 0
    ) -> None:
        super().__init__()
        check_sizes("GATv2Score", heads=heads, width=width)
        check_sizes("GATv2Score", least=0, relations=relations, features=features)
        check_finite("GATv2Score", "slope", slope)
        self.slope = slope
        self.both = nn.Parameter(torch.empty(heads, width))
        self.relation = nn.Parameter(torch.zeros(relations, heads, width)) if relations else None
        self.feature = nn.Parameter(torch.empty(features, heads * width)) if features else None
        for parameter in (self.both, self.feature):
            if parameter is not None:
                nn.init.xavier_uniform_(parameter)

    def fit(self, q: Tensor, k: Tensor) -> None:
        """Raise where heads or width differ from the parameters."""
        fit_vectors("GATv2Score", self.both, q)

    def score(self, x: Float[Tensor, "b h *pairs d"]) -> Float[Tensor, "b h *pairs"]:
        """The inner product with LeakyReLU of what a pair adds up to."""
        return torch.einsum("bh...d,hd->bh...", F.leaky_relu(x, self.slope), self.both.to(x))

    def dense(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"]) -> Float[Tensor, "b h n m"]:
        """Score of every query with every key; relations and features live on edges alone."""
        return self.score(q.unsqueeze(3) + k.unsqueeze(2))

    def pairs(
        self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b h m d"], edges: Edges
    ) -> Float[Tensor, "b h e"]:
        x = q[:, :, edges.target] + k[:, :, edges.source]
        if self.relation is not None:
            x = x + self.relation[given(edges.relation, "relation", "GATv2Score")].transpose(0, 1).to(x)
        if self.feature is not None:
            added = given(edges.features, "features", "GATv2Score").to(x) @ self.feature.to(x)
            x = x + added.view(edges.count, *self.both.shape).transpose(0, 1)
        return self.score(x)
