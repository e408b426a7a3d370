# contract: scaled-dot-product
import torch
import torch.nn as nn


class DotProductAttention(nn.Module):
    """Both sides get d ** -1/4, which keeps half precision from overflowing."""

    def forward(self, query, key, value, mask=None):
        root = query.size(-1) ** 0.25
        logits = (query / root) @ (key / root).transpose(-2, -1)
        if mask is not None:
            bias = torch.zeros(mask.shape, dtype=logits.dtype, device=logits.device)
            logits = logits + bias.masked_fill(mask.logical_not(), -1e30)
        return logits.log_softmax(-1).exp() @ value
