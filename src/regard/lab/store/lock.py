"""A lock that the system lets go of when its process ends, however it ends."""

import os
from contextlib import suppress
from pathlib import Path

from regard.files import explained

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


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
        with suppress(
            OSError
        ):  # a file system without locks: the run is then seen as interrupted until it ends
            _take(self._handle)

    def release(self) -> None:
        os.close(self._handle)


def held(path: Path) -> bool:
    """Whether some process holds the lock at `path`."""
    with suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDWR)
        try:
            _take(handle)
        except OSError:
            return True
        finally:
            os.close(handle)
    return False


def _take(handle: int) -> None:
    if fcntl:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
