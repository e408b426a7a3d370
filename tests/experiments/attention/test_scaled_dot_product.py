import pytest
import torch

import golden
from regard.experiments.attention import scaled_dot_product as here
from regard.experiments.attention.scaled_dot_product import (
    EXPERIMENT,
    SCALES,
    Settings,
    choice,
    predicted,
    products,
    run,
)
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small, states


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


SMALL = Settings(widths=(4, 1024), means=(0.0, 1.0), sigmas=(1.0,), draws=1000, keys=64, queries=64, seeds=4)
ENTROPY = "entropy at the largest d {}, as a share of uniform"
SABOTEURS = {
    "a key that is the query": Saboteur(
        lambda patch: patch.setattr(here, "products", lambda noise, mean, sigma: products(noise[:1].expand_as(noise), mean, sigma)),
        {"largest gap of the mean of q·k, in standard errors", "largest variance of q·k / d(σ⁴ + 2σ²μ²)", "variance of q·k/√d at μ = 0, σ = 1, largest d"},
    ),
    "Berkeley's d squared": Saboteur(
        lambda patch: patch.setattr(here, "predicted", lambda d, mean, sigma: (predicted(d, mean, sigma)[0], d * predicted(d, mean, sigma)[1])),
        {"smallest variance of q·k / d(σ⁴ + 2σ²μ²)"},
    ),
    "1/√d everywhere": Saboteur(
        lambda patch: patch.setattr(here, "SCALES", dict.fromkeys(SCALES, SCALES["1/√d"])),
        {ENTROPY.format("without a scale"), ENTROPY.format("with 1/d"), "softmax gradient at the largest d, 1/√d minus no scale"},
    ),
    "no scale anywhere": Saboteur(
        lambda patch: patch.setattr(here, "SCALES", dict.fromkeys(SCALES, SCALES["no scale"])),
        {"change of the entropy from the smallest d to the largest with 1/√d, as a share of uniform"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_measurement_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    for drawing in ("_moment_figure", "_softmax_figure", "_weight_figure"):
        monkeypatch.setattr(here, drawing, lambda *_: None)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


def test_every_claim_has_a_saboteur_and_none_fails_without(tmp_path) -> None:
    covers(EXPERIMENT, SABOTEURS)
    assert "failed" not in states(EXPERIMENT.claims, run(SMALL, Context(folder=tmp_path))).values()
