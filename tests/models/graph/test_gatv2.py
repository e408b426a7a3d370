"""GATv2's score: equal to its formula in a loop, and able to rank keys differently for different queries."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.similarity import Additive
from regard.errors import RegardError
from regard.models.graph.gatv2 import GATv2Score


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.double, generator=torch.Generator().manual_seed(seed))


def similarity(**options) -> GATv2Score:
    torch.manual_seed(3)
    made = GATv2Score(2, 3, **options).double()
    for parameter in made.parameters():
        nn.init.normal_(parameter)
    return made


EDGES = Edges(
    torch.tensor([4, 0, 1, 0]),
    torch.tensor([2, 2, 6, 2]),
    sizes=(7, 5),
    relation=torch.tensor([0, 0, 1, 1]),
    features=drawn(4, 5, seed=9),
)


@torch.no_grad()
def test_the_score_is_its_formula():
    made, q, k = similarity(relations=2, features=5), drawn(1, 2, 7, 3), drawn(1, 2, 5, 3, seed=1)
    found = made.pairs(q, k, EDGES)
    for e, (i, j, r) in enumerate(
        zip(*(x.tolist() for x in (EDGES.target, EDGES.source, EDGES.relation)), strict=True)
    ):
        for head in range(2):
            feature = (EDGES.features[e] @ made.feature).view(2, 3)[head]
            inside = q[0, head, i] + k[0, head, j] + made.relation[r, head] + feature
            expected = sum(float(made.both[head, c]) * float(F.leaky_relu(inside[c], 0.2)) for c in range(3))
            assert abs(float(found[0, head, e]) - expected) < 1e-12


def test_every_pair_is_scored_alike_in_a_mask_and_on_edges():
    made, q, k = similarity(), drawn(1, 2, 7, 3), drawn(1, 2, 5, 3, seed=1)
    every = torch.arange(35)
    scores = made.pairs(q, k, Edges(every % 5, every // 5, sizes=(7, 5)))
    assert torch.allclose(made.dense(q, k).flatten(2), scores, atol=1e-12)


@pytest.mark.slow
def test_gradients_are_those_of_differences():
    made, q, k = similarity(), drawn(1, 2, 7, 3).requires_grad_(), drawn(1, 2, 5, 3, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(
        lambda q, k: attend(q, k, k, similarity=made, support=EDGES).output, (q, k)
    )


def test_queries_can_disagree_on_the_best_key_which_additive_scores_cannot():
    """With q and k on a line and both = ±1 query 0 prefers the one key and query 1 the other."""
    q, k = (
        torch.tensor([[1.0, 0.0], [0.0, 1.0]])[None, None] * 5,
        torch.tensor([[2.0, -2.0], [-2.0, 2.0]])[None, None],
    )
    dynamic = GATv2Score(1, 2)
    nn.init.ones_(dynamic.both)
    assert dynamic.dense(q - 5, k)[0, 0].argmax(-1).tolist() == [0, 1]
    for seed in range(20):
        torch.manual_seed(seed)
        assert len(set(Additive(1, 2).dense(q - 5, k)[0, 0].argmax(-1).tolist())) == 1


def message(made: GATv2Score, q: torch.Tensor, edges: Edges) -> str:
    with pytest.raises(RegardError) as error:
        attend(q, q, q, similarity=made, support=edges)
    return str(error.value)


def test_what_does_not_fit_is_told():
    loop = Edges(torch.tensor([0]), torch.tensor([0]), nodes=1)
    assert message(GATv2Score(2, 3), torch.ones(1, 2, 1, 4), loop) == (
        "GATv2Score was built for other heads or another width\n"
        "  got: 2 heads of width 4, built for 2 of width 3\n"
        "  fix: GATv2Score(heads=2, width=4)"
    )
    for name, options in {"relation": {"relations": 2}, "features": {"features": 2}}.items():
        assert message(GATv2Score(1, 1, **options), torch.ones(1, 1, 1, 1), loop) == (
            f"GATv2Score has a term for the edges' {name}, and the edges have none\n"
            f"  got: Edges without {name}\n"
            f"  fix: pass Edges(source, target, {name}=...), or build GATv2Score without it"
        )
