"""A lock that the system lets go of when its process ends, however it ends."""

import errno
import os
import time
from contextlib import suppress
from pathlib import Path

from regard.errors import RegardError
from regard.files import explained

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

PATIENCE = 1.0
"Seconds to wait for a lock: who only looks whether it is held lets go at once."


class Lock:
    """Holds `path` until released or until the process is gone.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "lock"
    >>> lock = Lock(place)
    >>> held(place), lock.release(), held(place)
    (True, None, False)
    """

    def __init__(self, path: Path) -> None:
        with explained(path):
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        limit = time.monotonic() + PATIENCE
        while not _taken(self._handle):
            if time.monotonic() > limit:
                os.close(self._handle)
                raise RegardError(
                    "this run is running", path.parent.name, "wait for its end, or stop it with Ctrl-C"
                )
            time.sleep(0.02)

    def release(self) -> None:
        os.close(self._handle)


def held(path: Path) -> bool:
    """Whether some process holds the lock at `path`."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDWR)
        try:
            return not _taken(handle)
        finally:
            os.close(handle)
    return False


def _taken(handle: int) -> bool:
    """Whether the lock is now ours, or nobody's for want of locks on this file system."""
    try:
        if fcntl:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError as error:
        return error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
    return True
