"""The log of a run: a line of JSON for each event, each with a checksum of itself and of all before it."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from regard.errors import RegardError
from regard.files import Damaged, Format, contents, explained

FORMAT = Format("log", 2, "run the experiment again, or read it with the version that wrote it")
MARK = b', "seal": "%s"}'
TAIL = len(MARK % bytes(12))


@dataclass(frozen=True)
class Logged:
    """What a log holds: its lines, as far as they are whole."""

    lines: list[dict[str, Any]]
    seal: str
    "The checksum that the next line goes on from."
    size: int
    "Bytes of the whole lines; what comes after them is half a line."


class Log:
    """A log to be added to. A last line that a crash cut in two goes, so that the next one is whole.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "log.jsonl"
    >>> log = Log(place); log.add({"kind": "metric", "value": 1.5}); log.close(); read(place).lines
    [{'kind': 'metric', 'value': 1.5}]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        before = read(path)
        self._seal = before.seal
        with explained(path):
            self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            os.ftruncate(self._handle, before.size)
        if not before.size:
            self.add({"kind": "log", "format": FORMAT.version})

    def add(self, line: Mapping[str, Any]) -> None:
        """Add a line, in one write; where the disk refuses, none of it stays."""
        text = json.dumps(line, default=_plain).encode()[:-1]
        seal = _seal(self._seal, text)
        data = text + MARK % seal.encode() + b"\n"
        with explained(self.path):
            size = os.fstat(self._handle).st_size
            try:
                while data:
                    data = data[os.write(self._handle, data) :]
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._handle, size)
                raise
        self._seal = seal

    def vouch(self) -> dict[str, Any]:
        """Make all of it durable; its size and its checksum."""
        with explained(self.path):
            os.fsync(self._handle)
            data = self.path.read_bytes()
        return {"bytes": len(data), "sha256": sha256(data).hexdigest()}

    def close(self) -> None:
        os.close(self._handle)


def read(path: Path) -> Logged:
    """The lines of a log; half a line at its end does not count, and any other fault is damage."""
    data = contents(path) if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1]
    lines: list[dict[str, Any]] = []
    seal = ""
    for number, line in enumerate(whole.split(b"\n")[:-1], 1):
        text, mark = line[:-TAIL], line[-TAIL:]
        seal = _seal(seal, text)
        if mark != MARK % seal.encode():
            raise Damaged(f"{path.name}, line {number}, is not what was written")
        lines.append(json.loads(text + b"}"))
    if lines and lines[0].get("format") != FORMAT.version:
        raise FORMAT.another(path, lines[0].get("format", 1))
    return Logged(lines[1:], seal, len(whole))


def check(path: Path, voucher: Mapping[str, Any]) -> None:
    """Hold a log against what was vouched for when it was closed."""
    if sha256(contents(path, voucher["bytes"])).hexdigest() != voucher["sha256"]:
        raise Damaged(f"{path.name} is not what was written")


def _plain(value: Any) -> Any:
    """A number of numpy or torch as Python has it."""
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        return value.item()
    raise RegardError(
        "a log holds texts and numbers", f"a value of type {type(value).__name__}", "give a float or a text"
    )


def _seal(before: str, text: bytes) -> str:
    return sha256(before.encode() + text).hexdigest()[:12]
