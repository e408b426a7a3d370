"""Folders of pictures: of all modes and sizes, with files among them that are none."""

from pathlib import Path

import numpy
import pytest
import torch
from PIL import Image

from regard.data.sets.folder import _tested, read_pictures
from regard.errors import RegardError


def save(path: Path, values, mode: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(numpy.array(values, numpy.uint8))
    (picture.convert(mode) if mode else picture).save(path)


def filled(value, size=(6, 6)) -> numpy.ndarray:
    return numpy.full((*size, *numpy.shape(value)), value, numpy.uint8)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    for number in range(6):
        save(folder / "cats" / f"{number}.png", filled(40 * number, (6 + number, 9)))
        save(folder / "dogs" / f"{number}.png", filled(255))
    return folder


def test_grey_pictures_stay_grey_and_every_fifth_is_tried_on(mine: Path) -> None:
    (mine / "cats" / "notes.txt").write_text("no picture")
    (mine / "cats" / "broken.png").write_text("no picture")
    (mine / ".DS_Store").write_text("")
    found = read_pictures(mine, side=4)
    assert found.train.shape == (10, 1, 4, 4) and found.test.shape == (2, 1, 4, 4)
    assert found.classes == ("cats", "dogs") and sorted(found.test_labels.tolist()) == [0, 1]
    assert found.train[found.train_labels == 1].unique().tolist() == [255]
    assert sorted(found.train[found.train_labels == 0][:, 0, 0, 0].tolist()) == [0, 40, 80, 120, 200]
    assert found.said == (
        "The pictures are your own: mine, 12 pictures in 2 classes (cats 6, dogs 6), grey, of 7 sizes from 6 × 6 to 9 × 11, "
        "brought to 4 × 4; 10 to learn from, 2 to be tried on. 2 files that are no pictures were passed over."
    )


def test_one_picture_in_colour_makes_all_coloured_unless_grey_is_asked_for(mine: Path) -> None:
    save(mine / "cats" / "red.png", filled((255, 0, 0)))
    found = read_pictures(mine, side=4)
    assert found.train.shape[1] == 3
    grey = read_pictures(mine, side=4, colour="grey")
    assert grey.train.shape[1] == 1 and 76 in torch.cat([grey.train, grey.test]).unique()


def test_what_is_transparent_is_black_and_sixteen_bits_are_eight(mine: Path) -> None:
    save(mine / "clear" / "0.png", filled((200, 200, 200, 0)))
    save(mine / "clear" / "1.png", filled((200, 200, 200, 255)))
    Image.fromarray(numpy.full((6, 6), 65535, numpy.uint16)).save(mine / "clear" / "2.png")
    found = read_pictures(mine, side=4, colour="grey")
    place = found.classes.index("clear")
    pixels = torch.cat([found.train[found.train_labels == place], found.test[found.test_labels == place]])
    assert sorted(pixels[:, 0, 0, 0].tolist()) == [0, 200, 255]


def test_folders_for_train_and_test_are_the_split(tmp_path: Path) -> None:
    for part, count in (("train", 3), ("val", 2)):
        for name in ("a", "b"):
            for number in range(count):
                save(tmp_path / part / name / f"{number}.jpg", filled(7))
    found = read_pictures(tmp_path, side=4)
    assert len(found.train) == 6 and len(found.test) == 4 and found.classes == ("a", "b")


def test_no_folder_no_classes_too_few(tmp_path: Path, mine: Path) -> None:
    for folder, start in (
        (tmp_path / "none", f"no folder of that name\n  got: '{tmp_path / 'none'}'"),
        (tmp_path / ("x" * 300), "no folder of that name"),
        (mine / "cats", f"pictures need two classes or more\n  got: {mine / 'cats'} with no folder that holds pictures, and 6 files"),
        (tmp_path, f"pictures need two classes or more\n  got: {tmp_path} with 12 pictures in one folder, 'mine'"),
    ):  # fmt: skip
        with pytest.raises(RegardError) as error:
            read_pictures(folder)
        assert str(error.value).startswith(start)
    save(mine / "lone" / "1.png", filled(1))
    with pytest.raises(RegardError, match="a class has too few pictures\n  got: cats 6, dogs 6, lone 1 in"):
        read_pictures(mine)


def test_every_fifth_of_each_class_is_tried_on_and_of_a_small_class_the_last() -> None:
    labels = torch.tensor([0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 1, 1])
    assert _tested([""] * len(labels), labels).nonzero().flatten().tolist() == [2, 7, 9, 14]
