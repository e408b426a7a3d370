"""Parcel: a run's folder as bytes, a line of JSON and the files; and its landing in a store, in one step."""

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from regard.errors import RegardError
from regard.files import Damaged, explained, settle
from regard.lab.store.run import LOCK, STAMP, Run
from regard.lab.store.runs import Store

FORMAT = 1
FILES, BYTES = 10_000, 1 << 30
"The most files and bytes of a run that travels."
NAME = re.compile(r"\w[\w .+=-]*(/\w[\w .+=-]*){0,7}")
"A file of a run: no path that could lead out of its folder, nothing hidden."


@dataclass(frozen=True)
class Parcel:
    """What a worker sends back: the key that was asked for, the run's folder if there is one, its problem."""

    key: str
    id: str
    "The name of the run's folder; empty where there is none."
    problem: str
    "What kept the run from its end, in a sentence; empty where nothing did."
    files: dict[str, bytes]

    def pack(self) -> bytes:
        """The parcel as bytes."""
        body = b"".join(self.files.values())
        head = {
            "format": FORMAT,
            "key": self.key,
            "id": self.id,
            "problem": self.problem,
            "files": [[name, len(content)] for name, content in self.files.items()],
            "sha256": sha256(body).hexdigest(),
        }
        return json.dumps(head).encode() + b"\n" + body

    @classmethod
    def unpack(cls, data: bytes) -> "Parcel":
        """The parcel that `pack` made into bytes; raises Damaged where it is anything else.

        >>> Parcel.unpack(Parcel("k", "", "it broke", {}).pack()).problem
        'it broke'
        """
        line, _, body = data.partition(b"\n")
        try:
            head = json.loads(line)
            sizes = [(str(name), int(size)) for name, size in head["files"]]
            fine = head["format"] == FORMAT and head["sha256"] == sha256(body).hexdigest()
            key, id, problem = (str(head[name]) for name in ("key", "id", "problem"))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Damaged("an answer that cannot be read") from error
        whole = fine and sum(size for _, size in sizes) == len(body) and len(dict(sizes)) == len(sizes)
        if not whole or any(size < 0 or not NAME.fullmatch(name) for name, size in sizes):
            raise Damaged("an answer that is not what was sent")
        if (id or sizes) and not STAMP.fullmatch(id):
            raise Damaged("an answer that names no run")
        return cls(key, id, problem, dict(_cut(sizes, body)))


def _cut(sizes: list[tuple[str, int]], body: bytes) -> Iterator[tuple[str, bytes]]:
    start = 0
    for name, size in sizes:
        yield name, body[start : start + size]
        start += size


def folder_of(run: Run) -> dict[str, bytes]:
    """The files of a run, by their place in its folder; drafts and the lock stay behind."""
    found = sorted(path for path in run.path.rglob("*") if path.is_file() and not path.is_symlink())
    names = {path.relative_to(run.path).as_posix(): path for path in found}
    kept = {name: path for name, path in names.items() if name != LOCK and NAME.fullmatch(name)}
    size = sum(path.stat().st_size for path in kept.values())
    if len(kept) > FILES or size > BYTES:
        raise RegardError(
            "this run is too large to be sent",
            f"{len(kept):,} files, {size:,} bytes",
            f"at most {FILES:,} files and {BYTES:,} bytes travel: run it here, without --on",
        )
    return {name: path.read_bytes() for name, path in kept.items()}


def land(store: Store, parcel: Parcel, key: str) -> Run | None:
    """Put a run into the store under its own name, in one step; one that is there already stays as it is."""
    if parcel.key != key:
        raise Damaged("an answer to another order")
    if not parcel.files:
        return None
    path = store.root / parcel.id
    draft = store.root / f".new-{os.getpid()}-{secrets.token_hex(4)}"
    with explained(store.root):
        draft.mkdir(parents=True)
    try:
        with explained(store.root):
            for name, content in parcel.files.items():
                _write(draft / name, content)
            for folder in {draft, *((draft / name).parent for name in parcel.files)}:
                settle(folder)
        _require_run(Run(draft), key)
        with explained(store.root):
            if not path.exists():
                os.rename(draft, path)
                settle(store.root)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Run(path)


def _write(path: Path, content: bytes) -> None:
    """Put a file where nobody sees it yet; it is on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _require_run(run: Run, key: str) -> None:
    """Refuse a folder that is no whole run of that key."""
    if run.problem:
        raise Damaged(f"a run that is damaged: {run.problem.got}")
    if run.request.get("key") != key:
        raise Damaged("the run of another key")
