"""Shift equivariance: what a U-Net answers for a picture that is moved, with skips and without."""

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from regard.experiments.images.unet.figures import draw_shifts
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric
from regard.models.unet import UNet

SHIFTS = (
    "Left: the share of probability that changes class, averaged over the picture (seed 0), when the picture is shifted by so many pixels and the answer is moved back. A convolution alone would give 0 "
    "everywhere. Max pooling starts its squares at even pixels, so only shifts by 2^depth (dotted) must change nothing. If even shifts change less than odd ones, the change comes from the topmost level; if it grows to the middle of the period, from the lowest. Right: where each network changes its mind (seed 0)."
)


def shifted(model: UNet, picture: Tensor, shift: int, border: int) -> Tensor:
    """How much the probabilities of a picture (c y x) change when it is shifted right, moved back, by pixel.

    The picture lies on a ground of its own corner's brightness, `border` pixels wide, so that neither the shift nor
    the padding of the network cuts anything off.
    """
    ground = (
        picture[:, :1, :1].expand(-1, picture.shape[1] + 2 * border, picture.shape[2] + 2 * border).clone()
    )
    ground[:, border:-border, border:-border] = picture
    with torch.no_grad():
        still, moved = (model(one[None]).softmax(1)[0] for one in (ground, ground.roll(shift, 2)))
    change = (moved.roll(-shift, 2) - still).abs().sum(0) / 2
    return change[border:-border, border:-border]


def compare_shifts(models: Mapping[str, Sequence[UNet]], picture: Tensor, period: int) -> Iterator[Event]:
    """By how much the answers of the networks with skips and of those without change, up to a whole period."""
    # Not quite six times the period is what a score sees to each side; the rest is room for the shift.
    border = 7 * period
    shifts = range(0, period + 1)
    curves = {name: {shift: [] for shift in shifts} for name in models}
    maps: dict[tuple[str, int], Tensor] = {}
    for name, curve in curves.items():
        for seed, model in enumerate(models[name]):
            for shift in shifts if seed == 0 else (1, period // 2):
                change = shifted(model.eval(), picture, shift, border)
                maps.setdefault((name, shift), change)
                curve[shift].append(float(change.mean()))
                yield Metric(f"change under a shift, {name}", curve[shift][-1], seed, {"pixels": shift})
        exact = shifted(models[name][0].double(), picture.double(), period, border)
        yield Metric(f"largest change under a shift by {period}, {name}", float(exact.max()))
        models[name][0].float()
    (first, second), half = models, period // 2
    yield PairedMetric(
        "change under a shift of half a period, with skips minus without",
        (first, second),
        dict(enumerate(curves[first][half])),
        dict(enumerate(curves[second][half])),
    )
    shown = {(name, shift): maps[name, shift] for name in curves for shift in (1, half, period)}
    yield FigureEvent("shifts", draw_shifts(curves, shown, period), SHIFTS)
