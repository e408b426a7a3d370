"""Mixtures as estimators: scikit-learn's own examination, its numbers, streams, and what it says of bad input."""

import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError
from sklearn.mixture import GaussianMixture as Peer
from sklearn.utils.estimator_checks import check_estimator

from regard.errors import RegardError
from regard.estimators import GaussianMixture, UniformMixture
from regard.estimators import mixture as home
from regard.models.mixture.gaussian import GaussianMixtureModel

TYPES = ("diag", "spherical", "full", "tied")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def clusters(count: int = 600, seed: int = 0) -> np.ndarray:
    random = np.random.RandomState(seed)
    centres = np.array([[-5.0, 0.0], [5.0, 1.0], [0.0, 6.0]])
    return centres[random.randint(3, size=count)] + random.randn(count, 2) * [1.0, 0.5]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the examination provokes warnings on purpose
@pytest.mark.parametrize(
    "estimator",
    [
        GaussianMixture(),
        GaussianMixture(covariance_type="diag"),
        GaussianMixture(covariance_type="tied"),
        UniformMixture(max_iter=30),
    ],
    ids=["full", "diag", "tied", "uniform"],
)
def test_scikit_learn_examines_it(estimator) -> None:
    """Every check, none expected to fail."""
    outcomes = check_estimator(estimator, on_fail=None)
    assert len(outcomes) > 30
    assert not [one["check_name"] for one in outcomes if one["status"] not in ("passed", "skipped")]
    assert {one["check_name"] for one in outcomes if one["status"] == "skipped"} <= {"check_array_api_input"}


@pytest.mark.parametrize("kind", TYPES)
def test_the_same_parameters_give_scikit_learns_numbers(kind: str) -> None:
    x, ours = clusters(), GaussianMixture(4, covariance_type=kind, random_state=0).fit(clusters(seed=1))
    peer = Peer(4, covariance_type=kind)
    peer.weights_, peer.means_, peer.covariances_ = ours.weights_, ours.means_, ours.covariances_
    cholesky = np.linalg.cholesky if kind in ("full", "tied") else np.sqrt
    peer.precisions_cholesky_ = cholesky(ours.precisions_)
    for name in ("score_samples", "predict_proba", "predict", "score", "aic", "bic"):
        assert np.abs(getattr(ours, name)(x) - getattr(peer, name)(x)).max() < 1e-8, name
    assert np.abs(ours.score_samples(x) - peer.score_samples(x)).max() < 1e-10
    assert peer.covariances_.shape == Peer(4, covariance_type=kind).fit(x).covariances_.shape


@pytest.mark.parametrize("kind", TYPES)
def test_the_same_start_ends_where_scikit_learn_ends(kind: str) -> None:
    x = clusters()
    precisions = {
        "diag": np.full((3, 2), 0.5),
        "spherical": np.full(3, 0.5),
        "full": np.stack([np.eye(2) / 2] * 3),
        "tied": np.eye(2) / 2,
    }
    start = {"weights_init": [0.2, 0.3, 0.5], "means_init": x[:3], "precisions_init": precisions[kind]}
    options = {"covariance_type": kind, "max_iter": 100, "tol": 1e-6} | start
    ours, peer = GaussianMixture(3, **options).fit(x), Peer(3, **options).fit(x)
    assert ours.score(x) == pytest.approx(peer.score(x), abs=1e-5)
    assert ours.converged_ and abs(ours.n_iter_ - peer.n_iter_) <= 1
    assert np.allclose(np.diff(ours.lower_bounds_) > -1e-9, True)


def blobs(seed: int) -> np.ndarray:
    """Three round clouds of 60 points in three dimensions, so near that EM from a bad start stays there."""
    random = np.random.RandomState(seed)
    return np.concatenate([random.randn(60, 3) * 1.2 + centre for centre in random.uniform(-6, 6, (3, 3))])


@pytest.mark.parametrize("kind", TYPES)
def test_every_seed_ends_where_scikit_learn_ends(kind: str) -> None:
    """Both begin with the groups of one k-means."""
    for seed in range(20):
        x, options = blobs(seed % 3), {"covariance_type": kind, "random_state": seed, "tol": 1e-4}
        ours, peer = GaussianMixture(3, **options).fit(x), Peer(3, **options).fit(x)
        assert ours.score(x) == pytest.approx(peer.score(x), abs=1e-3), seed


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("given", ["means_init", "weights_init"])
def test_where_a_part_of_the_start_is_given_the_rest_is_scikit_learns(kind: str, given: str) -> None:
    x = blobs(1)
    start = {"means_init": x[:3], "weights_init": [0.1, 0.1, 0.8]}[given]
    options = {"covariance_type": kind, "random_state": 0, "tol": 1e-6, given: start}
    ours, peer = GaussianMixture(3, **options).fit(x), Peer(3, **options).fit(x)
    assert ours.score(x) == pytest.approx(peer.score(x), abs=1e-4)


