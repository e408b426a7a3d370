"""Archives (zip, tar), read member by member into memory: nothing is extracted, no name can lead anywhere."""

import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, cast

from regard.errors import RegardError


@dataclass(frozen=True, kw_only=True)
class ArchiveLimits:
    """What an archive may grow to when it is read."""

    member: int = 256 * 2**20
    "Bytes of one member."
    total: int = 512 * 2**20
    "Bytes of all that is unpacked."
    ratio: int = 200
    "Bytes unpacked for each byte packed, beyond the first megabyte."
    count: int = 20_000
    "Members, wanted or not."


class _Refused(Exception):
    """What is wrong with an archive, in a few words."""


def read_members(
    path: Path, patterns: tuple[str, ...], limits: ArchiveLimits | None = None
) -> dict[str, bytes]:
    """The regular files of a zip or tar archive whose names match a pattern, by name and in order of name."""
    with _told(path):
        read = _read_zip if zipfile.is_zipfile(path) else _read_tar
        found: dict[str, bytes] = {}
        for name, content in read(path, patterns, limits or ArchiveLimits()):
            if name in found:
                raise _Refused(f"two members are called {name!r}")
            found[name] = content
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in found):
                raise _Refused(f"no member matches {pattern!r}")
        return dict(sorted(found.items()))


def _wanted(name: str, patterns: tuple[str, ...]) -> bool:
    if not any(fnmatchcase(name, pattern) for pattern in patterns):
        return False
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or "\\" in name or ":" in name or not name.isprintable():
        raise _Refused(f"a member is called {name!r}")
    return True


def _read_zip(path: Path, patterns: tuple[str, ...], limits: ArchiveLimits) -> Iterator[tuple[str, bytes]]:
    total = 0
    with zipfile.ZipFile(path) as archive:
        if len(archive.infolist()) > limits.count:
            raise _Refused(f"more than {limits.count} members")
        for member in archive.infolist():
            if member.is_dir() or not _wanted(member.filename, patterns):
                continue
            kind = stat.S_IFMT(member.external_attr >> 16)
            if kind not in (0, stat.S_IFREG) or member.flag_bits & 1:
                raise _Refused(f"{member.filename!r} is no plain file")
            total += member.file_size
            _allow(member.filename, member.file_size, limits.member)
            _allow(member.filename, member.file_size, 2**20 + limits.ratio * member.compress_size)
            _allow("all that is wanted", total, limits.total)
            with archive.open(member) as file:
                content = file.read(member.file_size + 1)
            if len(content) != member.file_size:
                raise _Refused(f"{member.filename!r} is not as long as the archive says")
            yield member.filename, content


def _read_tar(path: Path, patterns: tuple[str, ...], limits: ArchiveLimits) -> Iterator[tuple[str, bytes]]:
    most = min(limits.total, 2**20 + limits.ratio * path.stat().st_size)
    with (
        gzip.open(path) as packed,
        tarfile.open(fileobj=cast(Any, _Bounded(packed, most)), mode="r|") as archive,
    ):
        for number, member in enumerate(archive):
            if number >= limits.count:
                raise _Refused(f"more than {limits.count} members")
            if member.isdir() or not _wanted(member.name, patterns):
                continue
            if not member.isreg() or member.issparse():
                raise _Refused(f"{member.name!r} is no plain file")
            _allow(member.name, member.size, limits.member)
            file = archive.extractfile(member)
            assert file is not None, "a regular member has content"
            yield member.name, file.read()


def _allow(name: str, size: int, most: int) -> None:
    if size > most:
        raise _Refused(f"{name} unpacks to more than {most} bytes")


class _Bounded:
    """A stream that refuses to give more than it may: a tar archive does not say what it unpacks to."""

    def __init__(self, stream: gzip.GzipFile, most: int) -> None:
        self.stream, self.left, self.most = stream, most, most

    def read(self, size: int) -> bytes:
        # One byte more than is left tells an archive that ends here from one that goes on.
        block = self.stream.read(min(size, self.left + 1))
        self.left -= len(block)
        _allow("the archive", self.most - self.left, self.most)
        return block


@contextmanager
def _told(path: Path) -> Iterator[None]:
    damaged = (
        tarfile.TarError,
        zipfile.BadZipFile,
        gzip.BadGzipFile,
        zlib.error,
        lzma.LZMAError,
        struct.error,
    )
    # The readers of the standard library let these through when bytes are damaged.
    loose = (
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
        OverflowError,
        NotImplementedError,
        IndexError,
        KeyError,
    )
    try:
        yield
    except _Refused as refused:
        raise RegardError(
            f"{path.name} is not an archive to trust", str(refused), "remove it and fetch it again"
        ) from None
    except (*damaged, *loose, AttributeError, TypeError) as error:
        raise RegardError(
            f"{path.name} cannot be read as an archive",
            f"{type(error).__name__}: {error}",
            "remove it and fetch it again",
        ) from error
