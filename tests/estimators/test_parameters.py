"""Wrong parameters of estimators: three lines for each kind of constraint, and for what people met."""

import numpy as np
import pytest
import torch

from regard.errors import RegardError
from regard.estimators import AutoencoderEstimator, GaussianMixture, UniformMixture
from regard.estimators.parameters import validate
from regard.models.mixture.gaussian import GaussianMixtureModel

POINTS = np.random.RandomState(0).randn(40, 3)


@pytest.mark.parametrize(
    ("estimator", "text"),
    [
        (
            GaussianMixture(1.5),
            "GaussianMixture: n_components is an int in the range [1, inf)\n"
            "  got: n_components=1.5\n  fix: pass an int in the range [1, inf)",
        ),
        (
            GaussianMixture(2, reg_covar=-1),
            "GaussianMixture: reg_covar is a float in the range [0.0, inf)\n"
            "  got: reg_covar=-1\n  fix: pass a float in the range [0.0, inf)",
        ),
        (
            GaussianMixture(2, n_init=-1),
            "GaussianMixture: n_init is an int in the range [1, inf)\n"
            "  got: n_init=-1\n  fix: pass an int in the range [1, inf)",
        ),
        (
            GaussianMixture(2, covariance_type="ful"),
            "no covariance_type of that name\n  got: 'ful'\n  fix: did you mean 'full'?",
        ),
        (
            GaussianMixture(2, weights_init=[3, 4]),
            "the weights of a mixture are 0 or more, and sum to 1\n"
            "  got: weights_init=[3.0, 4.0]\n  fix: divide them by their sum",
        ),
        (
            GaussianMixture(2, weights_init=[-1, 2]),
            "the weights of a mixture are 0 or more, and sum to 1\n"
            "  got: weights_init=[-1.0, 2.0]\n  fix: divide them by their sum",
        ),
        (
            GaussianMixture(2, means_init=np.zeros((3, 2))),
            "means_init does not fit the mixture\n"
            "  got: means_init an array (3, 2) of float64\n  fix: pass finite numbers of the shape (2, 3)",
        ),
        (
            GaussianMixture(2, means_init=[["a", "b", "c"]] * 2),
            "means_init does not fit the mixture\n"
            "  got: means_init [['a', 'b', 'c'], ['a', 'b', 'c']]\n  fix: pass finite numbers of the shape (2, 3)",
        ),
        (
            GaussianMixture(2, means_init=np.full((2, 3), np.nan)),
            "means_init does not fit the mixture\n"
            "  got: means_init an array (2, 3) of float64\n  fix: pass finite numbers of the shape (2, 3)",
        ),
        (
            GaussianMixture(2, precisions_init=np.zeros((2, 3))),
            "precisions_init does not fit the mixture\n"
            "  got: precisions_init an array (2, 3) of float64\n  fix: pass finite numbers of the shape (2, 3, 3)",
        ),
        (
            GaussianMixture(2, precisions_init=np.zeros((2, 3, 3))),
            "a precision is a symmetric matrix with positive eigenvalues\n"
            "  got: precisions_init with a matrix that has none of those\n  fix: pass inverses of covariances",
        ),
        (
            GaussianMixture(2, covariance_type="diag", precisions_init=-np.ones((2, 3))),
            "a precision is above 0\n  got: precisions_init with -1.0\n  fix: pass inverses of variances",
        ),
        (
            AutoencoderEstimator(hidden_layer_sizes=(3.5,)),
            "hidden layers have whole numbers of neurons\n"
            "  got: hidden_layer_sizes=(3.5,)\n  fix: pass (100,), or () for none",
        ),
        (
            UniformMixture(softness=0),
            "UniformMixture: softness is a float in the range (0.0, 1000.0)\n"
            "  got: softness=0\n  fix: pass a float in the range (0.0, 1000.0)",
        ),
    ],
)
def test_a_wrong_parameter_is_told_in_three_lines(estimator, text):
    with pytest.raises(RegardError) as error:
        estimator.fit(POINTS)
    assert str(error.value) == text


def test_a_corruption_by_name_is_told():
    with pytest.raises(RegardError) as error:
        AutoencoderEstimator(corruption="noise").fit(POINTS)
    assert str(error.value).startswith("AutoencoderEstimator: corruption is an instance of ")
    assert str(error.value).count("\n") == 2
    assert "\n  got: corruption='noise'\n" in str(error.value)


def test_one_hidden_layer_may_be_a_number():
    options = {"max_iter": 2, "random_state": 0}
    one, several = (AutoencoderEstimator(hidden_layer_sizes=x, **options).fit(POINTS) for x in (5, (5,)))
    assert np.array_equal(one.transform(POINTS), several.transform(POINTS))


def test_right_parameters_pass():
    for estimator in (GaussianMixture(), UniformMixture(), AutoencoderEstimator()):
        validate(estimator)


def test_given_starts_are_where_em_begins():
    means, weights = POINTS[:2], np.array([0.25, 0.75])
    precisions = np.stack([np.eye(3) * 4, np.eye(3) * 9])
    start = {"means_init": means, "weights_init": weights, "precisions_init": precisions}
    model = GaussianMixture(2, **start)
    placed = GaussianMixtureModel(2, 3, covariance="full").double()
    model.fit(POINTS)
    with torch.no_grad():
        model._place(placed, torch.from_numpy(POINTS), np.random.RandomState(0))
    assert np.allclose(placed.means.detach(), means)
    assert np.allclose(placed.weights.detach(), weights)
    assert np.allclose(placed.covariances().detach(), np.linalg.inv(precisions))


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_a_component_without_spread_is_told(kind):
    flat = POINTS.copy()
    flat[:, 1] = 2.0
    with pytest.raises(RegardError) as error:
        GaussianMixture(2, covariance_type=kind, reg_covar=0, random_state=0).fit(flat)
    assert str(error.value) == (
        "a component has no spread along some direction, and its density no end\n"
        "  got: reg_covar=0\n"
        "  fix: raise reg_covar (1e-6 is usual), pass fewer components, or leave out constant columns"
    )
    assert np.isfinite(GaussianMixture(2, reg_covar=0, random_state=0, tol=0.1).fit(POINTS).score(POINTS))
