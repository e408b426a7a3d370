"""Slices of the brain: which tissue, which way up, and how far apart the parts are."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.sets.brain import TISSUES, distant, load_slices, tissues, upright
from regard.errors import RegardError, Unreachable


def test_the_likeliest_tissue_is_taken() -> None:
    grey = torch.tensor([[[0.0, 200.0, 90.0, 100.0]]])
    white = torch.tensor([[[0.0, 30.0, 130.0, 50.0]]])
    assert tissues(grey, white).flatten().tolist() == [0, 1, 2, 0]


def test_maps_of_two_brains_are_refused() -> None:
    with pytest.raises(RegardError) as raised:
        tissues(torch.zeros(2, 3, 4), torch.zeros(2, 3, 5))
    assert str(raised.value) == (
        "the two tissue maps are not of one brain\n  got: grey (2, 3, 4), white (2, 3, 5)\n"
        "  fix: remove the brain and fetch it again"
    )


def test_the_front_of_the_head_is_up() -> None:
    """The second axis of a volume runs from back to front."""
    volume = torch.arange(3 * 5 * 7).view(3, 5, 7)
    shown = upright(volume, torch.tensor([4, 6]))
    assert shown.shape == (2, 5, 3) and shown[1, 0, 2] == volume[2, 4, 6]


@given(step=st.integers(1, 4), first=st.integers(20, 100), length=st.integers(4, 30), gap=st.integers(1, 19))
def test_no_training_slice_is_nearer_than_the_gap(step: int, first: int, length: int, gap: int) -> None:
    places = torch.arange(0, 180, step)
    parts = {name: places[one] for name, one in distant(places, (first, first + length), gap).items()}
    assert (parts["train"][:, None] - parts["test"]).abs().min() >= gap
    assert ((parts["test"] >= first) & (parts["test"] < first + length)).all()


def test_a_part_that_would_be_empty_is_told_in_three_lines() -> None:
    with pytest.raises(RegardError) as raised:
        distant(torch.arange(10), (2, 8), 5)
    assert str(raised.value) == (
        "a part of the slices is empty\n  got: test=(2, 8), gap=5, slices from 0 to 9\n"
        "  fix: choose a test block and a gap that leave slices on both sides"
    )


@pytest.mark.slow
def test_the_real_brain_has_grey_around_white() -> None:
    try:
        brain = load_slices(factor=2)
    except Unreachable as missing:
        pytest.skip(str(missing))
    assert brain.classes == TISSUES and brain.images.shape[1:] == (1, 116, 98)
    shares = torch.bincount(brain.masks.flatten(), minlength=3) / brain.masks.numel()
    assert 0.1 < shares[1] < 0.3 and 0.1 < shares[2] < 0.3
    bright = [brain.images[:, 0][brain.masks == tissue].mean() for tissue in (1, 2)]
    assert bright[0] < bright[1], "white matter is brighter than grey under T1"
    # The template is symmetric: left and right are mirror images.
    assert (brain.masks == brain.masks.flip(2)).float().mean() > 0.9
