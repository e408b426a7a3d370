"""Whether Triton kernels can be used here: on an NVIDIA GPU, where Triton is installed."""

import os
from functools import cache
from importlib.util import find_spec

import torch
from torch import Tensor


@cache
def installed() -> bool:
    """Whether Triton is there; it comes with torch where torch was built for a GPU."""
    return find_spec("triton") is not None


def usable(x: Tensor) -> bool:
    """Whether kernels of ours may work on such a tensor; REGARD_TRITON=0 turns them off."""
    if x.device.type != "cuda" or os.environ.get("REGARD_TRITON") == "0" or not installed():
        return False
    return not torch.compiler.is_compiling() and torch.version.cuda is not None
