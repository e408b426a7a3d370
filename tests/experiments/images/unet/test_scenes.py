"""Scenes of overlapping shapes: known outlines, the topmost wins, the same seed gives the same scene."""

import math

import pytest
import torch

from regard.experiments.images.unet.scenes import SHAPES, STRIPES, make_scenes, make_textures, outline


def test_areas_are_those_of_geometry() -> None:
    size, centre, radius = (201, 211), (100.3, 104.8), 77.0
    for kind, area in ((1, math.pi), (2, 2.0), (3, 3 * math.sqrt(3) / 4)):
        for turn in (0.0, 0.13):
            found = int(outline(kind, size, centre, radius, turn).sum())
            assert abs(found / (area * radius**2) - 1) < 0.01


def test_a_turned_box_has_its_corner_where_the_turn_says() -> None:
    box = outline(2, (21, 21), (10.0, 10.0), 8.5, 0.125)
    assert box[10, 18] and box[18, 10] and not box[17, 17]
    upright = outline(2, (21, 21), (10.0, 10.0), 8.5, 0.0)
    assert upright[16, 16] and not upright[10, 18]


def test_scenes_follow_from_the_seed_and_each_from_its_number() -> None:
    few, many = make_scenes(4, size=(17, 19)), make_scenes(8, size=(17, 19))
    assert torch.equal(few.masks, many.masks[:4])
    assert not torch.equal(few.masks, make_scenes(4, size=(17, 19), seed=1).masks)


def test_brightness_is_one_value_on_each_shape_without_noise() -> None:
    scenes = make_scenes(3, size=(29, 31), noise=0.0)
    for image in scenes.images[:, 0]:
        assert len(image.unique()) <= 1 + 4
    assert scenes.classes == SHAPES and set(scenes.masks.unique().tolist()) == {0, 1, 2, 3}


@pytest.mark.slow
def test_brightness_says_nothing_about_the_shape() -> None:
    scenes = make_scenes(200, size=(32, 32))
    means = [float(scenes.images[:, 0][scenes.masks == kind].mean()) for kind in range(4)]
    assert max(means) - min(means) < 0.35


def test_brightness_says_nothing_about_the_direction_of_stripes() -> None:
    textures = make_textures(60, size=(48, 40))
    lying, standing = (textures.images[:, 0][textures.masks == kind] for kind in (1, 0))
    assert textures.classes == STRIPES and 0.05 < textures.masks.double().mean() < 0.6
    assert abs(lying.mean() - standing.mean()) < 0.1 and abs(lying.std() / standing.std() - 1) < 0.1


def test_stripes_lie_in_shapes_and_stand_on_the_ground() -> None:
    textures = make_textures(3, size=(31, 29), noise=0.0)
    for image, mask in zip(textures.images[:, 0], textures.masks, strict=True):
        for row in range(31):
            assert len(image[row][mask[row] == 1].unique()) <= 1
        for column in range(29):
            assert len(image[:, column][mask[:, column] == 0].unique()) <= 1
