"""Mixed precision (autocast): float32, or bfloat16 where a GPU has it."""

from contextlib import AbstractContextManager

import torch


def autocast(device: torch.device, precision: str) -> AbstractContextManager:
    """The context in which a model on this device computes; 'auto' is bfloat16 on a GPU that has it.

    On a CPU 'auto' is float32: without hardware for it, bfloat16 is many times slower there.

    >>> with autocast(torch.device("cpu"), "auto"):
    ...     torch.is_autocast_enabled("cpu")
    False
    """
    able = device.type == "cuda" and torch.cuda.is_bf16_supported()
    half = precision == "bfloat16" or (precision == "auto" and able)
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=half)
