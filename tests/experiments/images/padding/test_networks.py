"""Borders and networks: each convolution against a loop, sizes, parameters, and messages."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.errors import RegardError
from regard.experiments.images.padding.networks import BORDERS, Border, Filters, Net1, Net2
from regard.models.cnn import ConvNet

SIZES = {
    "valid": (30, 14, 6, 2),
    "sconv": (32, 16, 8, 4),
    "fconv": (34, 18, 10, 6),
    "circular": (34, 18, 10, 6),
    "reflect": (34, 18, 10, 6),
    "replicate": (34, 18, 10, 6),
}


def pixel(picture: Tensor, row: int, column: int, mode: str) -> Tensor:
    """A pixel of all channels, by what the border says where there is none."""
    rules = {
        "zeros": lambda at, size: at,
        "circular": lambda at, size: at % size,
        "reflect": lambda at, size: -at if at < 0 else 2 * (size - 1) - at if at >= size else at,
        "replicate": lambda at, size: min(max(at, 0), size - 1),
    }
    height, width = picture.shape[1:]
    row, column = rules[mode](row, height), rules[mode](column, width)
    inside = 0 <= row < height and 0 <= column < width
    return picture[:, row, column] if inside else torch.zeros_like(picture[:, 0, 0])


def by_loop(picture: Tensor, weight: Tensor, border: Border, stride: int) -> Tensor:
    """sum over c, i, j of weight[o, c, i, j] · picture[c, stride·y + i − p, stride·x + j − p]."""
    height, width = (border.size(side, stride) for side in picture.shape[1:])
    found = torch.zeros(len(weight), height, width, dtype=picture.dtype)
    for y in range(height):
        for x in range(width):
            for i in range(3):
                for j in range(3):
                    seen = pixel(
                        picture, stride * y + i - border.pixels, stride * x + j - border.pixels, border.mode
                    )
                    found[:, y, x] += weight[:, :, i, j] @ seen
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", BORDERS)
@given(st.integers(3, 8), st.integers(3, 7), st.sampled_from([1, 2]), st.integers(0, 999))
def test_each_convolution_is_its_loop(name: str, height: int, width: int, stride: int, seed: int) -> None:
    border, generator = BORDERS[name], torch.Generator().manual_seed(seed)
    layer = border.convolution(2, 3, stride=stride).double()
    picture = torch.randn(2, height, width, generator=generator, dtype=torch.float64)
    expected = by_loop(picture, layer.weight.detach(), border, stride)
    torch.testing.assert_close(layer(picture[None])[0], expected, atol=1e-12, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", BORDERS)
def test_another_border_would_be_seen(name: str) -> None:
    """The loop tells every pair of types apart."""
    picture = torch.rand(2, 6, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    weight = torch.rand(3, 2, 3, 3, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    mine = by_loop(picture, weight, BORDERS[name], 1)
    for other in BORDERS.keys() - {name}:
        theirs = by_loop(picture, weight, BORDERS[other], 1)
        assert theirs.shape != mine.shape or (theirs - mine).abs().max() > 0.01


@pytest.mark.parametrize("name", BORDERS)
def test_sizes_are_the_known_ones_and_those_of_the_maps(name: str) -> None:
    assert BORDERS[name].sizes(32) == SIZES[name]
    maps = list(Filters(BORDERS[name]).maps(torch.rand(1, 3, 32, 32)))
    assert [one.shape[-1] for one in maps] == list(SIZES[name])
    assert [one.shape[1] for one in maps] == [32, 32, 64, 64]


def parameters(net: torch.nn.Module) -> int:
    return sum(one.numel() for one in net.parameters())


def test_parameters_are_as_many_as_published() -> None:
    assert {parameters(Net1(border)) for border in BORDERS.values()} == {65_506}
    added = {name: parameters(Net2(border)) - 65_376 - 130 for name, border in BORDERS.items()}
    assert added == {
        "valid": 16_448,
        "sconv": 65_600,
        **dict.fromkeys(("fconv", "circular", "reflect", "replicate"), 147_520),
    }
    assert parameters(ConvNet()) == 122_570


def test_net1_takes_the_largest_and_net2_keeps_the_place() -> None:
    pictures = torch.zeros(2, 3, 32, 32)
    pictures[0, 0, 8:12, 8:12] = pictures[1, 0, 16:20, 16:20] = 1
    one, two = Net1(BORDERS["fconv"]), Net2(BORDERS["fconv"])
    torch.testing.assert_close(*one(pictures), atol=1e-7, rtol=0)
    assert (two(pictures)[0] - two(pictures)[1]).abs().max() > 1e-4
    assert torch.equal(one(pictures), one.head(one.filters(pictures).amax((2, 3))))


@pytest.mark.parametrize(
    ("name", "side", "got"),
    [
        ("valid", 14, "a side of 14, 2 before convolution 4, and Border(mode='zeros', pixels=0)"),
        ("valid", 2, "a side of 2, 2 before convolution 1, and Border(mode='zeros', pixels=0)"),
        ("reflect", 2, "a side of 2, 2 before convolution 1, and Border(mode='reflect', pixels=2)"),
        ("circular", 1, "a side of 1, 1 before convolution 1, and Border(mode='circular', pixels=2)"),
    ],
)
def test_a_picture_below_the_receptive_field_is_refused(name: str, side: int, got: str) -> None:
    message = (
        "the picture is smaller than four convolutions need under this border\n"
        f"  got: {got}\n  fix: pass larger pictures, or a wider border of zeros"
    )
    for ask in (lambda: BORDERS[name].sizes(side), lambda: Net1(BORDERS[name])(torch.zeros(1, 3, 32, side))):
        with pytest.raises(RegardError) as raised:
            ask()
        assert str(raised.value) == message


@pytest.mark.slow
@pytest.mark.parametrize("name", BORDERS)
@given(side=st.integers(1, 40))
def test_what_is_not_refused_has_maps(name: str, side: int) -> None:
    try:
        sizes = BORDERS[name].sizes(side)
    except RegardError:
        return
    assert Filters(BORDERS[name])(torch.rand(1, 3, side, side)).shape[-1] == sizes[-1] >= 1


@pytest.mark.parametrize("net", [Net1(BORDERS["sconv"]), Net2(BORDERS["sconv"]), ConvNet()])
def test_other_channels_are_refused(net: torch.nn.Module) -> None:
    with pytest.raises(RegardError) as raised:
        net(torch.zeros(1, 1, 32, 32))
    assert str(raised.value) == (
        "the pictures have other channels than the network's filters\n  got: 1 channels, filters for 3\n"
        "  fix: pass pictures as number, channel, row, column; grey has 1 channel, colour 3"
    )


def test_other_sides_are_refused_where_each_place_has_weights() -> None:
    with pytest.raises(RegardError) as raised:
        Net2(BORDERS["sconv"])(torch.zeros(1, 3, 40, 40))
    assert str(raised.value) == (
        "this network has weights for maps of another size\n  got: maps of (5, 5), weights for (4, 4)\n"
        "  fix: pass pictures of the side that it was built for"
    )
