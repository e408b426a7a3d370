"""Resuming: a training that saves itself, and goes on where it was."""

import time
from collections.abc import Iterator
from pathlib import Path

from regard.errors import RegardError
from regard.training.checkpoint import Checkpoints
from regard.training.loop import Step, Training
from regard.training.parallel import ALONE


def resume(training: Training, checkpoints: Checkpoints) -> str:
    """Put a training where its newest sound checkpoint left it, and say so; empty if there is none."""
    loaded = shared(training, checkpoints).last()
    if loaded is None:
        return ""
    rounding = training.restore(loaded.state)
    return "; ".join(
        [f"goes on after step {training.step}", *loaded.words, *([rounding] if rounding else [])]
    )


def checkpointed(training: Training, checkpoints: Checkpoints, *, every: float = 60.0) -> Iterator[Step]:
    """The steps of a training, with a checkpoint every so many seconds, at the end, and when it is stopped.

    Stopped is: this iterator is closed or dropped, Ctrl-C, an error. What is saved then is the last whole
    step; if parameters were being moved, nothing is. Of several processes the first writes; of a sharded
    training all do, so that one that is stopped has its last checkpoint from before.
    """
    saved, when, ended = training.step, time.monotonic(), False
    together = training.group if training.sharded else ALONE
    try:
        for step in training:
            yield step
            if together.tell("due" if time.monotonic() - when >= every else ""):
                save(training, checkpoints)
                saved, when = training.step, time.monotonic()
        ended = True
    finally:
        if training.whole and training.step > saved and (ended or not training.sharded):
            save(training, checkpoints)


def save(training: Training, checkpoints: Checkpoints, *, metric: float | None = None) -> None:
    """Save a training by the first of its processes, or by all where it is sharded.

    A step that was saved already, by one who could say how good it is, is not saved again without a figure.
    """
    if training.sharded:
        checkpoints = shared(training, checkpoints)
    elif not training.group.is_main:
        return
    known = checkpoints.group.tell("known" if training.step in checkpoints.steps() else "")
    if metric is not None or not known:
        checkpoints.save(training.current(), metric=metric)


def shared(training: Training, checkpoints: Checkpoints) -> Checkpoints:
    """The checkpoints of the first process, for all processes of a training."""
    group = training.group
    if group.world == 1:
        return checkpoints
    found = Checkpoints(Path(group.tell(str(checkpoints.folder.resolve()))), group)
    seen = group.gather(" ".join(map(str, found.steps())))
    if len(set(seen)) > 1:
        raise RegardError(
            "the processes of this training do not see the same checkpoints",
            f"{found.folder}: {' | '.join(one or 'none' for one in seen)}",
            "keep the runs where all machines can read and write: REGARD_RUNS names the folder",
        )
    return found
