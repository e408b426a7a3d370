# contract: scaled-dot-product
from typing import Optional
import torch

@torch.jit.script
def scripted_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Optional[torch.Tensor] = None) -> torch.Tensor:
    scores = torch.matmul(q, k.transpose(-2, -1)) / float(q.size(-1)) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return torch.matmul(torch.softmax(scores, -1), v)
