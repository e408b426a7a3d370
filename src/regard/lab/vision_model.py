"""A trained vision transformer: its sizes and how pictures are scaled lie beside its checkpoint."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from torch import Tensor

from regard.errors import RegardError
from regard.files import Damaged, explained, write
from regard.lab.store.models import VISION, VISION_FILE
from regard.models.vit import PatchTransformer, Sight
from regard.shapes import Float
from regard.training import Checkpoints, TrainingState


@dataclass(frozen=True)
class VisionModel:
    """A model over patches, the names of its classes, and how pixels are scaled for it."""

    model: PatchTransformer
    classes: tuple[str, ...]
    mean: float
    "Of the pixels that it learned from, 0 to 255."
    deviation: float

    def scaled(self, pixels: Float[Tensor, "c y x"]) -> Float[Tensor, "1 c y x"]:
        """Pixels from 0 to 255 as the model learned them."""
        return ((pixels - self.mean) / self.deviation)[None]


def save_vision_model(
    folder: Path, model: PatchTransformer, classes: Sequence[str], mean: float, deviation: float
) -> None:
    """Write down a model with all that is needed to use it."""
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    page = {"sight": asdict(model.sight), "classes": list(classes), "mean": mean, "deviation": deviation}
    write(folder / VISION_FILE, VISION.page(page))
    tensors = {f"model.{name}": one.detach() for name, one in model.state_dict().items()}
    Checkpoints(folder).save(TrainingState(tensors, {"step": 0}))


def load_vision_model(folder: Path) -> VisionModel:
    """The model in a folder."""
    try:
        page = VISION.read(folder / VISION_FILE)
    except Damaged as error:
        raise RegardError(
            "this run's model is damaged", f"{folder}: {error}", "run the experiment again"
        ) from error
    loaded = Checkpoints(folder).last()
    if loaded is None:
        raise RegardError("the run has not saved its model yet", folder.name, "wait for its end")
    model = PatchTransformer(Sight(**page["sight"])).eval()
    model.load_state_dict(loaded.state.part("model."), strict=True)
    return VisionModel(model, tuple(page["classes"]), page["mean"], page["deviation"])