def test_a_tied_covariance_is_one_matrix_that_scikit_learn_finds_too() -> None:
    x, options = blobs(0), {"covariance_type": "tied", "random_state": 0, "tol": 1e-9}
    ours, peer = GaussianMixture(3, **options).fit(x), Peer(3, **options).fit(x)
    assert ours.covariances_.shape == (3, 3)
    assert np.allclose(ours.covariances_, peer.covariances_, atol=1e-4)
    assert np.allclose(ours.precisions_, np.linalg.inv(ours.covariances_))
    assert ours.bic(x) == pytest.approx(peer.bic(x), abs=1e-2)


def test_a_draft_is_what_k_means_groups() -> None:
    x = clusters(6000)
    fitted = GaussianMixture(3, random_state=0, draft=500).fit(x)
    assert fitted.score(x) == pytest.approx(GaussianMixture(3, random_state=0).fit(x).score(x), abs=1e-2)


def test_the_best_of_several_starts_is_kept() -> None:
    x = clusters()
    one = [GaussianMixture(3, random_state=seed, max_iter=3).fit(x).lower_bound_ for seed in range(3)]
    many = GaussianMixture(3, random_state=0, n_init=8, max_iter=3).fit(x)
    assert many.lower_bound_ >= one[0] and many.lower_bound_ == pytest.approx(many.score(x), abs=1e-10)


def test_a_stream_ends_near_the_whole() -> None:
    stream = GaussianMixture(3, covariance_type="diag", random_state=0)
    for seed in range(30):
        stream.partial_fit(clusters(200, seed))
    whole = GaussianMixture(3, covariance_type="diag", random_state=0).fit(clusters(6000, 99))
    x = clusters(2000, 100)
    assert stream.n_batches_ == 30
    assert stream.score(x) == pytest.approx(whole.score(x), abs=0.02)


def test_a_stream_of_one_batch_is_a_fit() -> None:
    x = clusters()
    fitted, streamed = (GaussianMixture(3, random_state=0) for _ in range(2))
    assert np.array_equal(fitted.fit(x).means_, streamed.partial_fit(x).means_)


@pytest.mark.slow
def test_a_stream_forgets_where_it_began() -> None:
    stream = GaussianMixture(1, covariance_type="diag", random_state=0).partial_fit(clusters() + 1000)
    for seed in range(300):
        stream.partial_fit(clusters(100, seed))
    assert np.abs(stream.means_ - clusters(20_000).mean(0)).max() < 1.5


def test_samples_are_those_of_the_mixture() -> None:
    ours = GaussianMixture(3, random_state=0).fit(clusters())
    x, component = ours.sample(30_000)
    for k in range(3):
        own = x[component == k]
        error = np.sqrt(np.diagonal(ours.covariances_[k]) / len(own))
        assert np.abs((own.mean(0) - ours.means_[k]) / error).max() < 5
        share = ours.weights_[k]
        assert abs(len(own) / 30_000 - share) < 5 * np.sqrt(share * (1 - share) / 30_000)
    assert np.array_equal(ours.sample(5)[0], ours.sample(5)[0])


def test_nobodys_random_numbers_move() -> None:
    import torch

    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    GaussianMixture(3, random_state=0).fit(clusters())
    UniformMixture(2, random_state=0, max_iter=3).fit(clusters())
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.slow
def test_blocks_of_densities_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x, ours = clusters(), GaussianMixture(3, random_state=0).fit(clusters())
    whole = ours.score_samples(x), ours.predict_proba(x)
    monkeypatch.setattr(home, "BLOCK", 1)
    assert np.allclose(ours.score_samples(x), whole[0], atol=1e-12)
    assert np.allclose(ours.predict_proba(x), whole[1], atol=1e-12)


def test_one_seed_one_result() -> None:
    for kind in (GaussianMixture, UniformMixture):
        first, second = (kind(3, random_state=7, max_iter=5).fit(clusters()) for _ in range(2))
        assert np.array_equal(first.score_samples(clusters()), second.score_samples(clusters()))


