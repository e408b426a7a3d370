# contract: gaussian-mixture
# cause: em-step
import numpy as np


class GaussianMixtureEM:
    def __init__(self, weights, means, variances):
        self.weights, self.means, self.variances = weights, means, variances

    def _terms(self, X):
        sq = (X[:, None] - self.means) ** 2 / self.variances
        return np.log(self.weights) - 0.5 * (sq + np.log(2 * np.pi * self.variances)).sum(-1)

    def log_likelihood(self, X):
        return np.logaddexp.reduce(self._terms(X), axis=1)

    def e_step(self, X):
        t = self._terms(X)
        return np.exp(t - np.logaddexp.reduce(t, axis=1)[:, None])

    def m_step(self, X, r):
        n = r.sum(0)
        self.weights = n / len(X)
        self.means = r.T @ X / len(X)
        self.variances = np.einsum("nk,nkd->kd", r, (X[:, None] - self.means) ** 2) / n[:, None]
