"""FSDP2 (fully sharded data parallel): the parameters of a model in shards, one part in each process.

A block's parameters are gathered when it computes and let go of afterwards; its gradients come back as means
over the processes, each with its part. What the optimiser remembers lies in the same parts.
"""

import copy
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.training.parallel import ProcessGroup
from regard.training.sharded.layout import is_sharded, whole

METHODS = ("before_head",)
"Methods by which an objective calls a model beside its forward pass, where it has them."


def shard(model: nn.Module, device: torch.device, group: ProcessGroup) -> None:
    """Part a model that is whole in every process, block by block; then it computes on `device`.

    It may lie in host memory: one block after the other goes to the device, where a part of it stays.
    """
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

    for name, one in model.named_parameters():
        if one.ndim == 0:
            raise RegardError(
                "a parameter without axes cannot be sharded",
                f"'{name}'",
                "give it an axis of length 1, or set plan.sharded=false",
            )
    mesh = init_device_mesh(device.type, (group.world,))
    for block in blocks(model):
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    model.to(device)  # buffers
    for name in METHODS:
        if hasattr(model, name):
            register_fsdp_forward_method(model, name)


def blocks(model: nn.Module) -> Iterator[nn.Module]:
    """The modules that are gathered one at a time: those of a model's outermost lists of modules.

    >>> model = nn.ModuleDict({"first": nn.Linear(2, 2), "list": nn.ModuleList([nn.Linear(2, 3)])})
    >>> list(blocks(model))
    [Linear(in_features=2, out_features=3, bias=True)]
    """
    for child in model.children():
        if isinstance(child, nn.ModuleList | nn.Sequential):
            yield from (one for one in child if any(True for _ in one.parameters()))
        else:
            yield from blocks(child)


def outline(model: nn.Module) -> nn.Module:
    """A copy of a model without its numbers: what `gathered` fills."""
    return _blank(model, "meta")


@torch.no_grad()
def gathered(model: nn.Module, empty: nn.Module) -> nn.Module:
    """A whole copy of a sharded model in host memory; all processes must ask for it together."""
    made = _blank(empty, "cpu")
    for mine, theirs in ((made.parameters(), model.parameters()), (made.buffers(), model.buffers())):
        for one, other in zip(mine, theirs, strict=True):
            one.copy_(whole(other))
    return made.train(model.training)


def _blank(model: nn.Module, device: str) -> nn.Module:
    """A copy of a model with room for its numbers on a device; what was tied stays tied."""
    room: dict[int, Tensor] = {id(one): torch.empty_like(one, device=device) for one in model.buffers()}
    for one in model.parameters():
        room[id(one)] = nn.Parameter(torch.empty_like(one, device=device), requires_grad=one.requires_grad)
    return copy.deepcopy(model, room)


def is_model_sharded(model: nn.Module) -> bool:
    """Whether a model's parameters are parted over processes."""
    return any(is_sharded(one) for one in model.parameters())
