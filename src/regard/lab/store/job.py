"""A job of torchrun (elastic restarts): which run belongs to the processes that it starts again and again."""

import hashlib
import os
import platform
import sys
from pathlib import Path

from regard.errors import RegardError
from regard.lab.store import fingerprint
from regard.lab.store.run import Run
from regard.lab.store.runs import Store

NOTHING = "nothing"
"What the first process says where there is no run to be taken up."

GROUP = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"What torchrun says of the group that a process is to join."


def job() -> str | None:
    """The name of the job that this process is part of; none where torchrun did not start it.

    It is torchrun's (`--rdzv-id`), or else the process that starts the processes, with a hash of the command:
    another command under the same name is another job.
    """
    name = os.environ.get("TORCHELASTIC_RUN_ID")
    if name is None:
        return None
    words = hashlib.sha256("\0".join(sys.argv[1:]).encode()).hexdigest()[:8]
    return f"{platform.node()}-{os.getppid()} {words}" if name == "none" else f"{name} {words}"


def processes() -> dict[str, int] | None:
    """On how many machines torchrun started this, and how many processes on each; none without torchrun."""
    if job() is None:
        return None
    whole, each = (int(os.environ.get(name, "1")) for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"))
    return {"machines": whole // each, "each": each}


def leave_job() -> bool:
    """Whether this process goes on by itself where torchrun started several for one piece of work.

    The first one does: what it starts, and what it calls, then finds no group to wait for. Where torchrun
    did not start it, a process goes on as it is.
    """
    first = os.environ.get("RANK", "0") == "0"
    for name in [one for one in os.environ if one in GROUP or one.startswith("TORCHELASTIC_")]:
        del os.environ[name]
    return first


def begun(store: Store) -> Run | None:
    """The run that this job began before its processes were started again; none at the first start.

    All processes have the answer of the first one. Over several machines torchrun counts the restarts of each
    machine apart: so the counts of all are asked for, and a run that died is taken up whatever they are.
    """
    if job() is None:
        return None
    from regard.training.parallel import decided

    found = decided(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), lambda counts: _newest(store, counts))
    if found == NOTHING:
        return None
    if not (store.root / found).is_dir():
        raise RegardError(
            "the run of this job is not in this store",
            f"{found}, {store.root}",
            "let all machines of a job share one folder of runs: REGARD_RUNS=...",
        )
    return Run(store.root / found)


def _newest(store: Store, counts: list[str]) -> str:
    """The name of the newest run of this job; where nobody was started again, only of one that died."""
    mine = [run for run in store.runs() if _is_mine(run)]
    again = any(count != "0" for count in counts)
    return mine[-1].path.name if mine and (again or _died(mine[-1])) else NOTHING


def _is_mine(run: Run) -> bool:
    try:
        return run.request.get("job") == job() and not run.problem
    except RegardError:
        return False


def _died(run: Run) -> bool:
    """Whether the death of a process ended a run, and its code is still there to go on with."""
    # Where one process dies, torchrun ends the others by SIGTERM.
    ended = run.state == "stopped" and run.result["error"].endswith("SIGTERM")
    if not ended and run.state not in ("interrupted", "broken"):
        return False
    source = Path(run.request["source"])
    return source.is_file() and fingerprint.code(source) == run.request["code"]
