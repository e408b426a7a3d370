"""Overlap scores against sklearn, and outlines against a loop."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.experiments.images.unet.overlap import boundary_score, dice, grow, iou, outline


def masks(seed: int, classes: int = 3) -> tuple[Tensor, Tensor]:
    """Two random segmentations that agree in most places."""
    draw = torch.Generator().manual_seed(seed)
    true = torch.randint(classes, (2, 4, 5), generator=draw).repeat_interleave(3, 1).repeat_interleave(2, 2)
    other = torch.randint(classes, true.shape, generator=draw)
    return true.where(torch.rand(true.shape, generator=draw) < 0.8, other), true


@pytest.mark.slow
@given(seed=st.integers(0, 10_000))
def test_dice_and_iou_are_those_of_sklearn(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    found, true = masks(seed)
    flat = true.flatten().numpy(), found.flatten().numpy()
    options = {"labels": [0, 1, 2], "average": None, "zero_division": 1.0}
    assert torch.allclose(dice(found, true, 3), torch.from_numpy(metrics.f1_score(*flat, **options)))
    assert torch.allclose(iou(found, true, 3), torch.from_numpy(metrics.jaccard_score(*flat, **options)))


def score_by_loop(found: Tensor, true: Tensor, kind: int, tolerance: int) -> float:
    def edge(mask: Tensor) -> set[tuple[int, ...]]:
        member = {tuple(place) for place in (mask == kind).nonzero().tolist()}
        near = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        inside = [
            place
            for place in member
            if any(
                0 <= place[1] + a < mask.shape[1]
                and 0 <= place[2] + b < mask.shape[2]
                and (place[0], place[1] + a, place[2] + b) not in member
                for a, b in near
            )
        ]
        return set(inside)

    def share(ours: set, theirs: set) -> float:
        hits = sum(
            any(b == q and max(abs(y - r), abs(x - s)) <= tolerance for q, r, s in theirs) for b, y, x in ours
        )
        return hits / len(ours) if ours else 1.0

    ours, theirs = edge(found), edge(true)
    p, r = share(ours, theirs), share(theirs, ours)
    return 2 * p * r / (p + r) if p + r else 0.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tolerance", [0, 1, 2])
def test_the_outline_score_is_that_of_a_loop(seed: int, tolerance: int) -> None:
    found, true = masks(seed)
    expected = [score_by_loop(found, true, kind, tolerance) for kind in range(3)]
    assert boundary_score(found, true, 3, tolerance=tolerance).tolist() == pytest.approx(expected)


def test_equal_masks_score_one_and_a_shifted_square_is_a_pixel_off() -> None:
    true = torch.zeros(1, 12, 12, dtype=torch.long)
    true[:, 3:8, 3:8] = 1
    for one in (dice, iou, boundary_score):
        assert one(true, true, 2).tolist() == [1.0, 1.0]
    moved = true.roll(1, 2)
    assert dice(moved, true, 2)[1] == pytest.approx(2 * 20 / 50)
    assert boundary_score(moved, true, 2, tolerance=1)[1] == 1.0
    assert boundary_score(moved, true, 2)[1] == pytest.approx(8 / 16)


def test_a_class_nobody_has_is_right() -> None:
    empty = torch.zeros(1, 4, 4, dtype=torch.long)
    assert dice(empty, empty, 2)[1] == iou(empty, empty, 2)[1] == boundary_score(empty, empty, 2)[1] == 1.0


def test_the_outline_of_a_square() -> None:
    square = torch.zeros(1, 1, 7, 7, dtype=torch.bool)
    square[..., 1:6, 1:6] = True
    assert int(outline(square).sum()) == 16 and int(grow(square, 1).sum()) == 49
