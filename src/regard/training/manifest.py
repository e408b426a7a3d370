"""Checkpoint manifest: the hash and size of the tensors beside it, the facts, and a seal of its own."""

import re
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from regard.files import Damaged, Format
from regard.training.sharded.files import Shards

CHECKPOINT = Format(
    "checkpoint",
    2,
    "go on with the version that wrote it, or start anew",
    fields=("facts", "metric", "bytes", "sha256"),
)


@dataclass(frozen=True)
class Manifest:
    """What a checkpoint's tensors must be, and its facts."""

    facts: dict[str, Any]
    "The facts of its state."
    metric: float | None
    "The figure it was saved with: lower is better."
    size: int
    "Bytes of the tensors' file; of shards, of all their files."
    digest: str
    "SHA-256 of the tensors' file; of shards, of the list of their hashes."
    shards: Shards | None = None
    "The files of a sharded checkpoint."

    def page(self) -> str:
        """The manifest as JSON, sealed."""
        body = {"facts": self.facts, "metric": self.metric, "bytes": self.size, "sha256": self.digest}
        return CHECKPOINT.page(body if self.shards is None else body | {"shards": asdict(self.shards)})

    @staticmethod
    def read(file: Path) -> "Manifest":
        """The manifest in a file, if it is what was written."""
        body = CHECKPOINT.read(file)
        if not re.fullmatch(r"[0-9a-f]{64}", body["sha256"]):
            raise Damaged(f"{file.name} has no hash")
        shards = Shards.of(body["shards"]) if "shards" in body else None
        return Manifest(body["facts"], body["metric"], body["bytes"], body["sha256"], shards)

    @staticmethod
    def of_shards(facts: dict[str, Any], metric: float | None, shards: Shards) -> "Manifest":
        """The manifest of a sharded checkpoint."""
        digests = "".join(digest for *_, digest in shards.files)
        size = sum(size for _, size, _ in shards.files)
        return Manifest(facts, metric, size, sha256(digests.encode()).hexdigest(), shards)
