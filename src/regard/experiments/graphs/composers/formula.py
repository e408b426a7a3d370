"""Relational graph attention with whole matrices: what the layer is held against."""

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.edges import Edges
from regard.models.graph.relational import RelationalAttention
from regard.shapes import Float


def dense_attention(
    layer: RelationalAttention, x: Float[Tensor, "n f"], edges: Edges
) -> Float[Tensor, "n c"]:
    """B x + bias + for each relation its softmax over neighbours of LeakyReLU(a · W x_i + a' · W x_j), times W x."""
    assert edges.relation is not None, "relational attention needs relations"
    y = x @ layer.own + layer.bias
    for relation, weight in enumerate(layer.weight.chunk(layer.relations, 1)):
        joined = torch.zeros(len(x), len(x), dtype=torch.bool)
        of_kind = edges.relation == relation
        joined[edges.target[of_kind], edges.source[of_kind]] = True
        heads = []
        for h, own, other in zip(
            (x @ weight).chunk(layer.heads, 1), layer.similarity.target, layer.similarity.source, strict=True
        ):
            scores = F.leaky_relu((h @ own)[:, None] + (h @ other)[None, :], layer.similarity.slope)
            shares = scores.masked_fill(~joined, float("-inf")).softmax(1).nan_to_num(0.0)
            heads.append(shares @ h)
        y = y + torch.cat(heads, 1)
    return y
