# contract: gaussian-mixture
# target: GaussianMixtureModel
import numpy as np


class Component:
    def __init__(self, dim, weight, rng):
        self.weight = weight
        self.mean = rng.normal(size=dim)
        self.cov = np.eye(dim)

    def logpdf(self, X):
        d = X - self.mean
        return -0.5 * (
            np.einsum("ni,ij,nj->n", d, np.linalg.inv(self.cov), d)
            + np.linalg.slogdet(self.cov)[1]
            + X.shape[1] * np.log(2 * np.pi)
        )


class GaussianMixtureModel:
    def __init__(self, n_components, dim, seed=0):
        rng = np.random.default_rng(seed)
        self.components = [Component(dim, 1.0 / n_components, rng) for _ in range(n_components)]

    def _joint(self, X):
        return np.stack([np.log(c.weight) + c.logpdf(X) for c in self.components], axis=1)

    def log_likelihood(self, X):
        return np.logaddexp.reduce(self._joint(X), axis=1)

    def fit(self, X, iterations=5):
        for _ in range(iterations):
            r = np.exp(self._joint(X) - self.log_likelihood(X)[:, None])
            for c, w in zip(self.components, r.T):
                c.weight = w.mean()
                c.mean = w @ X / w.sum()
                d = X - c.mean
                c.cov = (w * d.T) @ d / w.sum() + 1e-6 * np.eye(X.shape[1])
        return self
