"""What comes with the package to look at: recorded runs, small trained models, graphs and mixtures."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from regard.lab.store.runs import Store

FOLDER = Path(__file__).with_name("bundle")
GRAPHS = ("karate", "cora")


@dataclass(frozen=True)
class Bundled:
    """The folder of recorded things; each says in itself how it was made."""

    folder: Path = FOLDER

    @property
    def runs(self) -> Store:
        """Recorded runs, as a store."""
        return Store(self.folder / "runs")

    @property
    def models(self) -> Path:
        """The folder of trained models."""
        return self.folder / "models"

    @cached_property
    def graphs(self) -> dict[str, dict[str, Any]]:
        """Graphs with the attention of a trained layer, by id."""
        return {name: found for name in GRAPHS if (found := self._read(name)) is not None}

    @cached_property
    def mixtures(self) -> dict[str, Any] | None:
        """The mixtures over Europe, epoch by epoch."""
        return self._read("mixtures")

    @cached_property
    def about(self) -> dict[str, Any]:
        """What each trained model is and how it was made, by its folder's name."""
        return self._read("models") or {}

    def _read(self, name: str) -> dict[str, Any] | None:
        file = self.folder / f"{name}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
