# contract: scaled-dot-product
import torch


class AttentionCore(torch.nn.Module):
    """The root of the width comes from whoever calls."""

    def forward(self, q, k, v, scaling_factor, mask=None):
        scores = torch.einsum("...nd,...md->...nm", q, k) / scaling_factor
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return scores.softmax(-1) @ v
