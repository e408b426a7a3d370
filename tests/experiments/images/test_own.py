"""Pictures of one's own as a setting, through the experiments that take them."""

from pathlib import Path

import numpy
import pytest
from PIL import Image

import own_words
from regard.errors import RegardError
from regard.experiments.images.own import OwnPictures
from regard.experiments.images.pixels import experiment as pixels
from regard.experiments.images.rotation import experiment as rotation
from regard.lab.events import FigureEvent, Metric, PairedMetric, TextEvent
from regard.lab.experiment import Context
from regard.lab.settings import change, listing

SMALL = {
    rotation: {"digits": 20, "tested": 6, "epochs": 1, "seeds": 1, "widths": (2, 2, 2), "turn_widths": (2, 2, 2)},
    pixels: {"pictures": 20, "tests": 6, "steps": 2, "seeds": 2, "width": 8, "depth": 1, "shifts": (0, 4), "angles": (0, 90)},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    draw = numpy.random.default_rng(0)
    for name, shape in (("dark", (12, 10)), ("bright", (9, 9, 3)), ("clear", (20, 11, 4))):
        (tmp_path / "mine" / name).mkdir(parents=True)
        for number in range(6):
            values = draw.integers(0, 99 if name == "dark" else 255, shape, numpy.uint8)
            Image.fromarray(values).save(tmp_path / "mine" / name / f"{number}.png")
    return tmp_path / "mine"


@pytest.mark.slow
@pytest.mark.parametrize("home", [rotation, pixels])
def test_a_folder_of_pictures_takes_the_originals_place(tmp_path: Path, folder: Path, home) -> None:
    events = list(home.run(home.Settings(folder=folder, **SMALL[home]), Context(folder=tmp_path)))
    said = next(one for one in events if isinstance(one, TextEvent))
    assert (
        said.name == "Your pictures" and "18 pictures in 3 classes (bright 6, clear 6, dark 6)" in said.text
    )
    named = {one.name for one in events if isinstance(one, Metric | PairedMetric)}
    stays = {one.name for one in home.EXPERIMENT.claims if not one.data}
    assert stays and stays <= named and any(isinstance(one, FigureEvent) for one in events)
    own_words.check("rotation" if home is rotation else "pixels", events)


def test_the_setting_has_its_sentence_and_its_message(tmp_path: Path) -> None:
    sentences = {name: sentence for name, _, sentence in listing(rotation.Settings())}
    assert sentences["folder"].startswith("A folder of pictures of your own") and sentences["epochs"]
    with pytest.raises(RegardError, match="no folder of that name\n  got: 'nowhere'"):
        change(OwnPictures(), ["folder=nowhere"])
    (tmp_path / "mine.png").write_text("")
    with pytest.raises(RegardError, match="the setting 'folder' names a folder"):
        change(OwnPictures(), [f"folder={tmp_path / 'mine.png'}"])
