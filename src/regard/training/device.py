"""Device: where a model computes, by the name that a person gave."""

from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map_only

from regard.arguments import kinds
from regard.errors import RegardError


@kinds
def find_device(name: str) -> torch.device:
    """The device of that name, if this machine has it.

    >>> find_device("cpu")
    device(type='cpu')
    """
    try:
        found = torch.device(name)
    except RuntimeError:
        raise RegardError("no device of that name", repr(name), "one of cpu, cuda, cuda:1, mps") from None
    if found.type != "cpu":
        try:
            torch.zeros(1, device=found)
        except (RuntimeError, AssertionError, NotImplementedError) as missing:
            reason = str(missing).splitlines()[0]
            raise RegardError("this machine has no such device", f"{name!r}: {reason}", "take cpu") from None
    return found


def moved(batch: Any, device: torch.device) -> Any:
    """The tensors of a batch on a device; for a CPU it is left as it is."""
    return batch if device.type == "cpu" else tree_map_only(Tensor, lambda one: _moved(one, device), batch)


def _moved(one: Tensor, device: torch.device) -> Tensor:
    # From pinned memory a GPU fetches it while it computes; from other memory only when all else is done.
    pinned = one.pin_memory() if device.type == "cuda" and one.device.type == "cpu" else one
    return pinned.to(device, non_blocking=True)
