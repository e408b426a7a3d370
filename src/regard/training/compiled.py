"""torch.compile, if it makes a training faster on this machine: tried, timed, said."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

import regard.training.rng as rng
from regard.training.objective import Objective
from regard.training.precision import autocast


@dataclass(frozen=True)
class CompileDecision:
    """The objective to train with, and the sentence that says why."""

    objective: Objective
    sentence: str


def compile_if_faster(
    objective: Objective,
    model: nn.Module,
    batch: Any,
    *,
    steps: int,
    precision: str = "auto",
    seconds: float = inf,
    patience: float = 600.0,
    compiler: Callable[[Objective], Objective] = torch.compile,
) -> CompileDecision:
    """The objective as it is or compiled, whichever computes a batch and its gradient quicker here.

    Where `steps` steps, or the budget of `seconds`, take less than `patience` on a CPU, compiling would not
    earn back its time: it is not tried. The model and the random numbers are left as they were, without
    gradients.
    """
    device = next(model.parameters()).device

    def compute(candidate: Objective) -> None:
        with autocast(device, precision):
            loss = candidate(model, batch)
        loss.backward()
        model.zero_grad(set_to_none=True)
        if device.type == "cuda":
            torch.cuda.synchronize()

    before, buffers = rng.capture(), [one.clone() for one in model.buffers()]
    try:
        plain, _ = _seconds(lambda: compute(objective))
        whole = min(seconds, steps * plain)
        if device.type == "cpu" and whole < patience:
            return CompileDecision(
                objective, f"not compiled: a training of {whole:.0f} s on a CPU would not earn it back"
            )
        attempt = compiler(objective)
        quick, first = _seconds(lambda: compute(attempt))
    except Exception as error:  # a compiler may fail in any way; training goes on without it
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        return CompileDecision(objective, f"not compiled: torch.compile failed here ({reason})")
    finally:
        _put_back(model, buffers)
        rng.restore(before)
    facts = f"{1e3 * quick:.3g} ms a batch compiled, {1e3 * plain:.3g} ms not; compiling took {first:.0f} s"
    return (
        CompileDecision(attempt, f"compiled: {facts}")
        if quick < plain
        else CompileDecision(objective, f"not compiled: {facts}")
    )


def _put_back(model: nn.Module, buffers: list[Tensor]) -> None:
    with torch.no_grad():
        for one, value in zip(model.buffers(), buffers, strict=True):
            one.copy_(value)


def _seconds(work: Callable[[], None], repeats: int = 5) -> tuple[float, float]:
    """Median seconds of a call, and those of the first, which may have had to prepare."""
    times = []
    for _ in range(repeats + 2):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return median(times[2:]), times[0]
