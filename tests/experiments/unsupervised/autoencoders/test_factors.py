import pytest
import torch

from regard.errors import RegardError
from regard.experiments.unsupervised.autoencoders.factors import draw_factors


def test_the_points_have_the_covariance_of_berkeley_and_sizes() -> None:
    factors = draw_factors(seed=3)
    assert {name: tuple(one.shape) for name, one in factors.points.items()} == {
        "train": (14_000, 100),
        "valid": (4000, 100),
        "test": (2000, 100),
    }
    values = torch.linalg.eigvalsh(factors.covariance)
    assert torch.allclose(values, torch.tensor([1.0] * 80 + [100.0] * 20, dtype=torch.float64))
    whole = torch.cat(list(factors.points.values())).double()
    turned = torch.linalg.inv(torch.linalg.cholesky(factors.covariance)) @ whole.T
    sample = turned @ turned.T / len(whole)
    # The entries of a whitened sample covariance have a standard error of 1/√n, the diagonal √2 of that.
    assert (sample - torch.eye(100)).abs().max() < 6 * (2 / len(whole)) ** 0.5


def test_the_label_is_the_sign_along_its_direction_and_nothing_else() -> None:
    factors = draw_factors(samples=500, width=11, strong=3)
    for split, points in factors.points.items():
        assert torch.equal((points.double() @ factors.direction > 0).long(), factors.labels[split])
    assert factors.direction.norm().item() == pytest.approx(1)
    assert (factors.direction @ factors.covariance @ factors.direction).item() == pytest.approx(100)


def test_one_seed_one_result() -> None:
    first, again, other = (draw_factors(seed=seed, samples=50).points["train"] for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_more_strong_directions_than_there_are_is_told() -> None:
    with pytest.raises(RegardError) as told:
        draw_factors(width=5, strong=6)
    assert str(told.value) == (
        "no such points can be drawn\n"
        "  got: samples=20000, width=5, strong=6, scale=100.0\n"
        "  fix: samples of 10 or more, 1 to width strong directions, a scale above 0"
    )
