"""Turned pictures: quarter turns are exact, other angles agree with a loop and with scipy."""

from math import cos, floor, radians, sin

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.errors import RegardError
from regard.experiments.images.rotate import rotate

ANGLES = st.floats(-400, 400, allow_nan=False)


def noise(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def by_loop(picture: Tensor, degrees: float) -> Tensor:
    """Bilinear, pixel by pixel: each of the four neighbours weighed by nearness, black outside."""
    height, width = picture.shape
    angle, found = radians(degrees), torch.zeros_like(picture)
    for row in range(height):
        for column in range(width):
            x, y = column - (width - 1) / 2, row - (height - 1) / 2
            across = x * cos(angle) - y * sin(angle) + (width - 1) / 2
            down = x * sin(angle) + y * cos(angle) + (height - 1) / 2
            for v in (floor(down), floor(down) + 1):
                for u in (floor(across), floor(across) + 1):
                    if 0 <= v < height and 0 <= u < width:
                        found[row, column] += (1 - abs(v - down)) * (1 - abs(u - across)) * picture[v, u]
    return found


@given(ANGLES, st.sampled_from([(5, 5), (7, 4)]))
def test_bilinear_agrees_with_a_loop(degrees: float, shape: tuple[int, int]) -> None:
    picture = noise(1, 1, *shape)
    torch.testing.assert_close(
        rotate(picture, degrees, sampling="bilinear")[0, 0],
        by_loop(picture[0, 0], degrees),
        atol=1e-9,
        rtol=0,
    )


@given(ANGLES)
def test_nearest_is_the_pixel_that_the_point_falls_into(degrees: float) -> None:
    picture, angle, found = noise(1, 1, 7, 5), radians(degrees), rotate(noise(1, 1, 7, 5), degrees)
    for row in range(7):
        for column in range(5):
            x, y = column - 2, row - 3
            across, down = x * cos(angle) - y * sin(angle) + 2, x * sin(angle) + y * cos(angle) + 3
            if min(abs(across % 1 - 0.5), abs(down % 1 - 0.5)) < 1e-6:
                continue
            v, u = round(down), round(across)
            expected = picture[0, 0, v, u] if 0 <= v < 7 and 0 <= u < 5 else 0.0
            assert found[0, 0, row, column] == expected


@pytest.mark.parametrize("degrees", [30, 137.5, 301])
def test_the_sense_of_turning_is_scipys(degrees: float) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    picture = noise(1, 1, 11, 11)
    expected = ndimage.rotate(picture[0, 0].numpy(), degrees, reshape=False, order=1, mode="grid-constant")
    found = rotate(picture, degrees, sampling="bilinear")[0, 0]
    torch.testing.assert_close(found, torch.from_numpy(expected), atol=1e-9, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(-4, 9))
@pytest.mark.parametrize("side", [28, 32, 7])
def test_quarter_turns_move_pixels_and_change_none(turn: int, side: int) -> None:
    pictures = noise(3, 2, side, side).float()
    assert torch.equal(rotate(pictures, 90 * turn), pictures.rot90(turn, (2, 3)))
    torch.testing.assert_close(
        rotate(pictures, 90 * turn, sampling="bilinear"), pictures.rot90(turn, (2, 3)), atol=1e-5, rtol=0
    )


@given(st.lists(ANGLES, min_size=3, max_size=3))
def test_an_angle_for_each_picture_is_each_picture_alone(angles: list[float]) -> None:
    pictures = noise(3, 2, 5, 5)
    alone = [rotate(pictures[i : i + 1], angle) for i, angle in enumerate(angles)]
    assert torch.equal(rotate(pictures, torch.tensor(angles, dtype=torch.float64)), torch.cat(alone))


def test_a_sampling_that_is_none_gets_the_nearest() -> None:
    with pytest.raises(RegardError) as raised:
        rotate(noise(1, 1, 3, 3), 10, sampling="bilinea")
    assert str(raised.value) == "no sampling of that name\n  got: 'bilinea'\n  fix: did you mean 'bilinear'?"
