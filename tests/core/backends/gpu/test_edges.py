"""What the kernels over edges take, and what is left to torch."""

import torch

import kernels
from regard import Edges
from regard.core.backends.edges import torch_sums as eager
from regard.core.backends.gpu import edges as gpu

assert kernels, "it skips where Triton is missing"


def test_what_the_kernels_have_no_room_for() -> None:
    assert gpu.fits(torch.zeros(1, 8, 3, 16))
    assert not gpu.fits(torch.zeros(1, 8, 3, 16, dtype=torch.bfloat16))
    assert not gpu.fits(torch.zeros(1, 1, 3, gpu.WIDEST + 1))
    assert not gpu.fits(torch.zeros(1, 1, 3))


def test_a_sum_over_rows_wider_than_a_block_is_that_of_torch() -> None:
    torch.manual_seed(0)
    side = Edges(torch.tensor([0, 1, 2, 2, 0]), torch.tensor([1, 1, 0, 3, 3]), sizes=(4, 3)).targets
    outer, inner, values = torch.randn(4).double(), torch.randn(3).double(), torch.randn(2, 3, 3, 90).double()
    found = gpu.sum_scaled(side, outer, inner, values)
    torch.testing.assert_close(found, eager.sum_scaled(side, outer, inner, values))
