"""Benchmarks on a GPU: seconds that wait for it, its memory, and the floor at its own rates."""

from collections.abc import Callable
from functools import cache
from statistics import median

from regard.lab.bench import Floor, interleave


def waited(call: Callable[[], object]) -> Callable[[], object]:
    """The call, ended when the GPU has ended it."""
    import torch

    def run() -> object:
        result = call()
        torch.cuda.synchronize()
        return result

    return run


@cache
def rates() -> tuple[float, dict[str, float]]:
    """Bytes a second of a copy of 4 GB, read and written, and operations a second of products, by type."""
    import torch

    source = torch.randn(1 << 30, device="cuda")
    target, side = torch.empty_like(source), 8192
    halves, wholes = (
        torch.randn(side, side, device="cuda", dtype=kind) for kind in (torch.bfloat16, torch.float32)
    )
    calls = {
        "copy": waited(lambda: target.copy_(source)),
        "bfloat16": waited(lambda: halves @ halves),
        "float32": waited(lambda: wholes @ wholes),
    }
    times = {name: median(found) for name, found in interleave(calls, rounds=7, warm=2).items()}
    products = {name: 2 * side**3 / times[name] for name in ("bfloat16", "float32")}
    return 2 * source.numel() * source.element_size() / times["copy"], products


def device_floor(*, bytes: float, operations: float, dtype: str) -> Floor:
    """The floor of this much work at the rates of this GPU, measured once in a process."""
    bandwidth, products = rates()
    return Floor(bytes, operations, bandwidth, products[dtype])


def peak(call: Callable[[], object]) -> tuple[int, int]:
    """Bytes that a call takes at its height above what was there before, and those with what was there."""
    import torch

    call()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    call()
    torch.cuda.synchronize()
    most = torch.cuda.max_memory_allocated()
    return most - before, most
