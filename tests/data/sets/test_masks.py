"""Pictures with masks: batches are a pure function of their number, crops belong together, labels are known."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.data.sets.masks import Segmented, shrink, standard
from regard.errors import RegardError


def pictures(**changes) -> Segmented:
    """Seven pictures in which every pixel says its picture and place, and its mask the same."""
    code = torch.arange(7 * 11 * 13).view(7, 11, 13)
    fields = {
        "name": "codes",
        "images": code[:, None].float(),
        "masks": code,
        "classes": tuple(map(str, range(7 * 11 * 13))),
        "splits": {"train": torch.tensor([0, 2, 3]), "test": torch.tensor([5])},
        "said": "",
    }
    return Segmented(**{**fields, **changes})


def told(call) -> str:
    with pytest.raises(RegardError) as raised:
        call()
    return str(raised.value)


@given(index=st.integers(0, 50), seed=st.integers(0, 2**40), crop=st.integers(1, 11))
def test_a_crop_of_a_picture_is_a_crop_of_its_mask(index: int, seed: int, crop: int) -> None:
    images, masks = pictures().batch("train", index, size=3, seed=seed, crop=crop)
    assert images.shape == (3, 1, crop, crop) and torch.equal(images[:, 0].long(), masks)
    numbers = masks[:, 0, 0] // (11 * 13)
    assert set(numbers.tolist()) <= {0, 2, 3}
    rows = masks % (11 * 13) // 13
    assert torch.equal(rows - rows[:, :1, :1], torch.arange(crop).view(1, -1, 1).expand_as(rows))


def test_a_batch_of_six_is_two_of_three() -> None:
    whole = pictures().batch("train", 4, size=6, seed=1, crop=5)[1]
    parts = [pictures().batch("train", index, size=3, seed=1, crop=5)[1] for index in (8, 9)]
    assert torch.equal(whole, torch.cat(parts))
    assert not torch.equal(whole, pictures().batch("train", 4, size=6, seed=2, crop=5)[1])


def test_every_place_of_every_picture_is_drawn() -> None:
    seen = pictures().batch("train", 0, size=3000, seed=0, crop=9)[1][:, 0, 0]
    assert len(seen.unique()) == 3 * (11 - 9 + 1) * (13 - 9 + 1)


def test_without_a_crop_pictures_come_whole() -> None:
    images, masks = pictures().batch("test", 0, size=2, seed=0)
    assert images.shape == (2, 1, 11, 13) and torch.equal(masks[0], pictures().whole("test")[1][0])


def test_squares_are_averaged_and_vote() -> None:
    images = torch.arange(12.0).view(1, 1, 2, 6)
    masks = torch.tensor([[[0, 0, 1, 2, 2, 2], [0, 1, 1, 1, 0, 0]]])
    small, labels = shrink(images, masks, 2)
    assert small.flatten().tolist() == [3.5, 5.5, 7.5] and labels.flatten().tolist() == [0, 1, 0]


def test_standard_pictures_have_mean_zero_and_variance_one_by_channel() -> None:
    images = standard(torch.randn(3, 2, 5, 7) * torch.tensor([3.0, 0.1]).view(1, 2, 1, 1) + 4)
    assert torch.allclose(images.mean((0, 2, 3)), torch.zeros(2), atol=1e-5)
    assert torch.allclose(images.std((0, 2, 3)), torch.ones(2), atol=1e-5)
    assert torch.equal(standard(torch.ones(1, 1, 2, 2)), torch.zeros(1, 1, 2, 2))


def test_what_does_not_fit_is_told_in_three_lines() -> None:
    assert told(lambda: pictures(masks=torch.zeros(7, 11, 12, dtype=torch.long))) == (
        "the masks of codes do not fit its pictures\n  got: pictures (7, 1, 11, 13), masks (7, 11, 12)\n"
        "  fix: give (b c y x) and (b y x) of the same b, y and x"
    )
    assert told(lambda: pictures(classes=("a", "b"))) == (
        "the masks of codes have labels without a class\n  got: label 2, and the classes are {0: 'a', 1: 'b'}\n"
        "  fix: name a class for each label, or change the labels"
    )
    assert "label -1" in told(lambda: pictures(masks=pictures().masks - 1))
    assert told(lambda: pictures().batch("tran", 0, size=1, seed=0)) == (
        "no split of that name\n  got: 'tran'\n  fix: did you mean 'train'?"
    )
    assert told(lambda: pictures().batch("train", 0, size=1, seed=0, crop=12)) == (
        "no such batch\n  got: index=0, size=1, seed=0, crop=12 of (11, 13)\n"
        "  fix: index >= 0, size >= 1, seed >= 0 and a crop that fits into a picture"
    )
