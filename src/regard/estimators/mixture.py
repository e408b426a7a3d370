"""Mixtures as scikit-learn estimators: its names, its conventions, its errors.

from regard.estimators import GaussianMixture        # for: from sklearn.mixture import GaussianMixture
"""

import warnings
from math import isfinite, log, nan
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor

from regard.arguments import check, told
from regard.errors import RegardError
from regard.estimators.parameters import validate
from regard.estimators.threads import suited
from regard.models.mixture import em
from regard.models.mixture import gaussian as mixture
from regard.training import fork_rng

KINDS = {"full": "full", "tied": "tied", "diag": "diagonal", "spherical": "spherical"}
"scikit-learn's words for covariances, and ours."
BLOCK = 1 << 20
"Numbers in a block of densities."
TINY = 1e-300
"The variance with which a column of equal numbers starts where `reg_covar` is 0."
FORGETTING = 0.6
"Batch t of a stream counts t^−0.6: between 1/2 and 1, the mixture settles and forgets where it began."


class MixtureEstimator(DensityMixin, BaseEstimator):
    """What all mixtures answer once they are fitted.

    As everywhere in scikit-learn, constructors take anything and `fit` judges it.
    """

    model_: Any
    n_components: Any
    random_state: Any

    def score_samples(self, X: Any) -> np.ndarray:
        """log p(x) of each sample."""
        return np.concatenate([one.logsumexp(1).numpy() for one in self._joint(X)]) - self._log_scale()

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of log p(x)."""
        return float(self.score_samples(X).mean())

    def predict_proba(self, X: Any) -> np.ndarray:
        """p(k | x) of each sample."""
        return np.concatenate([one.softmax(1).numpy() for one in self._joint(X)])

    def predict(self, X: Any) -> np.ndarray:
        """The component most likely to have made each sample."""
        return np.concatenate([one.argmax(1).numpy() for one in self._joint(X)])

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, then the component of each sample."""
        return self.fit(X).predict(X)

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Draws from p(x), and the component of each."""
        check_is_fitted(self)
        check("sample", "n_samples", n_samples, int)
        if n_samples < 1:
            raise RegardError("a sample holds at least one draw", f"n_samples={n_samples}", "pass 1 or more")
        generator = torch.Generator().manual_seed(int(self._random().randint(2**31 - 1)))
        chosen = self.model_.choose(n_samples, generator=generator)
        with torch.no_grad():
            return self._back(self.model_.draw(chosen, generator)).numpy(), chosen.numpy()

    def aic(self, X: Any) -> float:
        """Akaike's criterion: 2 · parameters − 2 log p(all samples)."""
        return 2 * self._size() - 2 * float(self.score_samples(X).sum())

    def bic(self, X: Any) -> float:
        """The Bayesian criterion: log(samples) · parameters − 2 log p(all samples)."""
        scores = self.score_samples(X)
        return log(len(scores)) * self._size() - 2 * float(scores.sum())

    def fit(self, X: Any, y: Any = None) -> "MixtureEstimator":
        raise NotImplementedError

    def _random(self) -> np.random.RandomState:
        return check_random_state(self.random_state)

    def _size(self) -> int:
        """Free parameters: the weights sum to one."""
        return sum(one.numel() for one in self.model_.parameters()) - 1

    def _joint(self, X: Any) -> list[Tensor]:
        check_is_fitted(self)
        x = torch.from_numpy(validate_data(self, X, dtype=np.float64, reset=False))
        rows = max(1, BLOCK // (self.model_.components * self.model_.width))
        with torch.no_grad():
            return [self.model_.joint(self._forth(block)) for block in x.split(rows)]

    def _samples(self, X: Any, *, reset: bool) -> Tensor:
        validate(self)
        x = torch.from_numpy(validate_data(self, X, dtype=np.float64, ensure_min_samples=2, reset=reset))
        if reset and len(x) < self.n_components:
            raise RegardError(
                "fewer samples than components",
                f"n_samples = {len(x)}, n_components = {self.n_components}",
                "pass more samples, or fewer components",
            )
        return x

    def _forth(self, x: Tensor) -> Tensor:
        """The samples as the model sees them."""
        return x

    def _back(self, x: Tensor) -> Tensor:
        """The model's draws as the samples were."""
        return x

    def _log_scale(self) -> float:
        """How much a density shrinks when the model's axes become those of the samples."""
        return 0.0


class GaussianMixture(MixtureEstimator):
    """A Gaussian mixture fitted by EM in blocks, or from a stream by `partial_fit`.

    EM begins as scikit-learn's does, with the groups that k-means finds, but for the starts that are given.
    Of many samples a random `draft` of so many may go first: most steps are then as many times cheaper.

    >>> x = np.concatenate([np.zeros((50, 2)), np.ones((50, 2))]) + np.random.RandomState(0).randn(100, 2) / 9
    >>> sorted(GaussianMixture(2, random_state=0).fit(x).means_.round(1).tolist())
    [[0.0, 0.0], [1.0, 1.0]]
    """

    model_: mixture.GaussianMixtureModel

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "covariance_type": [StrOptions(set(KINDS))],
        "tol": [Interval(Real, 0.0, None, closed="left")],
        "reg_covar": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "weights_init": ["array-like", None],
        "means_init": ["array-like", None],
        "precisions_init": ["array-like", None],
        "draft": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: Any = 1,
        *,
        covariance_type: Any = "full",
        tol: Any = 1e-3,
        reg_covar: Any = 1e-6,
        max_iter: Any = 100,
        n_init: Any = 1,
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        draft: Any = 0,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.draft = draft
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "GaussianMixture":
        """EM from `n_init` starts; the most likely end is kept."""
        x, random = self._samples(X, reset=True), self._random()
        ends = [self._climb(x, random) for _ in range(self.n_init)]
        self.model_, path = max(ends, key=lambda end: end[1][-1])
        self.centre_ = x.mean(0)
        self.moments_, self.n_batches_ = em.EM(self.model_, self.centre_).expect(x)[1], 1
        self.lower_bounds_, self.lower_bound_, self.n_iter_ = path, path[-1], len(path) - 1
        self.converged_ = len(path) > 1 and path[-1] - path[-2] <= self.tol
        if not self.converged_:
            said = f"EM had not come to rest after {self.max_iter} steps; raise max_iter or tol"
            warnings.warn(said, ConvergenceWarning, stacklevel=2)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "GaussianMixture":
        """One step of EM, in which a batch of a stream counts by its place; the first is fitted whole."""
        if not hasattr(self, "model_"):
            return self.fit(X)
        x, steps = self._samples(X, reset=False), em.EM(self.model_, self.centre_, least=self.reg_covar)
        _, moments = steps.expect(x)
        self.n_batches_ += 1
        self.moments_ = self.moments_.lerp(moments, self.n_batches_**-FORGETTING)
        steps.maximise(self.moments_)
        return self

    @property
    def weights_(self) -> np.ndarray:
        """The share of each component."""
        return self.model_.weights.detach().numpy()

    @property
    def means_(self) -> np.ndarray:
        """The mean of each component."""
        return self.model_.means.detach().numpy()

    @property
    def covariances_(self) -> np.ndarray:
        """The covariances, in the shape that scikit-learn gives this `covariance_type`."""
        return self._shaped(self.model_.covariances().detach())

    @property
    def precisions_(self) -> np.ndarray:
        """Their inverses, in the same shape."""
        return self._shaped(torch.cholesky_inverse(self.model_.factors().detach()))

    def _shaped(self, matrices: Tensor) -> np.ndarray:
        diagonal = matrices.diagonal(dim1=1, dim2=2)
        shaped = {"full": matrices, "tied": matrices[0], "diag": diagonal, "spherical": diagonal[:, 0]}
        return shaped[self.covariance_type].numpy()

    def _climb(
        self, x: Tensor, random: np.random.RandomState
    ) -> tuple[mixture.GaussianMixtureModel, list[float]]:
        with fork_rng(0):  # its own start is not used: nobody's random numbers move for it
            model = mixture.GaussianMixtureModel(
                self.n_components, x.shape[1], covariance=KINDS[self.covariance_type]
            ).double()
        with torch.no_grad():
            self._place(model, x, random)
        options = {
            "steps": self.max_iter,
            "tolerance": self.tol,
            "least": self.reg_covar,
            "draft": self.draft,
        }
        try:
            with suited(x.numel() * x.shape[1] * self.n_components):
                path = list(em.fit(model, x, **options))
        except RuntimeError:  # a covariance that cannot be inverted
            path = [nan]
        if not isfinite(path[-1]):
            raise RegardError(
                "a component has no spread along some direction, and its density no end",
                f"reg_covar={self.reg_covar}",
                "raise reg_covar (1e-6 is usual), pass fewer components, or leave out constant columns",
            )
        return model, path

    def _place(self, model: mixture.GaussianMixtureModel, x: Tensor, random: np.random.RandomState) -> None:
        """Put the mixture where EM begins: as it was told, and the rest as the groups of k-means are."""
        if any(one is None for one in (self.weights_init, self.means_init, self.precisions_init)):
            self._group(model, x, random)
        if self.weights_init is not None:
            weights = self._given("weights_init", (self.n_components,))
            if bool((weights < 0).any()) or abs(float(weights.sum()) - 1) > 1e-6:
                raise RegardError(
                    "the weights of a mixture are 0 or more, and sum to 1",
                    f"weights_init={weights.tolist()}",
                    "divide them by their sum",
                )
            model.logits.copy_(weights.clamp(min=em.EMPTY).log())
        size = (self.n_components, x.shape[1])
        if self.means_init is not None:
            model.means.copy_(self._given("means_init", size))
        if self.precisions_init is not None:
            self._narrow(model, self._given("precisions_init", self._shape(*size)))

    def _group(self, model: mixture.GaussianMixtureModel, x: Tensor, random: np.random.RandomState) -> None:
        """Weights, means and covariances of the groups of k-means; of an empty one those of all samples."""
        if 0 < self.draft < len(x):
            x = x[torch.from_numpy(random.choice(len(x), self.draft, replace=False))]
        options: Any = {"n_init": 1, "random_state": random}
        found = KMeans(self.n_components, **options).fit(x.numpy())
        steps, alone = em.EM(model, x.mean(0), least=self.reg_covar or TINY), torch.zeros(len(x)).long()
        whole = steps.assign(x, alone)[:1].expand(self.n_components, -1)
        steps.maximise(whole)
        steps.maximise(steps.assign(x, torch.from_numpy(found.labels_).long()))

    def _shape(self, components: int, width: int) -> tuple[int, ...]:
        """The shape that scikit-learn gives precisions of this `covariance_type`."""
        shapes: dict[str, tuple[int, ...]] = {
            "full": (components, width, width),
            "tied": (width, width),
            "diag": (components, width),
            "spherical": (components,),
        }
        return shapes[self.covariance_type]

    def _given(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """A start that a person gave, as numbers of that shape."""
        try:
            given = torch.as_tensor(np.asarray(getattr(self, name), dtype=np.float64))
        except (TypeError, ValueError):
            given = torch.zeros(())
        if tuple(given.shape) != shape or not bool(given.isfinite().all()):
            raise RegardError(
                f"{name} does not fit the mixture",
                f"{name} {told(getattr(self, name))}",
                f"pass finite numbers of the shape {shape}",
            )
        return given

    def _narrow(self, model: mixture.GaussianMixtureModel, precisions: Tensor) -> None:
        if model.lower is None:
            if not bool((precisions > 0).all()):
                least = f"precisions_init with {float(precisions.min())}"
                raise RegardError("a precision is above 0", least, "pass inverses of variances")
            model.log_variances.copy_(-precisions.view(model.log_variances.shape).log())
            return
        try:
            factors = torch.linalg.cholesky(torch.linalg.inv(precisions.view(-1, model.width, model.width)))
        except RuntimeError as error:
            raise RegardError(
                "a precision is a symmetric matrix with positive eigenvalues",
                "precisions_init with a matrix that has none of those",
                "pass inverses of covariances",
            ) from error
        rows, columns = torch.tril_indices(model.width, model.width, -1)
        model.log_variances.copy_(2 * factors.diagonal(dim1=1, dim2=2).log())
        model.lower.copy_(factors[:, rows, columns])
