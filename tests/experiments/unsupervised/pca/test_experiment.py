import pytest
import torch

from regard.experiments.unsupervised.linear_autoencoder import principal
from regard.experiments.unsupervised.pca.experiment import Settings, draw, run
from regard.lab.events import FigureEvent, Metric, TableEvent
from regard.lab.experiment import Context


def test_points_are_centred_columns_with_the_stated_variances() -> None:
    x = draw(50_000, 4, torch.Generator().manual_seed(0))
    assert x.shape == (4, 50_000) and x.mean(1).abs().max() < 1e-10
    expected = torch.tensor([1.4 + 8.6 * 0.7**i for i in range(4)], dtype=torch.float64)
    assert torch.allclose(principal(x @ x.T / 50_000)[0], expected, rtol=0.03)


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    settings = Settings(points=200, width=7, bottleneck=2, steps=600, seeds=2, search_width=3, search_bottleneck=1, starts=30)  # fmt: skip
    events = list(run(settings, Context(folder=tmp_path)))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == [
        "training",
        "weights",
        "landscape",
    ]
    assert [one.name for one in events if isinstance(one, TableEvent)] == ["conditions", "landscape"]
    values = {one.name: one.value for one in events if isinstance(one, Metric) and not one.at}
    assert values["angle to the principal subspace after training, degrees"] < 0.01
    assert values["relative gap of the gradients to automatic differentiation"] < 1e-12
