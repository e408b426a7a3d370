"""Device: where a model computes, by the name that a person gave."""

import torch

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
