"""Groups of rows: held to numpy group by group."""

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.models.graph.aggregate import counts, maxima, means, medians, sums

NUMPYS = {sums: numpy.sum, means: numpy.mean, maxima: numpy.max, medians: numpy.median}


@pytest.mark.slow
@pytest.mark.parametrize("ours", NUMPYS)
@given(group=st.lists(st.integers(0, 4), max_size=13), seed=st.integers(0, 99))
def test_every_group_is_as_numpy_has_it(ours, group, seed):
    draw = torch.Generator().manual_seed(seed)
    rows = torch.randint(-3, 4, (len(group), 3), generator=draw).double()
    found = ours(rows, torch.tensor(group, dtype=torch.long), 5)
    for g in range(5):
        mine = rows.numpy()[numpy.array(group, dtype=int) == g]
        expected = NUMPYS[ours](mine, axis=0) if len(mine) else numpy.zeros(3)
        assert numpy.allclose(found[g].numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("ours", NUMPYS)
def test_gradients_are_those_of_differences(ours):
    rows = torch.randn(11, 3, dtype=torch.double, generator=torch.Generator().manual_seed(0)).requires_grad_()
    group = torch.tensor([0, 0, 2, 2, 2, 3, 3, 3, 3, 0, 0])
    assert torch.autograd.gradcheck(lambda x: ours(x, group, 5), rows)


def test_a_median_of_an_even_number_shares_its_gradient():
    rows = torch.tensor([[1.0], [4.0], [2.0], [9.0]], requires_grad=True)
    medians(rows, torch.zeros(4, dtype=torch.long), 1).sum().backward()
    assert rows.grad is not None and rows.grad.flatten().tolist() == [0, 0.5, 0.5, 0]


def test_counts():
    assert counts(torch.tensor([0, 2, 2]), 4).tolist() == [1, 0, 2, 0]
