"""Weights of a mixture are told apart by name, shape and start."""

import numpy as np
import pytest

from regard.checker.contracts.mixture.roles import means_of, read, shares_kept, sizes_of, told
from regard.checker.workbench import Unfit

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "weights",
    [
        {"logits": np.zeros(3), "means": RNG.standard_normal((3, 5)), "log_variances": np.zeros((3, 5))},
        {"logits": np.zeros(3), "log_variances": np.zeros(5), "means": RNG.standard_normal((5, 3))},
        {"log_variances": np.zeros((3, 5)), "means": RNG.standard_normal((3, 5)), "logits": np.zeros(3)},
    ],
)
def test_roles_are_found_in_any_order(weights: dict[str, np.ndarray]) -> None:
    roles = read(list(weights), weights)
    assert roles == {name: name for name in ("logits", "means", "log_variances")}
    assert sizes_of(roles, weights) == (3, 5)


def test_without_names_that_help_the_means_start_apart() -> None:
    weights = {"a": np.zeros((3, 5)), "b": RNG.standard_normal((3, 5)), "c": np.zeros(3)}
    assert read(list(weights), weights) == {"logits": "c", "means": "b", "log_variances": "a"}


def test_what_has_an_axis_of_the_data_is_no_parameter() -> None:
    weights = {
        "weights": RNG.random((61, 3)),
        "phi": np.ones(3) / 3,
        "mu": np.ones((3, 5)),
        "Sigma": np.ones((3, 5, 5)),
    }
    assert read(list(weights), weights, points=61)["logits"] == "phi"


def test_numbers_may_stand_in_place_of_points() -> None:
    weights = {"w": np.ones(3) / 3, "mu": np.zeros(3), "sigma": np.ones(3)}
    roles = read(list(weights), weights)
    assert roles == {"logits": "w", "means": "mu", "log_variances": "sigma"}
    assert sizes_of(roles, weights) == (3, 1)


def test_a_covariance_comes_before_what_is_computed_from_it() -> None:
    weights = {"precisions_cholesky_": np.ones((3, 5, 5)), "covariances_": np.ones((3, 5, 5))}
    weights |= {"means_": RNG.standard_normal((3, 5)), "weights_": np.ones(3) / 3}
    assert read(list(weights), weights)["log_variances"] == "covariances_"


def test_too_few_weights_are_told() -> None:
    with pytest.raises(Unfit, match="are not among its weights"):
        read(["a"], {"a": np.zeros(3)})


def test_means_may_be_columns() -> None:
    columns = RNG.standard_normal((5, 3))
    assert np.array_equal(means_of(columns, 3, 5), columns.T)


@pytest.mark.parametrize(
    ("name", "start", "module", "kept"),
    [
        ("pi", np.ones(4) / 4, True, "plain"),
        ("logits", np.zeros(4), True, "logits"),
        ("log_pi", np.log(np.ones(4) / 4), True, "logits"),
        ("log_pi", np.log(np.ones(4) / 4), False, "log"),
    ],
)
def test_mixing_weights_are_kept_in_three_ways(name: str, start: np.ndarray, module: bool, kept: str) -> None:
    assert shares_kept(name, start, module=module) == kept


def test_parameters_are_told_by_role() -> None:
    names = ("X", "k", "pi", "mu", "sigma")
    assert told([{"name": n, "required": True, "star": False} for n in names]) == {
        "logits": "pi",
        "means": "mu",
        "log_variances": "sigma",
    }
