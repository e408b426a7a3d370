"""Resuming: a training that saves itself, and goes on where it was."""

import time
from collections.abc import Iterator

from regard.training.checkpoint import Checkpoints
from regard.training.loop import Step, Training


def resume(training: Training, checkpoints: Checkpoints) -> str:
    """Put a training where its newest sound checkpoint left it, and say so; empty if there is none."""
    loaded = checkpoints.last()
    if loaded is None:
        return ""
    rounding = training.restore(loaded.state)
    return "; ".join(
        [f"goes on after step {training.step}", *loaded.words, *([rounding] if rounding else [])]
    )


def checkpointed(training: Training, checkpoints: Checkpoints, *, every: float = 60.0) -> Iterator[Step]:
    """The steps of a training, with a checkpoint every so many seconds, at the end, and when it is stopped.

    Stopped is: this iterator is closed or dropped, Ctrl-C, an error. What is saved then is the last whole
    step; if parameters were being moved, nothing is. Only the first of several processes writes.
    """
    saved, when = training.step, time.monotonic()
    try:
        for step in training:
            yield step
            if training.group.is_main and time.monotonic() - when >= every:
                checkpoints.save(training.state())
                saved, when = training.step, time.monotonic()
    finally:
        if training.group.is_main and training.whole and training.step > saved:
            checkpoints.save(training.state())
