"""What was fitted is near the best for its points, and the same whatever it was fitted to before."""

import inspect
from pathlib import Path

import numpy as np
import pytest

from regard.checker.target import check_file
from regard.checker.wishes import Wishes


class Fitted:
    """A mixture that finds its parameters by EM."""

    steps = 60

    def __init__(self, n_components: int) -> None:
        self.n_components = n_components

    def start(self, x: np.ndarray) -> None:
        self.weights = np.full(self.n_components, 1 / self.n_components)
        self.means = x[: 2 * self.n_components : 2].copy()
        self.covariances = np.stack([np.cov(x.T)] * self.n_components)

    def fit(self, x: np.ndarray) -> "Fitted":
        self.start(x)
        for _ in range(self.steps):
            share = self.predict_proba(x)
            count = share.sum(0)
            self.weights, self.means = count / len(x), share.T @ x / count[:, None]
            apart = x[:, None] - self.means
            self.covariances = np.einsum("nk,nki,nkj->kij", share, apart, apart) / count[:, None, None]
        return self

    def terms(self, x: np.ndarray) -> np.ndarray:
        apart = x[:, None] - self.means
        square = np.einsum("nki,kij,nkj->nk", apart, np.linalg.inv(self.covariances), apart)
        volume = np.linalg.slogdet(2 * np.pi * self.covariances)[1]
        return np.log(self.weights) - 0.5 * (square + volume)

    def score_samples(self, x: np.ndarray) -> np.ndarray:
        return np.logaddexp.reduce(self.terms(x), axis=1)

    def predict_proba(self, x: np.ndarray) -> np.ndarray:
        return np.exp(self.terms(x) - self.score_samples(x)[:, None])

    def predict(self, x: np.ndarray) -> np.ndarray:
        return self.terms(x).argmax(1)

    def sample(self, n: int) -> np.ndarray:
        which = np.random.choice(self.n_components, n, p=self.weights)
        factor = np.linalg.cholesky(self.covariances)[which]
        return self.means[which] + np.einsum("nij,nj->ni", factor, np.random.randn(n, self.means.shape[1]))


class Once(Fitted):
    steps = 1


class LeastLikely(Fitted):
    def predict(self, x: np.ndarray) -> np.ndarray:
        return self.terms(x).argmin(1)


class Wide(Fitted):
    def sample(self, n: int) -> np.ndarray:
        which = np.random.choice(self.n_components, n, p=self.weights)
        noise = np.random.randn(n, self.means.shape[1])
        return self.means[which] + np.einsum("nij,nj->ni", self.covariances[which], noise)


@pytest.mark.parametrize(
    ("made", "broken"),
    [(Fitted, None), (Once, "fit"), (LeastLikely, "labels"), (Wide, "samples")],
)
def test_what_was_fitted_is_held_to_its_points(made: type, broken: str | None, tmp_path: Path) -> None:
    classes = dict.fromkeys((Fitted, made))
    file = tmp_path / "mixture.py"
    file.write_text("\n\n".join(["import numpy as np", *map(inspect.getsource, classes)]))
    wishes = Wishes(strict=True)
    report = check_file(f"{file}:{made.__name__}", contract="gaussian-mixture", wishes=wishes)
    verdict = report.verdicts[0]
    laws = [name for name in ("fit", "refit", "labels", "samples") if verdict.laws.get(name) is False]
    assert verdict.state == ("mistake" if broken else "correct"), verdict.sentence
    assert (broken in laws) if broken else not laws, verdict.sentence
