# contract: gaussian-mixture
import numpy as np
from scipy.stats import multivariate_normal


class GMM:
    def __init__(self, n_clusters, n_iters=100):
        self.n_clusters = n_clusters
        self.n_iters = n_iters

    def initialize(self, X):
        n, d = X.shape
        pis = np.ones(self.n_clusters) / self.n_clusters
        mus = X[np.random.RandomState(0).permutation(n)[: self.n_clusters]]
        covs = np.array([np.cov(X, rowvar=False) for _ in range(self.n_clusters)])
        return pis, mus, covs

    def likelihood(self, X, pis, mus, covs):
        """log p(x_i) for every i under the given parameters."""
        dens = np.zeros((len(X), self.n_clusters))
        for k in range(self.n_clusters):
            dens[:, k] = np.log(pis[k]) + multivariate_normal.logpdf(X, mus[k], covs[k])
        top = dens.max(1)
        return top + np.log(np.exp(dens - top[:, None]).sum(1))

    def e_step(self, X, pis, mus, covs):
        dens = np.zeros((len(X), self.n_clusters))
        for k in range(self.n_clusters):
            dens[:, k] = np.log(pis[k]) + multivariate_normal.logpdf(X, mus[k], covs[k])
        dens -= dens.max(1, keepdims=True)
        g = np.exp(dens)
        return g / g.sum(1, keepdims=True)

    def m_step(self, X, gamma):
        n, d = X.shape
        nk = gamma.sum(0)
        pis = nk / n
        mus = gamma.T @ X / nk[:, None]
        covs = np.zeros((self.n_clusters, d, d))
        for k in range(self.n_clusters):
            z = X - mus[k]
            covs[k] = z.T @ (gamma[:, [k]] * z) / nk[k] + 1e-6 * np.eye(d)
        return pis, mus, covs

    def fit(self, X):
        pis, mus, covs = self.initialize(X)
        for _ in range(self.n_iters):
            gamma = self.e_step(X, pis, mus, covs)
            pis, mus, covs = self.m_step(X, gamma)
        self.pis, self.mus, self.covs = pis, mus, covs
        return self
