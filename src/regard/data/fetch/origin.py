"""Origins: a file that is known by its hash, and the places that may give it."""

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol, runtime_checkable

from regard.data.fetch.web import NotReached, Patience, Progress, Remote


@dataclass(frozen=True, kw_only=True)
class File:
    """One file, known by its length and its hash before it is ever seen."""

    path: str
    "Where it lies below `REGARD_DATA` or the cache."
    sha256: str
    "Its hash."
    size: int
    "Its length in bytes."

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path).name

    def is_at(self, path: Path) -> bool:
        """Whether these very bytes lie there."""
        try:
            return path.stat().st_size == self.size and digest(path) == self.sha256
        except OSError:
            return False


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@runtime_checkable
class Origin(Protocol):
    """A place that may give a file: an address, a package index, a package registry."""

    @property
    def said(self) -> str:
        """Where the file comes from, as a person reads it."""
        ...

    def bring(self, file: File, folder: Path, patience: Patience, progress: Progress | None) -> Path:
        """Put the file into a folder, unchecked, or raise NotReached."""
        ...


@dataclass(frozen=True)
class Address:
    """A public address.

    >>> Address("https://example.org/tales.txt").said
    'https://example.org/tales.txt'
    """

    url: str
    "The whole address."

    @property
    def said(self) -> str:
        """The address itself."""
        return self.url

    def bring(self, file: File, folder: Path, patience: Patience, progress: Progress | None) -> Path:
        """Download the file."""
        return download(Remote(self.url, patience), file, folder, progress)


def download(remote: Remote, file: File, folder: Path, progress: Progress | None) -> Path:
    """The file from a remote place; wrong bytes are asked for once more, from the start."""
    part = folder / "download"
    for _ in range(2):
        part.unlink(missing_ok=True)
        remote.download(part, file.size, progress)
        if file.is_at(part):
            return part
    raise NotReached(
        f"{remote.host} sent other bytes: sha256 {digest(part)[:12]}… instead of {file.sha256[:12]}…"
    )
