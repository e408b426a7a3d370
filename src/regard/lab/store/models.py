"""Models of a run by their pages, without torch: where they lie, their sizes, their parameters."""

import json
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Literal

from regard.errors import RegardError
from regard.files import Damaged, Format, OtherFormat

FILE, VISION_FILE = "model.json", "vision.json"
AGAIN = "run the experiment again, or use the version that wrote it"
MODEL = Format(
    "text model",
    2,
    AGAIN,
    fields=("place", "config", "tokenizer"),
    early=("config", "tokenizer"),
)
VISION = Format("vision model", 1, AGAIN, fields=("sight", "classes", "mean", "deviation"))
HEADER = 1 << 20
"Bytes of the longest list of tensors that is read."


@dataclass(frozen=True)
class StoredModel:
    """A model on disk: its folder, and what it reads."""

    path: Path
    kind: Literal["text", "vision"]

    def sizes(self) -> dict[str, Any]:
        """Its sizes as its page tells them; of one that cannot be read, why."""
        try:
            if self.kind == "vision":
                return _vision_sizes(VISION.read(self.path / VISION_FILE)) | self._parameters()
            config = MODEL.read(self.path / FILE)["config"]
        except Damaged as error:
            return {"problem": f"this model is damaged: {error}"}
        except RegardError as error:
            return {"problem": error.what}
        names = {"context": "context", "vocabulary": "vocabulary", "layers": "depth", "heads": "heads"}
        return {word: config[name] for word, name in names.items()} | self._parameters()

    def _parameters(self) -> dict[str, Any]:
        return {"parameters": parameters(self.path)}


def text_models(run: Path) -> dict[str, Path]:
    """The folders of a run that hold a text model, by name, in the order in which they were made."""
    return {file.parent.name: file.parent for file in sorted(run.rglob(FILE), key=_place)}


def stored_models(run: Path) -> list[StoredModel]:
    """All models of a run: those that read text, then those that look at pictures."""
    text = [StoredModel(path, "text") for path in text_models(run).values()]
    return text + [StoredModel(file.parent, "vision") for file in sorted(run.rglob(VISION_FILE))]


def parameters(folder: Path) -> int | None:
    """How many numbers the newest checkpoint of a model has, from the list at its file's beginning."""
    files = sorted(folder.glob("step-*.safetensors"))
    with suppress(OSError, ValueError, KeyError, TypeError, IndexError):
        with open(files[-1], "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            listed = json.loads(file.read(min(size, HEADER)))
        return sum(prod(one["shape"]) for name, one in listed.items() if name.startswith("model."))
    return None


def _vision_sizes(page: dict[str, Any]) -> dict[str, Any]:
    sight = page["sight"]
    patches = (sight["side"] // sight["patch"]) ** 2
    sizes = {
        "context": patches,
        "vocabulary": sight["classes"],
        "layers": sight["depth"],
        "heads": sight["heads"],
    }
    return (
        sizes | {name: sight[name] for name in ("side", "channels", "patch")} | {"classes": page["classes"]}
    )


def _place(file: Path) -> tuple[int, str]:
    """Where a model stands among those of its run, as its file says: a copy of the file has other times."""
    try:
        return MODEL.read(file)["place"], file.parent.name
    except (Damaged, OtherFormat):
        return -1, file.parent.name
