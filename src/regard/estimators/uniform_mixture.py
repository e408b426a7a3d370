"""A mixture of boxes as a scikit-learn estimator."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.cluster import kmeans_plusplus
from sklearn.utils._param_validation import Interval
from torch import Tensor

from regard.estimators.mixture import MixtureEstimator
from regard.models.mixture import uniform as uniform_mixture
from regard.models.mixture.gaussian import unlikelihood
from regard.training import Plan, Training, fork_rng


class UniformMixture(MixtureEstimator):
    """A mixture of boxes fitted by gradient descent while their edges harden.

    Samples are brought to mean 0 and deviation 1 first; softness is told in those deviations.

    >>> x = np.random.RandomState(0).rand(200, 2) * [4, 1]
    >>> (UniformMixture(random_state=0).fit(x).sizes_ / [[4, 1]]).round(1).tolist()
    [[1.0, 1.0]]
    """

    model_: uniform_mixture.UniformMixtureModel

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "softness": [Interval(Real, 0.0, 1e3, closed="neither")],
        "first_softness": [Interval(Real, 0.0, 1e3, closed="neither")],
        "rate": [Interval(Real, 0.0, 1e3, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: Any = 1,
        *,
        softness: Any = 0.01,
        first_softness: Any = 0.5,
        rate: Any = 0.02,
        max_iter: Any = 300,
        batch_size: Any = 1024,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.softness = softness
        self.first_softness = first_softness
        self.rate = rate
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "UniformMixture":
        """Descend from boxes around samples that lie far apart, softly first."""
        x, random = self._samples(X, reset=True), self._random()
        self.centre_, self.scale_ = x.mean(0), x.std(0, correction=0)
        self.scale_[self.scale_ < 1e-12 * x.abs().amax(0).clamp(min=1e-300)] = 1.0
        x = self._forth(x)
        with fork_rng(0), torch.no_grad():
            self.model_ = uniform_mixture.UniformMixtureModel(self.n_components, x.shape[1]).double()
            self.model_.logits.zero_()
        sizes = torch.full_like(self.model_.centres, 2 * self.n_components ** (-1 / x.shape[1]))
        far = kmeans_plusplus(x.numpy(), self.n_components, random_state=random)[0]
        self.model_.set_boxes(torch.from_numpy(far), sizes)
        self._descend(x, random, first=self.first_softness, steps=self.max_iter)
        self.n_iter_ = self.max_iter
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "UniformMixture":
        """A tenth of the steps on a batch of a stream, edges hard already; the first is fitted whole."""
        if not hasattr(self, "model_"):
            return self.fit(X)
        x = self._forth(self._samples(X, reset=False))
        self._descend(x, self._random(), first=self.softness, steps=max(1, self.max_iter // 10))
        return self

    def _descend(self, x: Tensor, random: np.random.RandomState, *, first: float, steps: int) -> None:
        seed = int(random.randint(2**31 - 1))

        def batch(index: int) -> Tensor:
            generator = torch.Generator().manual_seed(seed + index)
            return x[torch.randint(len(x), (min(self.batch_size, len(x)),), generator=generator)]

        plan = Plan(steps=steps, learning_rate=self.rate, betas=(0.9, 0.99), seed=seed)
        self.model_.softness = first
        with fork_rng(seed):
            for step in Training(self.model_, batch, unlikelihood, plan):
                share = step.step / steps
                self.model_.softness = uniform_mixture.annealed(share, first=first, last=self.softness)

    @property
    def weights_(self) -> np.ndarray:
        """The share of each box."""
        return self.model_.weights.detach().numpy()

    @property
    def centres_(self) -> np.ndarray:
        """The middle of each box."""
        return self._back(self.model_.centres.detach()).numpy()

    @property
    def sizes_(self) -> np.ndarray:
        """The sides of each box."""
        return (self.model_.log_sizes.detach().exp() * self.scale_).numpy()

    def _forth(self, x: Tensor) -> Tensor:
        return (x - self.centre_) / self.scale_

    def _back(self, x: Tensor) -> Tensor:
        return x * self.scale_ + self.centre_

    def _log_scale(self) -> float:
        return float(self.scale_.log().sum())
