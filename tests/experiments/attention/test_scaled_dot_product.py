import pytest
import torch

import golden
from regard.experiments.attention.scaled_dot_product import Settings, choice, predicted, products, run
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context


def test_the_jacobian_norm_is_that_of_the_whole_matrix() -> None:
    scores = torch.randn(3, 5, dtype=torch.float64)
    _, entropy, norm = choice(scores)
    p = scores.softmax(-1)
    whole = torch.stack([(torch.diag(row) - torch.outer(row, row)).norm() for row in p]).mean()
    assert norm == pytest.approx(whole.item()) and entropy == pytest.approx(
        -(p * p.log()).sum(-1).mean().item()
    )


def test_the_prediction_is_exact_for_two_point_entries() -> None:
    """Entries μ ± σ with equal chance have the same moments as normal ones: all 16 pairs at d = 2 by hand."""
    mean, sigma = 0.5, 2.0
    signs = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0], dtype=torch.float64)] * 4)
    found = products(torch.stack([signs[:, :2], signs[:, 2:]]), mean, sigma)
    assert (found.mean().item(), found.var(unbiased=False).item()) == pytest.approx(predicted(2, mean, sigma))


def test_a_small_run_measures_and_draws(tmp_path) -> None:
    settings = Settings(widths=(3, 7), draws=50, keys=5, queries=11, seeds=2)
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [event.name for event in events if isinstance(event, FigureEvent)] == [
        "moments",
        "softmax",
        "weights",
    ]
    assert {event.at["d"] for event in events if isinstance(event, Metric) and event.at} == {3, 7}
