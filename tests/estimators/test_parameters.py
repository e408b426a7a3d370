"""Wrong parameters of estimators: three lines for each kind of constraint, and for what people met."""

import numpy as np
import pytest

from regard.errors import RegardError
from regard.estimators import AutoencoderEstimator, GaussianMixture, UniformMixture
from regard.estimators.parameters import validate

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
