"""The sums with torch alone: equal to dense matrices, with and without torch's sampled product."""

import pytest
import torch

from regard.core.backends.edges import torch_sums as eager
from regard.core.edges import Edges

EDGES = Edges(torch.tensor([4, 0, 3, 1, 2, 0]), torch.tensor([1, 1, 0, 2, 0, 2]), sizes=(3, 5))


def dense(weights: torch.Tensor) -> torch.Tensor:
    """The weights of the sorted edges as a matrix of targets and sources."""
    matrix = weights.new_zeros(*weights.shape[:2], 3, 5)
    matrix[:, :, EDGES.sorted.target, EDGES.sorted.source] = weights
    return matrix


def rand(*shape: int) -> torch.Tensor:
    return torch.rand(2, 3, *shape, dtype=torch.double, generator=torch.Generator().manual_seed(sum(shape)))


def test_weighted_sums_are_products_with_the_matrix_and_its_transpose() -> None:
    weights, there, back = rand(6), rand(5, 7), rand(3, 7)
    torch.testing.assert_close(eager.sum_weighted(EDGES.targets, weights, there), dense(weights) @ there)
    torch.testing.assert_close(eager.sum_weighted(EDGES.sources, weights, back), dense(weights).mT @ back)


def test_scaled_sums_are_products_with_scaled_ones() -> None:
    outer, inner, values = rand(3)[0, 0], rand(5)[0, 0], rand(5, 7)
    matrix = outer.unsqueeze(1) * dense(torch.ones_like(rand(6))) * inner
    torch.testing.assert_close(eager.sum_scaled(EDGES.targets, outer, inner, values), matrix @ values)


def test_sums_of_edges_are_sums_of_rows_and_columns() -> None:
    weights = rand(6)
    torch.testing.assert_close(eager.sum_edges(EDGES.targets, weights), dense(weights).sum(3))
    torch.testing.assert_close(eager.sum_edges(EDGES.sources, weights), dense(weights).sum(2))


@pytest.mark.parametrize("sampled", [True, False])
def test_dots_are_the_entries_of_the_product(sampled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: sampled)
    monkeypatch.setattr(eager, "CHUNK", 4)
    q, k = rand(3, 7), rand(5, 7)
    scores = (q @ k.mT)[:, :, EDGES.sorted.target, EDGES.sorted.source]
    torch.testing.assert_close(eager.dots(EDGES.targets, q, k), scores)


def test_nothing_to_sum_gives_zeros() -> None:
    none = Edges(torch.tensor([], dtype=torch.long), torch.tensor([], dtype=torch.long), sizes=(3, 5))
    assert eager.sum_weighted(none.targets, rand(0), rand(5, 7)).eq(0).all()
    assert (
        eager.sum_scaled(none.targets, torch.ones(3).double(), torch.ones(5).double(), rand(5, 7)).eq(0).all()
    )
    assert eager.sum_scaled(
        EDGES.targets, torch.ones(3).double(), torch.ones(5).double(), rand(5, 0)
    ).shape == (2, 3, 3, 0)
    assert eager.dots(EDGES.targets, rand(3, 0), rand(5, 0)).eq(0).all()


def test_more_relations_than_cells_find_room() -> None:
    # cuSPARSE refuses a matrix with more entries than cells; a processor's library would not notice.
    ends, relation = torch.zeros(3, dtype=torch.long), torch.arange(3)
    crowded = Edges(ends, ends, sizes=(1, 1), relation=relation).targets
    matrix = eager._matrix(crowded, torch.tensor([2.0, 3.0, 5.0]))
    assert (
        matrix._nnz() <= matrix.shape[0] * matrix.shape[1]
        and len(matrix.crow_indices()) == matrix.shape[0] + 1
    )
    weights, values = torch.tensor([2.0, 3.0, 5.0]).view(1, 1, 3), torch.tensor(7.0).view(1, 1, 1, 1)
    assert eager.sum_weighted(crowded, weights, values).tolist() == [[[[70.0]]]]


@pytest.mark.parametrize("dropped", [False, True])
def test_gradients_of_additive_attention_are_those_of_autograd(dropped: bool) -> None:
    left, right, term, values = rand(3) - 0.5, rand(5) - 0.5, rand(6) - 0.5, rand(5, 7)
    keep = (rand(6) > 0.3) / 0.7 if dropped else None
    asked = [one.clone().requires_grad_() for one in (left, right, term, values)]
    target, source = EDGES.sorted.target, EDGES.sorted.source
    scores = torch.nn.functional.leaky_relu(asked[0][..., target] + asked[1][..., source] + asked[2], 0.2)
    inside = torch.full((3, 5), -torch.inf, dtype=torch.double)
    inside[target, source] = 0.0
    weights = (dense(scores) + inside).softmax(-1)[:, :, target, source]
    expected = dense(weights if keep is None else weights * keep) @ asked[3]
    upstream = rand(3, 7)
    out, saved = eager.additive_forward(EDGES, left, right, term, keep, values, 0.2)
    torch.testing.assert_close(out, expected)
    found = eager.additive_backward(EDGES, saved, term, keep, 0.2, out, upstream)
    for ours, theirs in zip(found, torch.autograd.grad(expected, asked, upstream), strict=True):
        torch.testing.assert_close(ours, theirs)
