import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from regard.errors import RegardError
from regard.estimators import AutoencoderEstimator
from regard.models.autoencoder import Masked, Noisy


def points(rows: int = 150, seed: int = 0) -> np.ndarray:
    noise = np.random.RandomState(seed).randn(rows, 5)
    return 100 + 7 * noise * [3, 2, 0.3, 0.2, 0.1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        AutoencoderEstimator(max_iter=20),
        AutoencoderEstimator(1, hidden_layer_sizes=(), corruption=Masked(0.2), max_iter=20),
    ],
    ids=["as it comes", "linear and masked"],
)
def test_scikit_learn_finds_no_fault_with_it(estimator: AutoencoderEstimator) -> None:
    results = check_estimator(estimator, expected_failed_checks=None, on_fail=None)
    failed = {one["check_name"]: one["exception"] for one in results if one["status"] == "failed"}
    assert not failed
    assert sum(one["status"] == "passed" for one in results) > 40


@pytest.mark.slow
def test_without_hidden_layers_it_finds_the_plane_of_pca() -> None:
    x = points()
    ours = AutoencoderEstimator(2, hidden_layer_sizes=(), random_state=0).fit(x)
    peer = PCA(2).fit(x)
    left = ((peer.inverse_transform(peer.transform(x)) - x) ** 2).mean()
    assert -ours.score(x) == pytest.approx(left, rel=0.03)
    back = ours.inverse_transform(ours.transform(x))
    assert ((back - x) ** 2).mean() == pytest.approx(-ours.score(x), rel=1e-9)


@pytest.mark.slow
def test_with_hidden_layers_it_bends_where_pca_cannot() -> None:
    x, _ = make_swiss_roll(300, random_state=0)
    ours = AutoencoderEstimator(2, random_state=0, max_iter=150).fit(x)
    peer = PCA(2).fit(x)
    left = ((peer.inverse_transform(peer.transform(x)) - x) ** 2).mean()
    assert -ours.score(x) < 0.5 * left


def test_the_unit_of_the_data_does_not_matter() -> None:
    x = points()
    small, large = (
        AutoencoderEstimator(2, random_state=0, max_iter=20).fit(unit * x) for unit in (1.0, 1000.0)
    )
    assert large.score(1000 * x) == pytest.approx(1e6 * small.score(x), rel=1e-6)
    assert np.allclose(small.transform(x), large.transform(1000 * x), atol=1e-6)


@pytest.mark.slow
def test_a_stream_is_learned_batch_by_batch_and_goes_on_after_a_pickle() -> None:
    x = points(400)
    stream = AutoencoderEstimator(2, hidden_layer_sizes=(), random_state=0, learning_rate_init=0.01)
    for _ in range(30):
        for part in np.split(x, 4):
            stream.partial_fit(part)
    assert stream.n_iter_ == 120 and stream.loss_curve_[-1] < 0.2 * stream.loss_curve_[0]
    twin = pickle.loads(pickle.dumps(stream))
    assert twin.partial_fit(x).score(x) == stream.partial_fit(x).score(x)


def test_one_seed_one_result_and_fit_begins_anew() -> None:
    x = points()
    first = AutoencoderEstimator(2, max_iter=5, random_state=3, corruption=Noisy(0.1))
    codes = first.fit(x).transform(x)
    assert np.array_equal(codes, clone(first).fit(x).transform(x))
    assert np.array_equal(codes, first.fit(x).transform(x))
    assert not np.array_equal(codes, clone(first).set_params(random_state=4).fit(x).transform(x))


def test_it_stands_in_a_pipeline_and_names_its_features() -> None:
    x, y = load_digits(return_X_y=True)
    line = make_pipeline(StandardScaler(), AutoencoderEstimator(3, max_iter=3, random_state=0))
    scores = cross_val_score(line, x[:200], y[:200], cv=2)
    assert scores.shape == (2,) and (scores < 0).all()
    line.fit(x[:200])
    assert list(line.get_feature_names_out()) == [
        "autoencoderestimator0",
        "autoencoderestimator1",
        "autoencoderestimator2",
    ]


@pytest.mark.parametrize(
    ("dtype", "kept"), [("float32", "float32"), ("float64", "float64"), ("int64", "float64")]
)
def test_a_type_is_kept(dtype: str, kept: str) -> None:
    x = points().astype(dtype)
    assert AutoencoderEstimator(2, max_iter=2, random_state=0).fit_transform(x).dtype == kept


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 2])
def test_one_point_and_columns_that_never_change_are_learned(rows: int) -> None:
    x = np.full((rows, 3), 5.0)
    ours = AutoencoderEstimator(1, max_iter=300, random_state=0).fit(x)
    assert np.isfinite(ours.transform(x)).all() and ours.score(x) > -0.05


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: AutoencoderEstimator(2, activation="rlu").fit(points()),
            "no activation of that name\n  got: 'rlu'\n  fix: did you mean 'relu'?",
        ),
        (
            lambda: AutoencoderEstimator(0).fit(points()),
            "AutoencoderEstimator: n_components is an int in the range [1, inf)\n  got: n_components=0\n  fix: pass an int in the range [1, inf)",
        ),
        (
            lambda: AutoencoderEstimator(2, max_iter=1).fit(points()).inverse_transform(np.ones((4, 3))),
            "the codes do not fit the model\n  got: width 3\n  fix: pass codes of width 2",
        ),
    ],
)
def test_bad_parameters_are_told_in_three_lines(call, told: str) -> None:
    with pytest.raises(RegardError) as caught:
        call()
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("x", "told"),
    [
        (np.array([[1.0, np.nan]]), "Input X contains NaN"),
        (np.ones(3), "Expected 2D array"),
        (np.ones((0, 3)), "Found array with 0 sample"),
    ],
)
def test_bad_points_are_told_as_scikit_learn_tells_it(x: np.ndarray, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        AutoencoderEstimator().fit(x)
    with pytest.raises(
        ValueError, match="X has 3 features, but AutoencoderEstimator is expecting 5 features"
    ):
        AutoencoderEstimator(max_iter=1).fit(points()).transform(np.ones((2, 3)))
