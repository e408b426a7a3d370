"""Relational attention with matrices, by hand."""

from math import exp

import pytest
import torch

from regard.core.edges import Edges
from regard.experiments.graphs.composers.formula import dense_attention
from regard.models.graph.relational import RelationalAttention


def test_two_relations_by_hand() -> None:
    """Node 0 hears nodes 1 and 2 by the first relation, node 1 alone by the second; the others hear nobody."""
    edges = Edges(torch.tensor([1, 2, 1]), torch.tensor([0, 0, 0]), nodes=3, relation=torch.tensor([0, 0, 1]))
    layer = RelationalAttention(1, 1, relations=2, heads=1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 10.0]]))
        layer.own.fill_(100.0)
        layer.bias.fill_(7.0)
        layer.similarity.target.fill_(0.5)
        layer.similarity.source.fill_(1.0)
        y = dense_attention(layer, torch.tensor([[1.0], [2.0], [-3.0]]), edges)
    # Scores of the first relation: 0.5 + 2, and 0.5 - 3 with the slope 0.2 of what is negative.
    first = exp(2.5) / (exp(2.5) + exp(-0.5))
    assert y[:, 0].tolist() == pytest.approx([107 + first * 2 - (1 - first) * 3 + 20, 207, -293], rel=1e-5)
