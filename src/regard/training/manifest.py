"""Checkpoint manifest: the hash and size of the tensors beside it, the facts, and a seal of its own."""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from regard.errors import RegardError

FORMAT = 1
"The version of what is written here; a page of another version is refused."


class Damaged(Exception):
    """A checkpoint that is not what was written; says how."""


@dataclass(frozen=True)
class Manifest:
    """What a checkpoint's tensors must be, and its facts."""

    facts: dict[str, Any]
    "The facts of its state."
    metric: float | None
    "The figure it was saved with: lower is better."
    size: int
    "Bytes of the tensors' file."
    digest: str
    "SHA-256 of the tensors' file."

    def page(self) -> str:
        """The manifest as JSON, sealed."""
        body = {"facts": self.facts, "metric": self.metric, "bytes": self.size, "sha256": self.digest}
        return json.dumps({"format": FORMAT, "body": body, "seal": _seal(FORMAT, body)}, indent=1)

    @staticmethod
    def read(file: Path) -> "Manifest":
        """The manifest in a file, if it is what was written."""
        try:
            page = json.loads(contents(file))
            version, body, seal = page["format"], page["body"], page["seal"]
            whole = seal == _seal(version, body) and type(version) is int
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Damaged(f"{file.name} cannot be read") from error
        if not whole:
            raise Damaged(f"{file.name} is not what was written")
        if version != FORMAT:
            raise _another_version(file, version)
        if not re.fullmatch(r"[0-9a-f]{64}", body["sha256"]):
            raise Damaged(f"{file.name} has no hash")
        return Manifest(body["facts"], body["metric"], body["bytes"], body["sha256"])


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
    """SHA-256 of a manifest's version and body."""
    return sha256(json.dumps([version, body], sort_keys=True).encode()).hexdigest()


def _another_version(file: Path, version: int) -> RegardError:
    age = "a newer" if version > FORMAT else "an older"
    return RegardError(
        f"this checkpoint was written by {age} version of regard",
        f"{file}: format {version}, this version reads {FORMAT}",
        "go on with the version that wrote it, or start anew",
    )
