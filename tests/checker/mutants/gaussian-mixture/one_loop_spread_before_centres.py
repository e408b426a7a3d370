# contract: gaussian-mixture
# cause: em-old-means
import numpy as np


class Mixture:
    def __init__(self, n_components, max_iter=100):
        self.n_components, self.max_iter = n_components, max_iter

    def _pdf(self, x, mu, cov):
        gap = x - mu
        scale = np.sqrt((2 * np.pi) ** x.shape[1] * np.linalg.det(cov))
        return np.exp(-0.5 * np.sum(gap @ np.linalg.inv(cov) * gap, axis=1)) / scale

    def fit(self, x):
        n, d = x.shape
        k = self.n_components
        mu, cov, pi = x[:k].copy(), np.array([np.eye(d)] * k), np.ones(k) / k
        for _ in range(self.max_iter):
            gamma = np.stack([pi[j] * self._pdf(x, mu[j], cov[j]) for j in range(k)], axis=1)
            gamma = gamma / gamma.sum(1, keepdims=True)
            for j in range(k):
                gap = x - mu[j]
                cov[j] = (gamma[:, [j]] * gap).T @ gap / gamma[:, j].sum()
                mu[j] = gamma[:, j] @ x / gamma[:, j].sum()
                pi[j] = gamma[:, j].mean()
        self.mu, self.cov, self.pi = mu, cov, pi
        return gamma

    def density(self, x):
        return sum(self.pi[j] * self._pdf(x, self.mu[j], self.cov[j]) for j in range(self.n_components))
