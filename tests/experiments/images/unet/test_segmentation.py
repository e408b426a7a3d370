"""Training and trying a network on masks, and the rule that sees brightness alone."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from regard.data.sets.masks import Segmented
from regard.errors import RegardError
from regard.experiments.images.unet.scenes import make_scenes
from regard.experiments.images.unet.segmentation import (
    Brightness,
    Scores,
    load_segmented,
    pixel_loss,
    score,
    train_steps,
    try_on,
)
from regard.models.unet import UNet
from regard.training import Plan


def two_tone() -> Segmented:
    """Pictures whose class is their brightness, and a class of middle brightness."""
    masks = torch.randint(3, (4, 9, 11), generator=torch.Generator().manual_seed(0))
    return Segmented(
        name="tones",
        images=torch.tensor([1.0, -1.0, 0.0])[masks][:, None],
        masks=masks,
        classes=("light", "dark", "between"),
        splits={"train": torch.arange(2), "test": torch.arange(2, 4)},
        said="",
    )


def test_brightness_alone_learns_what_brightness_tells() -> None:
    pictures = two_tone()
    images, masks = pictures.whole("test")
    assert torch.equal(Brightness.learn(pictures)(images), masks)


def test_brightness_alone_takes_the_class_of_most_pixels() -> None:
    pictures = two_tone()
    masks = pictures.masks.clone()
    masks[:, :2] = 1
    mixed = Segmented(**{**vars(pictures), "masks": masks, "images": torch.zeros_like(pictures.images)})
    assert (Brightness.learn(mixed)(mixed.images) == 1).all()


def test_brightness_alone_lifts_a_rare_class_where_that_scores_better() -> None:
    """Three pixels in ten of the bright ones are of the class: most are not, and calling none so scores 0."""
    masks = torch.zeros(1, 1, 100, dtype=torch.long)
    images = torch.zeros(1, 1, 1, 100)
    images[..., :10] = 1.0
    masks[..., :3] = 1
    parts = {"train": torch.arange(1), "test": torch.arange(1)}
    rare = Segmented(name="rare", images=images, masks=masks, classes=("a", "b"), splits=parts, said="")
    found = Brightness.learn(rare)(images)
    assert torch.equal(found[0, 0] == 1, images[0, 0, 0] == 1)


def test_the_scores_leave_out_what_surrounds() -> None:
    true = torch.tensor([[[0, 0, 1, 2]]])
    found = torch.tensor([[[0, 1, 1, 2]]])
    scores = score(found, true, 3)
    assert scores.dice == pytest.approx((2 / 3 + 1) / 2) and scores.iou == pytest.approx((1 / 2 + 1) / 2)
    assert list(Scores(1, 2, 3, 4, 5).named().values()) == [1, 2, 3, 4, 5]


def test_the_loss_of_an_unpadded_network_is_over_the_middle() -> None:
    model = UNet(channels=1, classes=3, width=2, depth=1, padded=False).eval()
    images, masks = torch.randn(2, 1, 23, 25), torch.randint(3, (2, 23, 25))
    scores = model(images)
    top, left = (23 - scores.shape[2]) // 2, (25 - scores.shape[3]) // 2
    inner = masks[:, top : top + scores.shape[2], left : left + scores.shape[3]]
    assert torch.allclose(pixel_loss(model, (images, masks)), F.cross_entropy(scores, inner))


def test_trying_does_not_change_the_network_and_goes_by_parts() -> None:
    scenes = make_scenes(12, size=(16, 17))
    model = UNet(channels=1, classes=4, width=2, depth=1).train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    labels, scores = try_on(model, scenes, size=2)
    again, _ = try_on(model, scenes, size=3)
    assert torch.equal(labels, again) and model.training
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    images, masks = scenes.whole("test")
    assert scores.loss == pytest.approx(
        float(F.cross_entropy(model.eval()(images), masks).detach()), rel=1e-5
    )


@pytest.mark.slow
def test_a_small_network_tells_shapes_from_ground_better_than_brightness_can() -> None:
    made = make_scenes(48, size=(32, 32), shapes=3, noise=0.05)
    scenes = replace(made, masks=made.masks.clamp(max=1), classes=("ground", "shape"))
    torch.manual_seed(0)
    model = UNet(channels=1, classes=2, width=8, depth=2)
    plan = Plan(steps=80, optimiser="muon", learning_rate=1e-2)
    steps = list(train_steps(model, scenes, plan, batch=8, crop=None))
    images, masks = scenes.whole("test")
    alone = score(Brightness.learn(scenes)(images), masks, 2)
    assert steps[-1].loss < 0.7 * steps[0].loss and try_on(model, scenes)[1].dice > alone.dice + 0.1


def test_an_unknown_set_gets_the_nearest() -> None:
    assert load_segmented("scenes").name == "scenes"
    with pytest.raises(RegardError) as raised:
        load_segmented("brian")
    assert str(raised.value) == "no set of masks of that name\n  got: 'brian'\n  fix: did you mean 'brain'?"
