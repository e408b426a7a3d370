"""Checkpoint manifest: the hash and size of the tensors beside it, the facts, and a seal of its own."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.files import Damaged, Format

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
    "Bytes of the tensors' file."
    digest: str
    "SHA-256 of the tensors' file."

    def page(self) -> str:
        """The manifest as JSON, sealed."""
        return CHECKPOINT.page(
            {"facts": self.facts, "metric": self.metric, "bytes": self.size, "sha256": self.digest}
        )

    @staticmethod
    def read(file: Path) -> "Manifest":
        """The manifest in a file, if it is what was written."""
        body = CHECKPOINT.read(file)
        if not re.fullmatch(r"[0-9a-f]{64}", body["sha256"]):
            raise Damaged(f"{file.name} has no hash")
        return Manifest(body["facts"], body["metric"], body["bytes"], body["sha256"])
