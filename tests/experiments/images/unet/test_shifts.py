"""What shifts change, on untrained networks: the grid decides, not the weights."""

import torch

from regard.experiments.images.unet.shifts import compare_shifts, shifted
from regard.lab.events import FigureEvent, Metric, PairedMetric
from regard.models.unet import UNet


def test_a_shift_by_the_grid_changes_nothing_and_another_does() -> None:
    torch.manual_seed(0)
    model = UNet(channels=1, classes=2, width=3, depth=2).double().eval()
    picture = torch.randn(1, 12, 14, dtype=torch.float64)
    changes = [float(shifted(model, picture, shift, 32).max()) for shift in range(5)]
    assert changes[0] == 0 and changes[4] < 1e-12 and min(changes[1:4]) > 1e-6
    assert shifted(model, picture, 1, 32).shape == (12, 14)


def test_the_comparison_measures_every_shift_once_and_pairs_the_seeds() -> None:
    torch.manual_seed(0)
    models = {
        name: [UNet(channels=1, classes=2, width=2, depth=2, skips=skips) for _ in range(2)]
        for name, skips in (("with skips", None), ("without skips", ()))
    }
    events = list(compare_shifts(models, torch.randn(1, 8, 8), 4))
    moved = [(one.name, one.seed, one.at["pixels"]) for one in events if isinstance(one, Metric) and one.at]
    expected = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 1), (1, 2)]
    assert moved == [(f"change under a shift, {name}", *one) for name in models for one in expected]
    (pair,) = (one for one in events if isinstance(one, PairedMetric))
    assert set(pair.first) == set(pair.second) == {0, 1} and isinstance(events[-1], FigureEvent)
