"""Captions of segmentations: the order of the networks, whether they come nearer, and where the errors lie."""

import torch

from regard.experiments.images.unet.captions import curves_caption, pictures_caption, table_caption


def test_networks_are_named_in_the_order_of_their_dice() -> None:
    assert "the order is b (0.900), a (0.500)" in table_caption("brain", {"a": 0.5, "b": 0.9})


def test_curves_say_whether_the_networks_come_nearer_and_pass_the_rule() -> None:
    nearer = {"with skips": [[(10, 0.5), (20, 0.9)]], "without skips": [[(10, 0.2), (20, 0.8)]]}
    told = curves_caption("brain", nearer, 0.85)
    assert (
        "with skips end above it" in told and "Dice minus that without skips is +0.300 after 10 steps" in told
    )
    assert "+0.100 after 20: they come nearer" in told
    apart = {"with skips": [[(10, 0.2), (20, 0.8)]], "without skips": [[(10, 0.2), (20, 0.5)]]}
    told = curves_caption("brain", apart, 0.85)
    assert "neither network ends above it" in told and "they do not come nearer" in told


def test_errors_at_outlines_are_told_from_errors_inside() -> None:
    masks = torch.zeros(1, 20, 20, dtype=torch.long)
    masks[:, :, 10:] = 1
    edge, inside = masks.clone(), masks.clone()
    edge[:, :, 10] = 0
    inside[:, :, 17] = 0
    told = pictures_caption("brain", {"first": edge, "second": inside}, masks, 2)
    assert "first, 5.0 % of the pixels, 100 % of these within" in told
    assert "second, 5.0 % of the pixels, 0 % of these within" in told
