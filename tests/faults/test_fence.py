"""A kernel that leaves its tensors is stopped by the fence around Triton's interpreter."""

import pytest
import torch

from kernels import DEVICE

triton = pytest.importorskip("triton")
tl = pytest.importorskip("triton.language")
pytestmark = pytest.mark.skipif(DEVICE != "cpu", reason="the fence is the interpreter's")


@triton.jit
def copy(a, b, read, written, BLOCK: tl.constexpr):
    """Copies a into b: so many numbers are read, and so many written."""
    i = tl.arange(0, BLOCK)
    tl.store(b + i, tl.load(a + i, i < read, 0.0), i < written)


def test_all_of_a_tensor_may_be_read_and_written() -> None:
    a, b = torch.arange(3.0), torch.zeros(5)
    copy[(1,)](a, b, 3, 5, BLOCK=8)
    assert b.tolist() == [0, 1, 2, 0, 0]


@pytest.mark.parametrize(("read", "written"), [(4, 3), (3, 4)])
def test_one_number_behind_a_tensor_is_out_of_bounds(read: int, written: int) -> None:
    room = torch.zeros(2, 3)
    with pytest.raises(Exception, match="memory outside the kernel's tensors"):
        copy[(1,)](room[0], room[1], read, written, BLOCK=8)


def test_a_view_ends_with_its_last_number() -> None:
    room = torch.arange(12.0).view(3, 4)
    found = torch.zeros(8)
    copy[(1,)](room[1:, 1:3], found, 6, 8, BLOCK=8)
    assert found.tolist() == [5, 6, 7, 8, 9, 10, 0, 0]
    with pytest.raises(Exception, match="memory outside the kernel's tensors"):
        copy[(1,)](room[1:, 1:3], found, 7, 8, BLOCK=8)


def test_a_kernel_may_be_given_a_tensor_of_nothing() -> None:
    copy[(1,)](torch.zeros(0), torch.zeros(0), 0, 0, BLOCK=8)
