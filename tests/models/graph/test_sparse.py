"""Bags: the dense matrix in all they do, and dropout that draws for the entries alone."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError
from regard.models.graph.sparse import SparseFeatures, drop, dropped


def matrix(rows: int, words: int, seed: int = 0) -> torch.Tensor:
    draw = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, words, generator=draw, dtype=torch.double)
    return x * (torch.rand(rows, words, generator=draw) < 0.3)


@given(rows=st.integers(0, 7), words=st.integers(0, 5), seed=st.integers(0, 99))
def test_a_product_is_that_of_the_dense_matrix_in_value_and_gradient(rows, words, seed):
    x = matrix(rows, words, seed)
    weight = matrix(words, 3, seed + 1).requires_grad_()
    ours, dense = SparseFeatures.of(x) @ weight, x @ weight
    upstream = torch.randn_like(dense)
    assert torch.allclose(ours, dense, atol=1e-12)
    gradients = [torch.autograd.grad(y, weight, upstream)[0] for y in (ours, dense)]
    assert torch.allclose(*gradients, atol=1e-12)


@pytest.mark.parametrize("width", [5, 16, 24, 64])
@pytest.mark.parametrize("native", ["1", "0"])
def test_both_ways_of_summing_agree_at_every_width(native, width, monkeypatch):
    """Some widths are compiled on their own."""
    monkeypatch.setenv("REGARD_NATIVE", native)
    x, weight = matrix(11, 7), matrix(7, width, 3).requires_grad_()
    y = SparseFeatures.of(x) @ weight
    assert torch.allclose(y, x @ weight, atol=1e-12)
    y.backward(torch.ones_like(y))
    assert torch.allclose(weight.grad, x.T @ torch.ones_like(y), atol=1e-12)


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_coo, torch.sparse_csr])
def test_every_layout_comes_in_and_the_dense_one_out(layout):
    x = matrix(7, 5)
    given = x if layout is torch.strided else x.to_sparse(layout=layout)
    assert torch.equal(SparseFeatures.of(given).dense(), x)


def test_dropout_draws_for_the_entries_and_keeps_the_mean():
    bags = SparseFeatures.of(torch.eye(5).repeat(400, 1))
    torch.manual_seed(0)
    dropped = bags.dropped(0.6)
    assert len(dropped.values) == 2000
    assert torch.allclose(dropped.values.unique(), torch.tensor([0.0, 2.5]), atol=1e-4)
    # The mean of 2000 draws of 0 or 2.5 has a deviation of 0.027: five of them.
    assert abs(dropped.values.mean() - 1) < 0.14
    assert torch.equal(dropped.dense() != 0, (dropped.dense() != 0) & (bags.dense() != 0))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.6, 0.99])
def test_dropout_drops_the_share_it_is_told_to(share):
    torch.manual_seed(0)
    x = torch.full((499, 401), 3.0, requires_grad=True)
    y = dropped(x, share)
    away = (y == 0).double().mean().item()
    # Five deviations of the mean of as many draws.
    assert abs(away - share) <= 5 * (share * (1 - share) / x.numel()) ** 0.5
    assert torch.allclose(y[y != 0], torch.tensor(3 / (1 - share)), rtol=1e-2)
    y.sum().backward()
    assert torch.equal(x.grad * 3, y)
    assert not torch.equal(dropped(x, share), y) or share == 0


def test_neighbouring_numbers_are_dropped_independently():
    """Four of them share one draw of 64 bits: every pattern of four is as frequent as the others."""
    torch.manual_seed(0)
    stays = (dropped(torch.ones(40_000), 0.5) > 0).view(-1, 4).long()
    counts = torch.bincount(stays @ torch.tensor([8, 4, 2, 1]), minlength=16)
    # A count of 10000 draws with probability 1/16 has a deviation of 24: five of them.
    assert (counts - 625).abs().max() < 121


def test_a_share_that_is_none_is_told():
    with pytest.raises(RegardError) as error:
        dropped(torch.ones(2), 1.0)
    assert str(error.value) == (
        "dropout is the share of numbers that is dropped\n  got: 1.0\n  fix: 0 <= dropout < 1"
    )


def test_dropout_is_for_training_alone():
    bags, dense = SparseFeatures.of(matrix(7, 5)), torch.ones(7, 5)
    assert (
        drop(bags, 0.5, False) is bags and drop(bags, 0.0, True) is bags and drop(dense, 0.5, False) is dense
    )
    assert (drop(dense, 0.5, True) == 0).any()


@given(sizes=st.lists(st.integers(0, 4), min_size=1, max_size=4))
def test_bags_below_one_another(sizes):
    parts = [matrix(size, 5, seed) for seed, size in enumerate(sizes)]
    assert torch.equal(
        SparseFeatures.joined([SparseFeatures.of(part) for part in parts]).dense(), torch.cat(parts)
    )


def test_a_bag_says_what_it_is():
    bags = SparseFeatures.of(torch.eye(3))
    assert repr(bags) == "SparseFeatures(3 entries in 3 rows of 3)"
    assert len(bags) == 3 and bags.device.type == "cpu" and torch.equal(bags.to("cpu").dense(), torch.eye(3))


@pytest.mark.parametrize(
    ("x", "got"),
    [(torch.ones(3), "(3,) of torch.float32"), (torch.ones(2, 2).long(), "(2, 2) of torch.int64")],
)
def test_what_is_no_matrix_of_features_is_told(x, got):
    with pytest.raises(RegardError) as error:
        SparseFeatures.of(x)
    assert str(error.value) == (
        "features are one row of real numbers per node\n"
        f"  got: {got}\n"
        "  fix: shape them (nodes, features) and convert with .float()"
    )
