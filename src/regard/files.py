"""Files that are whole or not there, written atomically; and pages of JSON with a version and a checksum."""

import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from regard.errors import RegardError


def write(path: Path, content: bytes | str) -> None:
    """Put `content` at `path` so that a crash at any moment leaves the old file or the new one, never a part.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write(place, "first"); write(place, "second"); place.read_text()
    'second'
    """
    with writing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to be written bit by bit, which is at `path` once it is whole; nothing is, where that fails."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(3)}.tmp")
    with explained(path):
        try:
            with open(draft, "wb") as file:
                yield file
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


class Damaged(Exception):
    """A file that is not what was written; says how."""


class OtherFormat(RegardError):
    """A file that another version of the package wrote: whole, but not for this one to read."""


@dataclass(frozen=True)
class Format:
    """A kind of stored page: JSON with the version of its format and a checksum of itself.

    >>> import tempfile
    >>> place, notes = Path(tempfile.mkdtemp()) / "note.json", Format("note", 3, "write it again")
    >>> write(place, notes.page({"text": "so"})); notes.read(place)
    {'text': 'so'}
    """

    name: str
    "What such a page describes, in one or two words."
    version: int
    "The version that is written and read."
    fix: str
    "What a person does with a page of another version."
    fields: tuple[str, ...] = ()
    "What every such page has."
    early: tuple[str, ...] = ()
    "Fields by which a page is known that was written before pages had a version."

    def page(self, body: Any) -> str:
        """The page, sealed."""
        body = json.loads(json.dumps(body))
        seal = _seal(self.version, body)
        return json.dumps({"format": self.version, "page": self.name, "body": body, "seal": seal}, indent=1)

    def read(self, file: Path) -> Any:
        """What was written, if it is all there: else it is damaged, or of another format."""
        return self.parsed(contents(file), file)

    def parsed(self, content: bytes, file: Path) -> Any:
        """The same of a page that was read from a file already."""
        try:
            page = json.loads(content)
            if isinstance(page, dict) and self.early and set(self.early) <= page.keys():
                raise self.another(file, 1)
            version, body, seal = page["format"], page["body"], page["seal"]
            whole = seal == _seal(version, body) and type(version) is int
        except RegardError:
            raise
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Damaged(f"{file.name} cannot be read") from error
        if not whole:
            raise Damaged(f"{file.name} is not what was written")
        if version != self.version:
            raise self.another(file, version)
        if page.get("page") != self.name:
            raise Damaged(f"{file.name} is a page of another kind")
        if self.fields and not (isinstance(body, dict) and set(self.fields) <= body.keys()):
            raise Damaged(f"{file.name} lacks what such a page has")
        return body

    def another(self, file: Path, version: int) -> OtherFormat:
        """The refusal of a page of another version."""
        age = "a newer" if version > self.version else "an older"
        got = f"{file}: format {version}, this version reads {self.version}"
        return OtherFormat(f"this {self.name} was written by {age} version of regard", got, self.fix)


def contents(file: Path, size: int | None = None) -> bytes:
    """What a file holds; nothing is read if it has not the size that it should."""
    try:
        there = file.stat().st_size
        if size is not None and there != size:
            raise Damaged(f"{file.name} has {there} bytes, not {size}")
        return file.read_bytes()
    except OSError as error:
        raise Damaged(f"{file.name}: {error.strerror}") from error


def _seal(version: Any, body: Any) -> str:
    """SHA-256 of a page's version and body."""
    return sha256(json.dumps([version, body], sort_keys=True).encode()).hexdigest()
