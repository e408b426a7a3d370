"""Downloads: the folder a person names, the cache, then the origins; every file checked before use."""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from regard.data.fetch.catalogue import Entry
from regard.data.fetch.folders import cache_folder, given_folder
from regard.data.fetch.origin import digest
from regard.data.fetch.web import NotReached, Patience, Progress
from regard.errors import RegardError, Unreachable

STALE = 3600.0
"Seconds after which an unfinished download is nobody's: the longest patience is far shorter."


def find(entry: Entry) -> Path | None:
    """The file of a dataset where it is on this machine already, its hash checked; None where it is not."""
    given, cached = _given(entry), cache_folder() / entry.file.path
    if given is not None:
        return given
    return cached if entry.file.is_at(cached) else None


def fetch_file(entry: Entry, *, patience: Patience | None = None, progress: Progress | None = None) -> Path:
    """The file of a dataset, brought here first if need be, its hash checked.

    A file is complete and right or it is not there: it is downloaded beside its place, checked, and moved
    there at once. Several processes may fetch the same one.
    """
    if found := find(entry):
        return found
    target = cache_folder() / entry.file.path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        with tempfile.TemporaryDirectory(
            prefix=".part-", dir=target.parent, ignore_cleanup_errors=True
        ) as folder:
            return _settle(_bring(entry, Path(folder), patience or Patience(), progress), target, entry)
    except OSError as error:
        raise RegardError(
            f"{entry.name} cannot be kept in the cache",
            f"{error.strerror or error} at {error.filename or target}",
            f"make room for {entry.file.size:,} bytes there, or set REGARD_CACHE to another folder",
        ) from error


def _given(entry: Entry) -> Path | None:
    folder = given_folder()
    if folder is None or not os.path.lexists(path := folder / entry.file.path):
        return None
    if entry.file.is_at(path):
        return path
    # Going on without a word would hide from a person that the file they chose is not the one in use.
    seen = f"sha256 {digest(path)[:12]}…" if path.is_file() else "no regular file"
    raise RegardError(
        f"{path} is not the {entry.name} that is known here",
        f"{seen} instead of sha256 {entry.file.sha256[:12]}…",
        f"remove it, and 'regard data {entry.name}' brings the right one; or read it as a text of your own",
    )


def _bring(entry: Entry, folder: Path, patience: Patience, progress: Progress | None) -> Path:
    missed = []
    for origin in entry.origins:
        try:
            part = origin.bring(entry.file, folder, patience, progress)
        except NotReached as reason:
            missed.append(str(reason))
            continue
        if entry.file.is_at(part):
            return part
        missed.append(
            f"other bytes came from {origin.said}" if part.is_file() else f"nothing came from {origin.said}"
        )
    raise Unreachable(
        f"{entry.name} is not reachable from here",
        "; ".join(missed),
        f"connect to a network, or set REGARD_DATA to a folder that holds {entry.file.path}",
    )


def _settle(part: Path, target: Path, entry: Entry) -> Path:
    with part.open("r+b") as file:
        os.fsync(file.fileno())
    try:
        os.replace(part, target)
    except PermissionError:
        # On Windows a file that another process has open cannot be replaced; it put the same bytes there.
        if not entry.file.is_at(target):
            raise
    return target


def _sweep(folder: Path) -> None:
    """Remove what killed downloads left behind."""
    for left in folder.glob(".part-*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > STALE:
                shutil.rmtree(left, ignore_errors=True)
