# contract: gaussian-mixture
import numpy as np
from scipy.stats import multivariate_normal


class GaussianMixture:
    """EM whose first half writes into an array made for the points that are fitted."""

    def __init__(self, n_components, max_iter=80, seed=1):
        self.n_components, self.max_iter, self.seed = n_components, max_iter, seed

    def e_step(self, x):
        for k in range(self.n_components):
            self.resp[:, k] = self.weights[k] * multivariate_normal.pdf(x, self.means[k], self.covs[k])
        self.resp /= self.resp.sum(1, keepdims=True)

    def m_step(self, x):
        total = self.resp.sum(0)
        self.weights = total / len(x)
        self.means = self.resp.T @ x / total[:, None]
        for k in range(self.n_components):
            gap = x - self.means[k]
            self.covs[k] = (self.resp[:, k] * gap.T) @ gap / total[k] + 1e-6 * np.eye(x.shape[1])

    def fit(self, x):
        rng = np.random.default_rng(self.seed)
        self.resp = np.zeros((len(x), self.n_components))
        self.weights = np.ones(self.n_components) / self.n_components
        self.means = x[rng.choice(len(x), self.n_components, replace=False)]
        self.covs = np.array([np.cov(x.T) for _ in range(self.n_components)])
        for _ in range(self.max_iter):
            self.e_step(x)
            self.m_step(x)

    def score_samples(self, x):
        total = 0.0
        for w, m, c in zip(self.weights, self.means, self.covs):
            total = total + w * multivariate_normal.pdf(x, m, c)
        return np.log(np.maximum(total, 1e-300))
