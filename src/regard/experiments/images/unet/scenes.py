"""Generated pictures for segmentation: shapes that are told by their outlines or by their stripes, not by their brightness."""

import numpy
import torch
from torch import Tensor

from regard.data.sets.masks import Segmented, standard
from regard.shapes import Bool

SHAPES = ("ground", "disc", "box", "triangle")
"What a pixel shows: the topmost shape."
STRIPES = ("standing stripes", "lying stripes")
"What a pixel is part of."


def make_scenes(
    count: int = 96,
    *,
    size: tuple[int, int] = (64, 64),
    shapes: int = 4,
    noise: float = 0.1,
    test: float = 0.25,
    seed: int = 0,
) -> Segmented:
    """Scenes of discs, boxes and triangles of any brightness, one over the other, under noise.

    >>> scenes = make_scenes(8, size=(19, 23))
    >>> scenes.images.shape, len(scenes.part("train")), len(scenes.part("test"))
    (torch.Size([8, 1, 19, 23]), 6, 2)
    """
    made = [_scene(size, shapes, noise, numpy.random.default_rng([seed, number])) for number in range(count)]
    images, masks = (torch.stack(one) for one in zip(*made, strict=True))
    first = count - round(test * count)
    return Segmented(
        name="scenes",
        images=standard(images[:, None]),
        masks=masks,
        classes=SHAPES,
        splits={"train": torch.arange(first), "test": torch.arange(first, count)},
        said=f"The pictures are {count} generated scenes of {shapes} overlapping shapes each.",
    )


def make_textures(
    count: int = 96,
    *,
    size: tuple[int, int] = (64, 64),
    shapes: int = 3,
    noise: float = 0.1,
    test: float = 0.25,
    seed: int = 0,
) -> Segmented:
    """Shapes of lying stripes on a ground of standing stripes: both have the same brightness everywhere.

    >>> textures = make_textures(4, size=(19, 23))
    >>> textures.images.shape, textures.classes
    (torch.Size([4, 1, 19, 23]), ('standing stripes', 'lying stripes'))
    """
    made = [
        _texture(size, shapes, noise, numpy.random.default_rng([seed, number])) for number in range(count)
    ]
    images, masks = (torch.stack(one) for one in zip(*made, strict=True))
    first = count - round(test * count)
    return Segmented(
        name="textures",
        images=standard(images[:, None]),
        masks=masks,
        classes=STRIPES,
        splits={"train": torch.arange(first), "test": torch.arange(first, count)},
        said=f"The pictures are {count} generated ones: up to {shapes} shapes of lying stripes on standing stripes.",
    )


def _texture(
    size: tuple[int, int], shapes: int, noise: float, draw: numpy.random.Generator
) -> tuple[Tensor, Tensor]:
    mask = torch.zeros(size, dtype=torch.long)
    for _ in range(shapes):
        centre = draw.random(2) * size
        radius = (0.15 + 0.15 * draw.random()) * min(size)
        kind = int(draw.integers(1, len(SHAPES)))
        mask[
            outline(kind, size, (float(centre[0]), float(centre[1])), float(radius), float(draw.random()))
        ] = 1
    waves = [
        0.5 + 0.5 * torch.sin(2 * numpy.pi * (torch.arange(side) / (3 + 2 * draw.random()) + draw.random()))
        for side in size
    ]
    image = torch.where(mask == 1, waves[0][:, None], waves[1][None])
    grain = torch.from_numpy(draw.standard_normal(size).astype(numpy.float32))
    return image.float() + noise * grain, mask


def _scene(
    size: tuple[int, int], shapes: int, noise: float, draw: numpy.random.Generator
) -> tuple[Tensor, Tensor]:
    rows, columns = size
    image, mask = torch.full(size, float(draw.random())), torch.zeros(size, dtype=torch.long)
    for _ in range(shapes):
        kind = int(draw.integers(1, len(SHAPES)))
        centre = draw.random(2) * size
        radius = (0.15 + 0.15 * draw.random()) * min(rows, columns)
        inside = outline(
            kind, size, (float(centre[0]), float(centre[1])), float(radius), float(draw.random())
        )
        image[inside], mask[inside] = float(draw.random()), kind
    grain = torch.from_numpy(draw.standard_normal(size).astype(numpy.float32))
    return image + noise * grain, mask


def outline(
    kind: int, size: tuple[int, int], centre: tuple[float, float], radius: float, turn: float
) -> Bool[Tensor, "y x"]:
    """The pixels inside a disc (1), a box (2) or a triangle (3), turned by a share of a circle.

    >>> outline(1, (3, 5), (1.0, 2.0), 1.1, 0.0).int()
    tensor([[0, 0, 1, 0, 0],
            [0, 1, 1, 1, 0],
            [0, 0, 1, 0, 0]], dtype=torch.int32)
    """
    y = torch.arange(size[0]).unsqueeze(1) - centre[0]
    x = torch.arange(size[1]).unsqueeze(0) - centre[1]
    if kind == 1:
        return y.square() + x.square() <= radius**2
    # A regular polygon is where no side is farther from the middle than the sides are.
    sides = {2: 4, 3: 3}[kind]
    angles = [2 * numpy.pi * (turn + side / sides) for side in range(sides)]
    away = [float(numpy.sin(angle)) * y + float(numpy.cos(angle)) * x for angle in angles]
    return torch.stack(away).amax(0) <= radius * float(numpy.cos(numpy.pi / sides))
