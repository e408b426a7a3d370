"""Pictures and masks of one's own: paired by name, each value a class, and what is said of folders that do not fit."""

from pathlib import Path

import numpy
import pytest
from PIL import Image

import own_words
from regard.errors import RegardError
from regard.experiments.images.unet.experiment import EXPERIMENT, Settings, run
from regard.experiments.images.unet.own import SIDE, read_own
from regard.lab.events import Metric, PairedMetric, TextEvent
from regard.lab.experiment import FOUND, Context


def squares(folder: Path, *, count: int = 4, colours: bool = False, ending: str = "_mask.png") -> Path:
    """Grey noise with a bright square whose mask is 255, or red."""
    draw = numpy.random.default_rng(0)
    for name in ("images", "masks"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        picture, mask = draw.integers(0, 99, (120, 100), numpy.uint8), numpy.zeros((120, 100), numpy.uint8)
        picture[40:70, 30:60], mask[40:70, 30:60] = 220, 255
        Image.fromarray(picture).save(folder / "images" / f"{number}.png")
        shown = numpy.stack([mask, 0 * mask, 0 * mask], 2) if colours else mask
        Image.fromarray(shown).save(folder / "masks" / f"{number}{ending}")
    return folder


@pytest.mark.parametrize("colours", [False, True])
def test_every_value_of_a_mask_is_a_class_and_the_ground_comes_first(tmp_path: Path, colours: bool) -> None:
    found = read_own(squares(tmp_path / "mine", colours=colours))
    assert found.images.shape == (4, 1, SIDE, SIDE) and found.masks.shape == (4, SIDE, SIDE)
    assert found.classes == (("#000000", "#ff0000") if colours else ("0", "255"))
    bright = found.images[:, 0] > 1.5
    assert (found.masks == 1).float().mean() == pytest.approx(0.09, abs=0.01)
    assert (bright == (found.masks == 1)).float().mean() > 0.98
    assert found.splits["train"].tolist() == [0, 1, 2] and found.splits["test"].tolist() == [3]
    assert found.said.startswith(
        "The pictures are your own: mine, 4 with their masks, grey, brought to 96 × 96; 3 to learn"
    )


def test_folders_that_do_not_fit_are_told(tmp_path: Path) -> None:
    with pytest.raises(RegardError) as error:
        read_own(tmp_path)
    assert str(error.value) == (
        f"pictures with masks lie in two folders\n  got: {tmp_path} with no folders\n"
        "  fix: put them into images and masks in it, under the same names"
    )
    with pytest.raises(
        RegardError, match="there are fewer than 4 pictures with a mask\n  got: 2 pairs of 2 pictures"
    ):
        read_own(squares(tmp_path / "few", count=2))
    with pytest.raises(RegardError, match="masks have 2 to 20 values, a class each"):
        read_own(squares(tmp_path / "blurred", ending=".jpg"))
    broken = squares(tmp_path / "broken")
    (broken / "images" / "0.png").write_text("no picture")
    with pytest.raises(RegardError, match="this is no picture that can be read"):
        read_own(broken)


@pytest.mark.slow
def test_a_folder_of_ones_own_takes_the_brains_place(tmp_path: Path) -> None:
    settings = Settings(folder=squares(tmp_path / "mine"), width=2, steps=2, seeds=2, batch=2, looks=1)
    events = list(run(settings, Context(folder=tmp_path)))
    said = next(one for one in events if isinstance(one, TextEvent))
    assert said.name == "Your pictures" and said.text.endswith("Classes: 0, 255.")
    named = {one.name for one in events if isinstance(one, Metric | PairedMetric)}
    stays = {one.name for one in EXPERIMENT.claims if not one.data}
    assert len(stays) == 2 and stays <= named
    (found,) = [one.text for one in events if isinstance(one, TextEvent) and one.name == FOUND]
    assert found.startswith("On your test pictures the networks have, over 2 seeds: Dice ")
    own_words.check("unet", events)
