"""Conventions of graphs that count where they are stated: in words, or by --convention."""

import re

import pytest
import torch
from torch import nn

from regard.checker.contracts.graph.conventions import MEAN, REVERSED
from regard.checker.live import check

REVERSES = [
    ("edges[0] is the node that receives, edges[1] the neighbour it listens to", True),
    ("row 0 targets, row 1 sources", True),
    ("(target, source) pairs", True),
    ("first row: destinations", True),
    ("edge_index[0] are sources and edge_index[1] targets", False),
    ("row 0 sources, row 1 targets; the target gathers from the source", False),
    ("edge_index (2, E): from, to", False),
]
AVERAGES = [
    ("heads are averaged", True),
    ("the mean over all heads", True),
    ("a mean over the neighbours, for each head", False),
    ("heads side by side", False),
]


@pytest.mark.parametrize(("words", "meant"), REVERSES, ids=[w for w, _ in REVERSES])
def test_who_listens_is_read_from_words(words: str, meant: bool) -> None:
    assert bool(re.search(REVERSED, words, re.I)) is meant


@pytest.mark.parametrize(("words", "meant"), AVERAGES, ids=[w for w, _ in AVERAGES])
def test_what_becomes_of_heads_is_read_from_words(words: str, meant: bool) -> None:
    assert bool(re.search(MEAN, words, re.I)) is meant


class GCN(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs))

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        here = torch.arange(len(x))
        rows, columns = edge_index[:, edge_index[0] != edge_index[1]]
        rows, columns = torch.cat([rows, here]), torch.cat([columns, here])
        root = torch.bincount(rows, minlength=len(x)).to(x.dtype).rsqrt()
        h = x @ self.weight
        return torch.zeros_like(h).index_add(0, rows, (root[rows] * root[columns])[:, None] * h[columns])


class Stated(GCN):
    """row 0 targets, row 1 sources"""


@pytest.mark.slow
def test_a_direction_is_a_mistake_until_somebody_states_it() -> None:
    def judged(kind: type, *conventions: str):
        return check(kind, contract="gcn-layer", conventions=conventions).verdicts[0]

    assert judged(GCN).slugs == ("direction-reversed",)
    for verdict in (judged(Stated), judged(GCN, "edges=reversed")):
        assert verdict.state == "correct", verdict.sentence
        assert [f.slug for f in verdict.findings if f.kind == "convention"] == ["edges-reversed"]
