"""The autoencoder as a scikit-learn transformer: points in, codes out, and back."""

from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data
from torch import Tensor, nn

from regard.arguments import fits, told
from regard.errors import RegardError
from regard.estimators.parameters import validate
from regard.estimators.threads import suited
from regard.models import autoencoder as model

ACTIVATIONS = {"identity": nn.Identity, "relu": nn.ReLU, "tanh": nn.Tanh, "logistic": nn.Sigmoid}
TYPES: Any = (np.float64, np.float32)


class AutoencoderEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Learns a short code from which a point can be had back; with scikit-learn's names and conventions.

    Without hidden layers it is linear and finds the plane of `sklearn.decomposition.PCA`; with them it bends.
    Data are centred and divided by one number, so that any unit will do; columns of different units should
    be scaled first, as for PCA. `corruption` takes `Noisy(0.5)` or `Masked(0.25)` of `regard`, which speak of
    the scaled data: noise in deviations, and a masked entry is at its mean.

    >>> points = np.random.default_rng(0).normal(size=(200, 5)) * [3, 2, 0.1, 0.1, 0.1]
    >>> coder = AutoencoderEstimator(2, hidden_layer_sizes=(), random_state=0).fit(points)
    >>> coder.transform(points).shape, coder.inverse_transform(coder.transform(points)).shape
    ((200, 2), (200, 5))
    >>> bool(coder.score(points) > -0.02)     # minus the mean square error: the small columns leave 0.006
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "hidden_layer_sizes": ["array-like", Interval(Integral, 1, None, closed="left")],
        "activation": [StrOptions(set(ACTIVATIONS))],
        "corruption": [model.Clean, model.Noisy, model.Masked, HasMethods(["__call__", "moments"]), None],
        "learning_rate_init": [Interval(Real, 0.0, 1e3, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: Any = 2,
        *,
        hidden_layer_sizes: Any = (100,),
        activation: Any = "relu",
        corruption: Any = None,
        learning_rate_init: Any = 5e-3,
        max_iter: Any = 200,
        batch_size: Any = 100,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.corruption = corruption
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "AutoencoderEstimator":
        """Learn from all points, `max_iter` times over, from new weights."""
        validate(self)
        points = self._points(X, reset=True)
        self._begin(points)
        for _ in range(self.max_iter):
            self._learn(points)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "AutoencoderEstimator":
        """Learn from these points once, going on from what was learned before: for streams."""
        validate(self)
        begun = hasattr(self, "model_")
        points = self._points(X, reset=not begun)
        if not begun:
            self._begin(points)
        self._learn(points)
        return self

    @torch.no_grad()
    def transform(self, X: Any) -> np.ndarray:
        """The code of each point."""
        check_is_fitted(self)
        return self.model_.codes(self._scaled(self._points(X, reset=False)))[0].numpy()

    @torch.no_grad()
    def inverse_transform(self, X: Any) -> np.ndarray:
        """The point that each code stands for."""
        check_is_fitted(self)
        codes = check_array(X, dtype=TYPES)
        if codes.shape[1] != self.n_components:
            fix = f"pass codes of width {self.n_components}"
            raise RegardError("the codes do not fit the model", f"width {codes.shape[1]}", fix)
        return (self.model_.decode(self._tensor(codes)[None])[0] * self.scale_ + self.mean_).numpy()

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the mean square error of the points that come back: the higher, the better."""
        check_is_fitted(self)
        return -float(self.model_.error(self._scaled(self._points(X, reset=False)))) * self.scale_**2

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _points(self, X: Any, *, reset: bool) -> Tensor:
        array = validate_data(self, X, dtype=TYPES, reset=reset)
        return torch.tensor(array) if reset else self._tensor(array)

    def _tensor(self, array: Any) -> Tensor:
        """The array in the model's own type; a copy, since an array may be read-only."""
        return torch.tensor(array, dtype=next(self.model_.parameters()).dtype)

    def _scaled(self, points: Tensor) -> Tensor:
        return (points - self.mean_) / self.scale_

    def _begin(self, points: Tensor) -> None:
        hidden: Any = self.hidden_layer_sizes
        hidden = (hidden,) if isinstance(hidden, Integral) else tuple(np.asarray(hidden).tolist())
        if not fits(hidden, tuple[int, ...]):
            raise RegardError(
                "hidden layers have whole numbers of neurons",
                f"hidden_layer_sizes={told(self.hidden_layer_sizes)}",
                "pass (100,), or () for none",
            )
        self.mean_ = points.mean(0)
        self.scale_ = float((points - self.mean_).square().mean().sqrt()) or 1.0
        self._orders = check_random_state(self.random_state)
        self.model_ = model.Autoencoder(
            (points.shape[1], *hidden, self.n_components),
            activation=ACTIVATIONS[self.activation],
            corruption=self.corruption or model.Clean(),
            seeds=(int(self._orders.randint(2**31)),),
        ).to(points.dtype)
        rate = self.learning_rate_init
        self.optimiser_ = torch.optim.Adam(self.model_.parameters(), lr=rate, fused=True)
        self.loss_curve_, self.n_iter_ = [], 0

    def _learn(self, points: Tensor) -> None:
        seed = int(self._orders.randint(2**31))
        scaled = self._scaled(points)
        layers = max(a * b for a, b in pairwise(self.model_.sizes))
        with suited(min(self.batch_size, len(points)) * layers):
            found = model.learn_all(self.model_, scaled, self.optimiser_, size=self.batch_size, seed=seed)
        self.loss_curve_.append(float(found) * self.scale_**2)
        self.n_iter_ += 1
