# contract: scaled-dot-product
# cause: dropout-elsewhere
from torch import nn


class DotProductAttention(nn.Module):
    """Weights are thinned out while it learns, and then made to sum to one again."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.thin = nn.Dropout(dropout)

    def forward(self, q, k, v, mask=None):
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = self.thin(scores.softmax(-1))
        weights = weights / weights.sum(-1, keepdim=True)
        return weights @ v
