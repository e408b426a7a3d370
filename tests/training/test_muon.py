"""The polynomials against linear programming, the orthogonal factor against singular values and vectors."""

import numpy
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some
from scipy.optimize import linprog

from regard.training import muon as polar
from regard.training.muon import ROUNDS, SMALLEST, best, orthogonal, polynomials


def worst(coefficients: tuple[float, float, float], low: float, high: float) -> float:
    a, b, c = coefficients
    x = numpy.linspace(low, high, 20001)
    return float(numpy.abs(1 - (a * x + b * x**3 + c * x**5)).max())


@pytest.mark.parametrize(("low", "high"), [(1e-3, 1.0), (0.05, 1.0), (0.2, 1.8), (0.7, 1.3), (0.99, 1.01)])
def test_no_polynomial_is_better(low: float, high: float) -> None:
    """Minimise t subject to |1 − p(x)| ≤ t on a grid: a lower bound that Remez must meet."""
    x = numpy.linspace(low, high, 2001)
    rows = numpy.stack([x, x**3, x**5], axis=1)
    ones = numpy.ones((len(x), 1))
    bounds = numpy.block([[rows, -ones], [-rows, -ones]])
    right = numpy.concatenate([ones, -ones]).ravel()
    found = linprog([0, 0, 0, 1], A_ub=bounds, b_ub=right, bounds=[(None, None)] * 4, method="highs")
    assert worst(best(low, high), low, high) == pytest.approx(found.x[3], rel=1e-3, abs=1e-7)


def test_a_point_is_the_limit_of_small_intervals() -> None:
    assert best(1 - 1e-8, 1 + 1e-8) == pytest.approx((15 / 8, -10 / 8, 3 / 8))
    assert best(1 - 1e-2, 1 + 1e-2) == pytest.approx((15 / 8, -10 / 8, 3 / 8), rel=1e-3)


def test_all_rounds_bring_every_singular_value_near_one() -> None:
    x = numpy.geomspace(SMALLEST, 1, 20001)
    for a, b, c in polynomials():
        x = a * x + b * x**3 + c * x**5
    assert len(polynomials()) == ROUNDS
    assert numpy.abs(1 - x).max() < 0.12
    for a, b, c in polynomials(8)[ROUNDS:]:
        x = a * x + b * x**3 + c * x**5
    assert numpy.abs(1 - x).max() < 1e-4, "more rounds bring them nearer"


@given(
    seed=some.integers(0, 10**6),
    shape=some.sampled_from([(7, 7), (5, 17), (17, 5), (3, 7), (1, 13), (13, 1), (31, 37)]),
    scale=some.sampled_from([1e-12, 1.0, 1e8]),
)
def test_singular_values_of_the_result_are_near_one(seed: int, shape: tuple[int, int], scale: float) -> None:
    matrices = scale * torch.randn(2, *shape, generator=torch.Generator().manual_seed(seed))
    before = torch.linalg.svdvals(matrices / matrices.norm(dim=(-2, -1), keepdim=True))
    after = torch.linalg.svdvals(orthogonal(matrices))
    assert after.max() < 1.12
    assert (after[before > 1.5 * SMALLEST] > 0.88).all()


@pytest.mark.parametrize("shape", [(3, 11, 13), (2, 7, 29), (2, 29, 7)])
def test_the_result_is_the_orthogonal_factor(shape: tuple[int, int, int], monkeypatch) -> None:
    """With rounds enough, U Vᵀ of numpy's decomposition to ten places."""
    matrices = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    u, _, v = numpy.linalg.svd(matrices.numpy(), full_matrices=False)
    near = orthogonal(matrices)
    many = polynomials(12)
    monkeypatch.setattr(polar, "polynomials", lambda *some: many)
    exact = orthogonal(matrices)
    assert numpy.abs(exact.numpy() - u @ v).max() < 1e-10
    assert (near - exact).norm() / exact.norm() < 0.12


@pytest.mark.parametrize("shape", [(3, 11, 13), (2, 7, 29)])
def test_the_gram_form_is_the_plain_form(shape: tuple[int, int, int]) -> None:
    x = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(4))
    x /= x.norm(dim=(-2, -1), keepdim=True)
    assert (polar._gram(x) - polar._plain(x)).abs().max() < 1e-12
    single = x.float()
    assert (polar._gram(single) - polar._plain(x)).abs().max() < 1e-3


def test_a_zero_matrix_stays_zero() -> None:
    assert orthogonal(torch.zeros(2, 3, 5)).abs().max() == 0
    assert orthogonal(torch.zeros(2, 3, 17)).abs().max() == 0


def test_wrong_coefficients_are_seen(monkeypatch) -> None:
    """A saboteur: a coefficient of the last round off by a fifth is seen in the singular values."""
    *rest, (a, b, c) = polynomials()
    monkeypatch.setattr(polar, "polynomials", lambda *some: (*rest, (1.2 * a, b, c)))
    values = torch.linalg.svdvals(
        orthogonal(torch.randn(1, 7, 7, generator=torch.Generator().manual_seed(0)))
    )
    assert not (values.max() < 1.12 and values.min() > 0.88)


def nearly_of_rank_one(seed: int, noise: float) -> torch.Tensor:
    """The largest singular value is then close to the norm: at the very end of the first interval."""
    random_numbers = torch.Generator().manual_seed(seed)
    column, row = (torch.randn(size, generator=random_numbers) for size in ((3, 17, 1), (3, 1, 19)))
    return column @ row + noise * torch.randn(3, 17, 19, generator=random_numbers)


@given(seed=some.integers(0, 10**6), noise=some.sampled_from([0.0, 0.01, 0.1, 1.0]))
def test_in_half_precision_nothing_runs_away(seed: int, noise: float) -> None:
    result = orthogonal(nearly_of_rank_one(seed, noise).bfloat16())
    assert result.dtype == torch.bfloat16
    values = torch.linalg.svdvals(result.float())
    assert values.max() < 1.2
    assert values[:, 0].min() > 0.8


def test_without_its_cushion_half_precision_runs_away(monkeypatch) -> None:
    monkeypatch.setattr(polar, "CUSHION", 0.0)
    results = [orthogonal(nearly_of_rank_one(seed, 0.01).bfloat16()) for seed in range(40)]
    assert max(float(one.abs().nan_to_num(nan=torch.inf).max()) for one in results) > 10


def test_around_any_point_the_polynomial_is_that_of_small_intervals() -> None:
    assert best(0.5, 0.5 + 1e-7) == pytest.approx(best(0.4999, 0.5001), rel=1e-3)


@pytest.mark.parametrize(
    ("rows", "columns", "form", "turned"),
    [(5, 5, "_plain", False), (4, 7, "_plain", False), (7, 4, "_plain", True), (3, 6, "_gram", False), (7, 3, "_gram", True)],
)  # fmt: skip
def test_a_matrix_that_is_twice_as_long_as_wide_goes_by_its_gram_matrix(
    rows: int, columns: int, form: str, turned: bool, monkeypatch
) -> None:
    taken = []
    for name in ("_plain", "_gram"):
        monkeypatch.setattr(polar, name, lambda x, *cushion, name=name: taken.append((name, x)) or x)
    matrix = torch.randn(1, rows, columns, generator=torch.Generator().manual_seed(5))
    orthogonal(matrix)
    assert [name for name, _ in taken] == [form]
    assert taken[0][1] == pytest.approx((matrix.mT if turned else matrix) / matrix.norm())
