# contract: gaussian-mixture
import numpy as np


class EM:
    """EM algorithm for Gaussian mixtures: weights (k,), means (k, d), covs (k, d, d)."""

    @staticmethod
    def log_density(X, mean, cov):
        d = X.shape[1]
        L = np.linalg.cholesky(cov)
        y = np.linalg.solve(L, (X - mean).T)
        return -0.5 * np.sum(y * y, axis=0) - np.sum(np.log(np.diag(L))) - 0.5 * d * np.log(2 * np.pi)

    def __init__(self, weights, means, covs):
        self.weights = np.asarray(weights)
        self.means = np.asarray(means)
        self.covs = np.asarray(covs)

    def log_likelihood(self, X):
        terms = np.stack([np.log(w) + self.log_density(X, m, c) for w, m, c in zip(self.weights, self.means, self.covs)])
        top = terms.max(axis=0)
        return top + np.log(np.sum(np.exp(terms - top), axis=0))

    def step(self, X):
        terms = np.stack([np.log(w) + self.log_density(X, m, c) for w, m, c in zip(self.weights, self.means, self.covs)])
        resp = np.exp(terms - self.log_likelihood(X))
        Nk = resp.sum(axis=1)
        means = resp @ X / Nk[:, None]
        covs = np.array([(r[:, None] * (X - m)).T @ (X - m) / n for r, m, n in zip(resp, means, Nk)])
        return EM(Nk / len(X), means, covs)
