import pytest
import torch
import torch.nn.functional as F

import golden
from regard.experiments.attention import relative_attention as here
from regard.experiments.attention.relative_attention import (
    EXPERIMENT,
    Settings,
    bounds,
    convolution,
    layer,
    nearest_kernel,
    pooled,
    run,
)
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small, states


def test_the_layer_is_the_formula_of_toronto() -> None:
    """Softmax of q_i k_j + p_(i-j) with loops, on four places."""
    x = torch.tensor([[0.3, 1.1, 0.7, 0.2]], dtype=torch.float64)
    p = {-1: 0.4, 0: -0.3, 1: 1.2}
    found = layer(x, 0.5, 2.0, 3.0, torch.tensor([p[-1], p[0], p[1]], dtype=torch.float64))
    for i in range(4):
        near = [j for j in range(4) if abs(i - j) <= 1]
        weights = torch.stack([(0.5 * x[0, i] * 2.0 * x[0, j] + p[i - j]).exp() for j in near])
        expected = sum(w * 3.0 * x[0, j] for w, j in zip(weights / weights.sum(), near, strict=True))
        assert abs(found[0, i] - expected) < 1e-12


def test_toronto_s_kernel_has_the_known_answer() -> None:
    value, p = convolution(torch.tensor([2.0, 0.0, 1.0], dtype=torch.float64))
    assert value == 3 and torch.allclose(p.exp(), torch.tensor([1 / 3, 0, 2 / 3], dtype=torch.float64))


def test_pooling_by_hand() -> None:
    x = torch.tensor([[1.0, 2.0, 1.0]], dtype=torch.float64)
    e = torch.tensor([2.0, 4.0, 2.0], dtype=torch.float64).exp()
    assert abs(pooled(x, 1.0, 1)[0, 1] - (e / e.sum() * x[0]).sum()) < 1e-12


def test_a_bound_ten_times_too_small_would_be_seen() -> None:
    x = 0.05 + torch.rand(50, 40, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    error = x.unfold(1, 5, 1).amax(-1) - pooled(x, 30.0, 2)[:, 2:-2]
    by_gap, anyhow = bounds(x, 30.0, 2)
    assert (
        (error <= by_gap).all()
        and (error <= anyhow).all()
        and not (error <= by_gap / 10).all()
        and not (error <= anyhow / 10).all()
    )


@pytest.mark.slow
def test_a_kernel_of_one_sign_is_found_by_the_search() -> None:
    assert nearest_kernel(torch.tensor([0.0, 0.0, -2.0], dtype=torch.float64)) < 1e-9


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path) -> None:
    events = list(run(Settings(length=20, sequences=5, betas=(1.0, 100.0)), Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert any(isinstance(one, FigureEvent) for one in events)
    assert (
        next(
            one.value
            for one in events
            if isinstance(one, Metric) and one.name == "gap to the convolution [2, 0, 1]"
        )
        < 1e-12
    )


SMALL = Settings(length=20, sequences=5, betas=(30.0, 3000.0))
SABOTEURS = {
    "positions the other way round": Saboteur(
        lambda patch: patch.setattr(here, "convolution", lambda kernel: (convolution(kernel)[0], convolution(kernel)[1].flip(0))),
        {"gap to the convolution [2, 0, 1]", "largest gap over 50 random kernels without negative entries"},
    ),
    "a kernel of one sign is asked for": Saboteur(
        lambda patch: patch.setattr(here, "nearest_kernel", lambda kernel: nearest_kernel(kernel.abs(), 2000)),
        {"smallest distance of such a layer to the kernel [-1, 0, 1]"},
    ),
    "a softmax that stays soft": Saboteur(
        lambda patch: patch.setattr(here, "pooled", lambda x, beta, reach: pooled(x, 10.0, reach)),
        {"max pooling: largest error / bound, over all places and both bounds", "max pooling: mean error at the largest β"},
    ),
    "max pooling itself": Saboteur(
        lambda patch: patch.setattr(here, "pooled", lambda x, beta, reach: F.max_pool1d(x, 2 * reach + 1, 1, reach)),
        {"max pooling where x_i = 0: gap to the mean of the window", "max pooling where x_i = 0: mean error"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SABOTEURS)
def test_another_layer_fails_its_claims(name: str, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(here, "_picture", lambda *_: None)
    monkeypatch.setattr(here, "nearest_kernel", lambda kernel: nearest_kernel(kernel, 2000))
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, SMALL, tmp_path))


def test_every_claim_holds_and_has_a_saboteur(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(here, "nearest_kernel", lambda kernel: nearest_kernel(kernel, 2000))
    covers(EXPERIMENT, SABOTEURS)
    assert set(states(EXPERIMENT.claims, run(SMALL, Context(folder=tmp_path))).values()) == {"held"}


def test_rounding_is_no_breach_of_a_bound_that_is_smaller() -> None:
    x = torch.full((400, 5), 0.05, dtype=torch.float64)
    x[:, 2] = torch.linspace(1.05, 1.2, 400, dtype=torch.float64)
    found = {
        one.name: one.value
        for one in here._pooling(Settings(length=5, reach=2), x)
        if isinstance(one, Metric)
    }
    assert found["max pooling: largest error / bound, over all places and both bounds"] <= 1
