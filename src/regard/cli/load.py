"""CPU load of others on this machine, at this moment."""

import os
import time
from pathlib import Path

COUNTERS = Path("/proc/stat")
"Where Linux counts what each of its cores did, in hundredths of a second."
LOOK = 0.15
"Seconds for which the machine is watched."
SOME = 0.3
"Cores at work that count as company."


def busy() -> bool:
    """Whether others use this machine: then threads that spin while they wait would slow everybody down.

    Alone, spinning makes a step of a small model 1.6 times quicker; beside a busy process, far slower. Where
    the cores cannot be watched, the load of the last minute tells.
    """
    if not COUNTERS.is_file():
        return hasattr(os, "getloadavg") and os.getloadavg()[0] > SOME
    before = COUNTERS.read_text()
    time.sleep(LOOK)
    return at_work(before, COUNTERS.read_text()) > SOME


def at_work(before: str, after: str) -> float:
    """How many cores worked between two readings of the counters.

    >>> at_work("cpu 100 0 0 300 0\\ncpu0 1\\ncpu1 2", "cpu 130 0 10 320 0\\ncpu0 3\\ncpu1 4")
    1.3333333333333333
    """
    first, second = ([int(word) for word in text.splitlines()[0].split()[1:]] for text in (before, after))
    passed = [b - a for a, b in zip(first, second, strict=True)]
    # The fourth and fifth count idle time and waiting for the disk.
    idle, whole = sum(passed[3:5]), sum(passed)
    cores = sum(line.startswith("cpu") for line in after.splitlines()) - 1
    return cores * (whole - idle) / whole if whole else 0.0
