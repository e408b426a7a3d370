"""Trained models in memory: loaded from their folder when first asked for, the last few kept."""

from collections import OrderedDict
from pathlib import Path

from regard.lab.text_model import TextModel, load_text_model
from regard.lab.vision_model import VisionModel, load_vision_model
from regard.web.refusal import Refusal

KEPT = 3
"Models that stay in memory."
Place = dict[str, str]
"A model's folder (`path`) and what it reads (`kind`), from the server's table, never from a request."


class Models:
    """The models that lie under some folders, by their place."""

    def __init__(self, roots: list[Path]) -> None:
        self.roots = [root.resolve() for root in roots]
        self._loaded: OrderedDict[tuple[Path, int], TextModel | VisionModel] = OrderedDict()

    def load(self, place: Place) -> TextModel | VisionModel:
        """The model at a place."""
        folder = Path(place["path"]).resolve()
        if not any(root in folder.parents for root in self.roots):
            raise Refusal(403, "this model lies elsewhere", folder.name, "choose one of the list")
        newest = max((file.stat().st_mtime_ns for file in folder.glob("*.json")), default=0)
        key = folder, newest
        if key not in self._loaded:
            vision = place["kind"] == "vision"
            self._loaded[key] = (
                load_vision_model(folder) if vision else load_text_model(folder.parent, folder.name)
            )
            while len(self._loaded) > KEPT:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(key)
        return self._loaded[key]

    def text(self, place: Place) -> TextModel:
        """The model at a place, if it reads text."""
        found = self.load(place)
        if not isinstance(found, TextModel):
            raise Refusal(400, "this model looks at pictures", place["kind"], "choose one that reads text")
        return found
