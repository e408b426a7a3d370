# contract: scaled-dot-product
import math

import torch


def attention(q, k, v, mask=None):
    """The weights as exp(score - logsumexp of the scores)."""
    scores = torch.einsum("...id,...jd->...ij", q, k).div(math.sqrt(k.shape[-1]))
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    log_weights = scores - torch.logsumexp(scores, dim=-1, keepdim=True)
    return torch.einsum("...ij,...jc->...ic", log_weights.exp(), v)
