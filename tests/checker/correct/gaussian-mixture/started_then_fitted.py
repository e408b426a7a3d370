# contract: gaussian-mixture
# target: GaussianMixtureModel
import numpy as np
from scipy.stats import multivariate_normal

class GaussianMixtureModel:
    def __init__(self, n_clusters, n_iter=50):
        self.n_clusters, self.n_iter = n_clusters, n_iter

    def initialize(self, X):
        n, d = X.shape
        idx = np.random.choice(n, self.n_clusters, replace=False)
        self.mu = X[idx].copy()
        self.sigma = [np.cov(X.T) for _ in range(self.n_clusters)]
        self.pi = np.ones(self.n_clusters) / self.n_clusters

    def e_step(self, X):
        p = np.stack([self.pi[k] * multivariate_normal.pdf(X, self.mu[k], self.sigma[k]) for k in range(self.n_clusters)], 1)
        self.gamma = p / p.sum(1, keepdims=True)
        return self.gamma

    def m_step(self, X):
        n = self.gamma.sum(0)
        self.pi = n / len(X)
        self.mu = (self.gamma.T @ X) / n[:, None]
        for k in range(self.n_clusters):
            d = X - self.mu[k]
            self.sigma[k] = (self.gamma[:, k, None] * d).T @ d / n[k]

    def fit(self, X):
        self.initialize(X)
        for _ in range(self.n_iter):
            self.e_step(X)
            self.m_step(X)

    def log_likelihood(self, X):
        p = sum(self.pi[k] * multivariate_normal.pdf(X, self.mu[k], self.sigma[k]) for k in range(self.n_clusters))
        return np.log(p).sum()
