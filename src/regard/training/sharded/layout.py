"""Sharded tensors (DTensor): the part that this process holds, the whole, and copies between them."""

from typing import TYPE_CHECKING, TypeGuard

import torch
from torch import Tensor

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor


def is_sharded(tensor: Tensor) -> "TypeGuard[DTensor]":
    """Whether each process holds a part of it only."""
    # Not by its class, whose module takes half a second to load.
    return hasattr(tensor, "full_tensor")


def local(tensor: Tensor) -> Tensor:
    """The part of a tensor that this process holds; writing into it changes the tensor.

    >>> one = torch.ones(2)
    >>> local(one) is one
    True
    """
    return tensor.to_local() if is_sharded(tensor) else tensor


def whole(tensor: Tensor) -> Tensor:
    """All of a tensor, gathered from all processes, each of which must ask for it."""
    return tensor.full_tensor() if is_sharded(tensor) else tensor


def rows_like(part: Tensor, like: Tensor, axis: int = 0) -> Tensor:
    """A part with as many rows along `axis` as `like` has here, as the sharded tensor that all parts make."""
    if not is_sharded(like):
        return part
    from torch.distributed.tensor import DTensor, Shard

    shape = torch.Size((*part.shape[:axis], like.shape[0], *part.shape[axis + 1 :]))
    stride = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(part, like.device_mesh, [Shard(axis)], shape=shape, stride=stride)


def own_rows(tensor: Tensor, like: Tensor, axis: int = 0) -> Tensor:
    """Of a whole tensor, the rows along `axis` that `like` has here."""
    if not is_sharded(like):
        return tensor
    from torch.distributed.tensor import Shard, distribute_tensor

    return distribute_tensor(tensor, like.device_mesh, [Shard(axis)], src_data_rank=None).to_local()


@torch.no_grad()
def put(value: Tensor, target: Tensor) -> None:
    """Copy a tensor into another of its shape: into a sharded one, its part.

    >>> target = torch.zeros(2)
    >>> put(torch.tensor([1.0, 2.0]), target); target
    tensor([1., 2.])
    """
    if is_sharded(target) and not is_sharded(value):
        value = own_rows(value.to(local(target).device), target)
        target = local(target)
    target.copy_(value)
