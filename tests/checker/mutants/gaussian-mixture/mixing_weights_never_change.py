# contract: gaussian-mixture
# cause: unknown
# target: GaussianMixtureModel
import numpy as np
from scipy.stats import multivariate_normal


class GaussianMixtureModel:
    def __init__(self, n_clusters, n_iter=50):
        self.n_clusters, self.n_iter = n_clusters, n_iter

    def fit(self, X):
        idx = np.random.choice(len(X), self.n_clusters, replace=False)
        self.mu, self.sigma = X[idx].copy(), np.stack([np.cov(X.T)] * self.n_clusters)
        self.pi = np.ones(self.n_clusters) / self.n_clusters
        for _ in range(self.n_iter):
            r = self.predict_proba(X)
            n = r.sum(0)
            self.mu = r.T @ X / n[:, None]
            for k in range(self.n_clusters):
                d = X - self.mu[k]
                self.sigma[k] = (r[:, k, None] * d).T @ d / n[k]
        return self

    def predict_proba(self, X):
        p = np.stack(
            [
                self.pi[k] * multivariate_normal.pdf(X, self.mu[k], self.sigma[k])
                for k in range(self.n_clusters)
            ],
            1,
        )
        return p / p.sum(1, keepdims=True)
