"""Quarter turns: exact equivariance, for any weights and any picture."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.errors import RegardError
from regard.models.equivariant import Lift, P4ConvNet, Turn

SEEDS, TURNS = st.integers(0, 10_000), st.integers(1, 3)


def whole(module: torch.nn.Module, seed: int) -> torch.nn.Module:
    """The module with small whole numbers for weights: sums of them are exact in any order."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(torch.randint(-3, 4, weight.shape, generator=generator))
    return module.double()


def numbers(seed: int, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-5, 6, shape, generator=generator).double()


@given(SEEDS, TURNS, st.sampled_from([(6, 6), (5, 8)]))
def test_a_turned_picture_gives_turned_maps_one_orientation_on(
    seed: int, turn: int, shape: tuple[int, int]
) -> None:
    lift, pictures = whole(Lift(2, 3), seed), numbers(seed, 2, 2, *shape)
    assert torch.equal(lift(pictures.rot90(turn, (2, 3))), lift(pictures).rot90(turn, (3, 4)).roll(turn, 2))


@given(SEEDS, TURNS)
def test_so_do_turned_maps(seed: int, turn: int) -> None:
    layer, maps = whole(Turn(2, 3), seed), numbers(seed, 2, 2, 4, 5, 5)
    moved = maps.rot90(turn, (3, 4)).roll(turn, 2)
    assert torch.equal(layer(moved), layer(maps).rot90(turn, (3, 4)).roll(turn, 2))


@given(SEEDS, TURNS, st.sampled_from([8, 12, 16]))
def test_the_classifier_does_not_see_a_quarter_turn(seed: int, turn: int, side: int) -> None:
    net = whole(P4ConvNet(channels=2, side=side, classes=3, widths=(2, 3, 2), hidden=5), seed)
    pictures = numbers(seed, 2, 2, side, side)
    assert torch.equal(net(pictures.rot90(turn, (2, 3))), net(pictures))


def test_it_does_see_other_changes() -> None:
    net, pictures = whole(P4ConvNet(channels=1, side=8, classes=3), 1), numbers(1, 2, 1, 8, 8)
    assert not torch.equal(net(pictures.flip(2)), net(pictures)), "a mirrored picture is another one"
    assert not torch.equal(net(pictures.roll(1, 2)), net(pictures))


def test_a_filter_that_is_turned_but_not_moved_on_breaks_the_law() -> None:
    """The fault that is easily made: out[r] must read in[s] with weight[s − r], not weight[s]."""

    class Wrong(Turn):
        def forward(self, maps: Tensor) -> Tensor:
            turned = torch.stack([self.weight.rot90(turn, (3, 4)) for turn in range(4)], 1).flatten(2, 3)
            found = torch.nn.functional.conv2d(maps.flatten(1, 2), turned.flatten(0, 1), padding=1)
            return found.unflatten(1, (-1, 4))

    layer, maps = whole(Wrong(2, 3), 0), numbers(0, 2, 2, 4, 5, 5)
    moved = maps.rot90(1, (3, 4)).roll(1, 2)
    assert not torch.equal(layer(moved), layer(maps).rot90(1, (3, 4)).roll(1, 2))


def test_the_first_orientation_is_an_ordinary_convolution() -> None:
    lift, pictures = Lift(2, 3), torch.rand(1, 2, 5, 7)
    expected = torch.nn.functional.conv2d(pictures, lift.weight, lift.bias, padding=1)
    torch.testing.assert_close(lift(pictures)[:, :, 0], expected)


def test_messages() -> None:
    with pytest.raises(RegardError) as raised:
        P4ConvNet(side=30)
    assert str(raised.value) == (
        "a picture that is halved twice has a side that 4 divides\n  got: a side of 30\n"
        "  fix: pad the pictures evenly, to 28 or 32 say"
    )
    with pytest.raises(RegardError, match=r"^the pictures have other channels than the network's filters\n"):
        P4ConvNet()(torch.zeros(1, 1, 32, 32))
