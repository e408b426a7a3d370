"""What the kernels over edges take, and what is left to torch."""

import pytest
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


def test_all_heads_and_channels_together_fill_a_program_each_rounded_up_to_a_power_of_two() -> None:
    assert gpu.fits(torch.zeros(1, 2, 1, gpu.WIDEST // 2))
    assert not gpu.fits(torch.zeros(1, 3, 1, gpu.WIDEST // 2))
    assert not gpu.fits(torch.zeros(1, gpu.WIDEST, 1, 2))
    assert not gpu.fits(torch.zeros(1, 0, 3, 4))
    assert not gpu.fits(torch.zeros(1, 4, 3, 0))


@pytest.mark.parametrize(("heads", "channels"), [(1, 1), (3, 5), (8, 64), (8, 128), (8, 512), (1, 4096)])
def test_a_warp_for_each_256_numbers_of_a_node_and_as_many_nodes_as_its_tile_holds(heads, channels) -> None:
    words = gpu._words(heads, channels, 0.2, None, None)
    numbers = words["HP"] * words["CP"]
    assert words["num_warps"] in (1, 2, 4)
    assert words["num_warps"] == 1 or words["num_warps"] * 256 <= numbers
    assert words["num_warps"] == 4 or (words["num_warps"] + 1) * 256 > numbers
    assert words["BE"] in (1, 2, 4, 8, 16, 32)
    assert words["BE"] == 1 or words["BE"] * numbers <= words["num_warps"] * gpu.TILE
    assert words["BE"] == 32 or 2 * words["BE"] * numbers > words["num_warps"] * gpu.TILE


@pytest.mark.slow
def test_sums_and_gradients_of_two_batches_are_those_of_torch() -> None:
    torch.manual_seed(0)
    edges = Edges(torch.tensor([0, 1, 2, 2, 0]), torch.tensor([1, 1, 0, 3, 3]), sizes=(4, 3)).to(
        kernels.DEVICE
    )
    shapes = (2, 3, 4), (2, 3, 3), (2, 3, 3, 5), (2, 3, 4, 5)
    left, right, values, slope = (torch.randn(shape).double().to(kernels.DEVICE) for shape in shapes)
    sides = []
    for by in (gpu, eager):
        out, saved = by.additive_forward(edges, left, right, None, None, values, 0.2)
        to_left, to_right, _, to_values = by.additive_backward(edges, saved, None, None, 0.2, out, slope)
        sides.append((out, to_left, to_right, to_values))
    torch.testing.assert_close(sides[0], sides[1])


def test_a_sum_over_rows_wider_than_a_block_is_that_of_torch() -> None:
    torch.manual_seed(0)
    side = Edges(torch.tensor([0, 1, 2, 2, 0]), torch.tensor([1, 1, 0, 3, 3]), sizes=(4, 3)).targets
    outer, inner, values = torch.randn(4).double(), torch.randn(3).double(), torch.randn(2, 3, 3, 90).double()
    found = gpu.sum_scaled(side, outer, inner, values)
    torch.testing.assert_close(found, eager.sum_scaled(side, outer, inner, values))
