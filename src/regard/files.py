"""Files that are whole or not there: written beside the target, made durable, then put in its place."""

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regard.errors import RegardError


def write(path: Path, content: bytes | str) -> None:
    """Put `content` at `path` so that a crash at any moment leaves the old file or the new one, never a part.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write(place, "first"); write(place, "second"); place.read_text()
    'second'
    """
    data = content.encode() if isinstance(content, str) else content
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(3)}.tmp")
    with explained(path):
        try:
            with open(draft, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
        settle(path.parent)


def settle(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into three lines that name the place."""
    try:
        yield
    except OSError as error:
        raise RegardError(*_explanation(error, path)) from error


def _explanation(error: OSError, path: Path) -> tuple[str, str, str]:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        with suppress(OSError):
            free = shutil.disk_usage(path.parent).free
            return (
                "the disk is full",
                f"{path}, with {free:,} bytes free",
                "make room and start again; what was there before is whole",
            )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "this place cannot be written", str(path), "choose another folder, or change its permissions"
    return "the file system refused", f"{path}: {error.strerror or error}", "choose another folder"