def test_constant_columns_and_repeated_samples_stay_finite() -> None:
    x = clusters()
    x[:, 1] = 7.0
    for ours in (GaussianMixture(3, random_state=0), UniformMixture(3, random_state=0, max_iter=5)):
        assert np.isfinite(ours.fit(x).score_samples(x)).all()
        assert np.isfinite(ours.fit(np.ones((9, 2))).score_samples(np.ones((9, 2)))).all()


@pytest.mark.parametrize("kind", [GaussianMixture, UniformMixture])
def test_bad_input_is_told_as_scikit_learn_tells_it(kind) -> None:
    with pytest.raises(ValueError, match="Input X contains NaN"):
        kind().fit([[0.0, np.nan], [1.0, 1.0]])
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        kind().fit([[0.0, 1.0]])
    with pytest.raises(NotFittedError):
        kind().predict(clusters())
    fitted = kind(random_state=0, max_iter=2).fit(clusters())
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2"):
        fitted.score_samples(np.zeros((4, 3)))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: GaussianMixture(5).fit(clusters(3)),
            "fewer samples than components\n  got: n_samples = 3, n_components = 5\n  fix: pass more samples, or fewer components",
        ),
        (
            lambda: GaussianMixture(0).fit(clusters()),
            "GaussianMixture: n_components is an int in the range [1, inf)\n  got: n_components=0\n  fix: pass an int in the range [1, inf)",
        ),
        (
            lambda: GaussianMixture(covariance_type="round").fit(clusters()),
            "no covariance_type of that name\n  got: 'round'\n  fix: one of diag, full, spherical, tied",
        ),
        (
            lambda: GaussianMixture().fit(clusters()).sample(0),
            "a sample holds at least one draw\n  got: n_samples=0\n  fix: pass 1 or more",
        ),
    ],
)
def test_mistakes_are_told_in_three_lines(call, told: str) -> None:
    with pytest.raises(RegardError) as caught:
        call()
    assert str(caught.value) == told


POINTS = np.random.RandomState(0).randn(40, 3)


@pytest.mark.parametrize(
    ("estimator", "text"),
    [
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
            GaussianMixture(2, covariance_type="diag", precisions_init=np.zeros((2, 3))),
            "a precision is above 0\n  got: precisions_init with 0.0\n  fix: pass inverses of variances",
        ),
    ],
)
def test_a_start_that_does_not_fit_is_told_in_three_lines(estimator, text):
    with pytest.raises(RegardError) as error:
        estimator.fit(POINTS)
    assert str(error.value) == text


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


@pytest.mark.parametrize(
    ("path", "converged"), [([1.0, 2.0, 2.5], True), ([1.0, 2.0], False), ([1.0], False)]
)
@pytest.mark.filterwarnings("ignore:EM had not come to rest")
def test_em_has_come_to_rest_where_its_last_step_rose_by_no_more_than_tol(
    path, converged, monkeypatch
) -> None:
    monkeypatch.setattr(home.em, "fit", lambda *args, **options: iter(path))
    fitted = GaussianMixture(2, tol=0.5).fit(POINTS)
    assert fitted.converged_ is converged
    assert (fitted.n_iter_, fitted.lower_bound_, fitted.lower_bounds_) == (len(path) - 1, path[-1], path)


def test_a_group_without_samples_is_as_wide_as_all_of_them() -> None:
    two = np.repeat([[0.0, 0.0], [1.0, 1.0]], 4, axis=0)
    model = GaussianMixtureModel(3, 2, covariance="diagonal").double()
    with torch.no_grad():
        GaussianMixture(3, covariance_type="diag")._place(
            model, torch.from_numpy(two), np.random.RandomState(0)
        )
    (empty,) = (model.weights.detach() < 1e-6).nonzero().flatten().tolist()
    assert np.allclose(model.log_variances[empty].detach().exp(), 0.25)
    assert np.allclose(model.means[empty].detach(), 0.5)


def test_one_draw_is_a_sample() -> None:
    points, components = GaussianMixture(2, random_state=0).fit(POINTS).sample(1)
    assert (points.shape, components.shape) == ((1, 3), (1,))


def test_a_density_shrinks_by_the_scale_of_its_axes(monkeypatch) -> None:
    fitted = GaussianMixture(2, random_state=0).fit(POINTS)
    before = fitted.score_samples(POINTS)
    monkeypatch.setattr(GaussianMixture, "_log_scale", lambda self: 2.0)
    assert np.allclose(fitted.score_samples(POINTS), before - 2.0)
