# contract: gaussian-mixture
# cause: unknown
import numpy as np


class SphericalEM:
    def __init__(self, n_components, n_features, seed=0):
        r = np.random.default_rng(seed)
        self.pi = np.full(n_components, 1 / n_components)
        self.mu = r.normal(size=(n_components, n_features))
        self.sigma2 = np.ones(n_components)

    def _log(self, X):
        d = X.shape[1]
        sq = ((X[:, None] - self.mu) ** 2).sum(-1)
        return np.log(self.pi) - 0.5 * sq / self.sigma2 - 0.5 * d * np.log(2 * np.pi * self.sigma2)

    def score_samples(self, X):
        return np.logaddexp.reduce(self._log(X), axis=1)

    def e_step(self, X):
        l = self._log(X)
        return np.exp(l - np.logaddexp.reduce(l, axis=1, keepdims=True))

    def m_step(self, X, r):
        nk = r.sum(0)
        self.pi = nk / len(X)
        self.mu = (r.T @ X) / nk[:, None]
        sq = ((X[:, None] - self.mu) ** 2).sum(-1)
        self.sigma2 = (r * sq).sum(0) / nk
