"""A job of torchrun (elastic restarts): which run belongs to the processes that it starts again and again."""

import os
import platform

from regard.lab.store.run import Run
from regard.lab.store.runs import Store


def job() -> str | None:
    """The name of the job that this process is part of; none where torchrun did not start it.

    A job without a name of its own has that of the process that starts its processes.
    """
    name = os.environ.get("TORCHELASTIC_RUN_ID")
    return f"{platform.node()}-{os.getppid()}" if name == "none" else name


def begun(store: Store) -> Run | None:
    """The run that this job began before its processes were started again; none at the first start."""
    if job() is None or os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") == "0":
        return None
    mine = [run for run in store.runs() if not run.problem and run.request.get("job") == job()]
    return mine[-1] if mine else None
