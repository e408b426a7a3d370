# contract: scaled-dot-product
from math import sqrt

import torch
from torch import Tensor


def _row(query: Tensor, keys: Tensor, values: Tensor, visible: Tensor | None) -> Tensor:
    score = (keys * query.unsqueeze(-2)).sum(-1) / sqrt(query.shape[-1])
    if visible is not None:
        score = score + torch.zeros_like(score).masked_fill(visible.logical_not(), float("-inf"))
    score = score - score.max(-1, keepdim=True).values
    weight = torch.exp(score)
    weight = weight / weight.sum(-1, keepdim=True)
    return (weight.unsqueeze(-1) * values).sum(-2)


def scaled_dot_product(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    rows = []
    for i in range(query.shape[-2]):
        visible = None
        if mask is not None:
            visible = mask[..., i if mask.shape[-2] > 1 else 0, :]
        rows.append(_row(query[..., i, :], key, value, visible))
    return torch.stack(rows, dim=-2)
