"""Wrong parameters of estimators: three lines for each kind of constraint, and for what people met."""

import importlib
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from regard import Noisy
from regard.errors import RegardError
from regard.estimators import AutoencoderEstimator, GaussianMixture, UniformMixture
from regard.estimators.parameters import validate


def test_without_scikit_learn_the_import_says_what_to_install(monkeypatch) -> None:
    import regard.estimators

    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ImportError) as caught:
        importlib.reload(regard.estimators)
    assert str(caught.value) == (
        "the estimators need scikit-learn\n  got: no module 'sklearn'\n  fix: pip install 'regard[sklearn]'"
    )


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


OTHERS = {
    GaussianMixture: {
        "n_components": 2, "covariance_type": "diag", "tol": 1e-2, "reg_covar": 1e-4, "max_iter": 7, "n_init": 2,
        "weights_init": [1.0], "means_init": [[0.1, 0.0, 0.0]], "precisions_init": 2 * np.eye(3)[None], "draft": 15,
        "random_state": 3,
    },
    UniformMixture: {
        "n_components": 2, "softness": 0.05, "first_softness": 0.3, "rate": 0.05, "max_iter": 5, "batch_size": 16,
        "random_state": 3,
    },
    AutoencoderEstimator: {
        "n_components": 1, "hidden_layer_sizes": [4, 4], "activation": "tanh", "corruption": Noisy(0.1),
        "learning_rate_init": 1e-2, "max_iter": 3, "batch_size": 8, "random_state": 5,
    },
}  # fmt: skip
"A value for every parameter that is not its usual one."
EACH = [(made, name) for made, others in OTHERS.items() for name in others]


def test_no_parameter_is_left_out():
    for made, others in OTHERS.items():
        assert set(made().get_params()) == set(others) == set(made._parameter_constraints)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("made", "name"), EACH, ids=[f"{made.__name__}-{name}" for made, name in EACH])
def test_every_parameter_goes_through_clone_pipeline_and_grid_search(made, name):
    value = OTHERS[made][name]
    quick = {"max_iter": 2, "random_state": 0} | {name: value}
    copied = clone(made(**quick)).get_params()[name]
    assert copied is value or repr(copied) == repr(value)
    line = Pipeline([("scale", StandardScaler()), ("model", made(max_iter=2, random_state=0))])
    line.set_params(**{f"model__{name}": value}).fit(POINTS)
    assert line.named_steps["model"].get_params()[name] is value
    usual = made(**{"max_iter": 2}).get_params()[name]
    search = GridSearchCV(line, {f"model__{name}": [value, usual]}, cv=2, error_score="raise").fit(POINTS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert np.isfinite(search.best_estimator_.score(POINTS))
