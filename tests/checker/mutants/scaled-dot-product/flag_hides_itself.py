# contract: scaled-dot-product
# cause: unknown
import math
import torch


def sdp_attention(q, k, v, mask=None, causal=False):
    """mask True = visible. causal=True additionally hides the future."""
    n, m = q.size(-2), k.size(-2)
    s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
    if causal:
        s = s.masked_fill(torch.ones(n, m, dtype=torch.bool, device=q.device).triu(0), -math.inf)
    if mask is not None:
        s = s.masked_fill(~mask, -math.inf)
    return s.softmax(-1) @ v
