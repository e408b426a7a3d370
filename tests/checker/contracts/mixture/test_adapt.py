"""Mixtures of many makes are made, fitted where they must be, and read."""

from pathlib import Path

import pytest

from regard.checker.selftest import judge

CORRECT = (
    "buffers_and_steps",
    "columns",
    "covariances_by_a_product",
    "density_itself",
    "dichte",
    "exponential_factor",
    "fitted_first",
    "fitted_shares_kept",
    "fitted_with_log_shares",
    "function_of_covariances",
    "function_of_shares",
    "lists_of_arrays",
    "loss_when_called",
    "made_from_covariances",
    "numpy_by_steps",
    "objects_of_components",
    "one_dimension",
    "one_spread_for_all",
    "parameters_in_a_dictionary",
    "plain_deviations_and_logits",
    "precision_factors",
    "softplus_scales",
    "weights_without_gradients",
)
MUTANTS = (
    "factor_from_the_wrong_side",
    "factor_without_its_lower_part",
    "fit_divides_by_all",
    "fitted_without_the_shares",
    "list_of_loose_components",
    "logits_that_nobody_asks",
    "many_points_by_the_likeliest",
    "numpy_determinant",
    "shares_beside_it_over_the_points",
    "softplus_without_its_volume",
    "steps_of_balls",
)


@pytest.mark.slow
@pytest.mark.parametrize("kind_name", [("correct", n) for n in CORRECT] + [("mutants", n) for n in MUTANTS])
def test_mixtures_of_many_makes_are_judged_as_they_are(kind_name: tuple[str, str]) -> None:
    kind, name = kind_name
    here = Path(__file__).parents[2]
    found = judge(here / kind / "gaussian-mixture" / f"{name}.py", kind, 0, here)
    assert found.right, (found.state, found.named, found.said)
