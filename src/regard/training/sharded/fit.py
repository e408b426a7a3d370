"""Whether a training fits on one device: parameters, gradients and optimiser state against its memory."""

import os
from math import inf

import torch
from torch import nn

from regard.training.parallel import ProcessGroup

COPIES = 4
"Numbers for each that is learned: itself, its gradient, and two that AdamW remembers."
SHARE = 0.8
"The share of a device's memory that they may take; the rest is for activations and batches."


def state_bytes(model: nn.Module) -> int:
    """Bytes of a model's parameters and of all that a training keeps beside them.

    >>> state_bytes(nn.Linear(10, 10, bias=False))
    1600
    """
    return sum(
        one.numel() * one.element_size() * (COPIES if one.requires_grad else 1) for one in model.parameters()
    )


def memory_of(device: torch.device) -> float:
    """Bytes of memory that a process has on a device; on a CPU, its share of what the host has."""
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).total_memory
    if device.type == "cpu" and hasattr(os, "sysconf"):
        beside = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / beside
    return inf


def is_to_be_sharded(asked: bool | None, model: nn.Module, device: torch.device, group: ProcessGroup) -> bool:
    """Whether a model is to be sharded: as asked, or where it does not fit; the first process decides.

    >>> is_to_be_sharded(True, nn.Linear(2, 2), torch.device("cpu"), ProcessGroup())
    False
    """
    if group.world == 1 or asked is not None:
        return group.world > 1 and bool(asked)
    return bool(group.tell("yes" if state_bytes(model) > SHARE * memory_of(device) else ""))
