"""Limits on time, memory and processes; what a person's code leaves behind is found and ended."""

import os
import signal
import site
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TOKEN = "REGARD_CHECK"
"The environment variable by which every process of one check is known."
KEPT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "SYSTEMROOT",
    "PYTHONPATH",
    "TZ",
)
"The only variables a person's code inherits."


@dataclass(frozen=True, kw_only=True)
class ProcessLimits:
    """Seconds, bytes and processes that one check may use."""

    start: float = 60.0
    "Seconds until torch is loaded."
    load: float = 30.0
    "Seconds to import the person's file."
    call: float = 10.0
    "Seconds for one call."
    whole: float = 60.0
    "Seconds for the whole check, from the moment the file is imported."
    memory: int = 3 << 30
    "Bytes of memory of all its processes together."
    file: int = 64 << 20
    "Bytes of the largest file it may write."
    output: int = 1 << 20
    "Bytes kept of what it prints."
    processes: int = 32
    "Processes at once."


def environment(folder: str, token: str) -> dict[str, str]:
    """What a person's code inherits: where things are, and nothing that is secret."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    here = str(Path(__file__).parents[3])
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, [here, kept.get("PYTHONPATH", "")]))
    kept |= {"HOME": folder, "TMPDIR": folder, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", TOKEN: token}
    if site.ENABLE_USER_SITE:
        kept["PYTHONUSERBASE"] = site.getuserbase()
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}


def confine(limits: ProcessLimits) -> None:
    """Set what the system itself enforces, where it can; called in the child before it loads anything."""
    if sys.platform == "win32":
        return
    import resource

    seconds = int(limits.start + limits.load + limits.whole) + 1
    for kind, most in (
        (resource.RLIMIT_DATA, limits.memory + (1 << 30)),
        (resource.RLIMIT_FSIZE, limits.file),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
    ):
        hard = resource.getrlimit(kind)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, allowed))


def members(token: str) -> list[int]:
    """Every living process of one check, also those that left the group; known by their environment (Linux)."""
    mark = f"{TOKEN}={token}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (entry / "environ").read_bytes() and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found


def resident(pids: list[int]) -> int:
    """Bytes of memory that processes hold together."""
    total = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


def worked(pids: list[int]) -> float:
    """Seconds for which processes have had a processor together (Linux; zero elsewhere)."""
    ticks = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def sweep(group: int, token: str, patience: float = 2.0) -> list[int]:
    """End the whole group and every stray process; what still lives afterwards is returned."""
    if sys.platform == "win32":
        return []
    until = time.monotonic() + patience
    while True:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
        left = members(token)
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.01)
