# contract: gaussian-mixture
# cause: unknown
import numpy as np


class GaussianMixture1D:
    """One-dimensional mixture; data is a vector."""

    def __init__(self, k=3, iters=200, seed=0):
        self.k, self.iters, self.seed = k, iters, seed

    def fit(self, x):
        x = np.asarray(x).ravel()
        rng = np.random.default_rng(self.seed)
        self.mu = np.quantile(x, (np.arange(self.k) + 0.5) / self.k)
        self.sigma = np.full(self.k, x.std())
        self.pi = np.full(self.k, 1 / self.k)
        for _ in range(self.iters):
            r = self.responsibilities(x)
            n = r.sum(0)
            self.pi = n / len(x)
            self.mu = r.T @ x / n
            self.sigma = (r * (x[:, None] - self.mu) ** 2).sum(0) / n + 1e-6
        return self

    def log_joint(self, x):
        x = np.asarray(x).reshape(-1, 1)
        return (
            np.log(self.pi)
            - np.log(self.sigma)
            - 0.5 * np.log(2 * np.pi)
            - 0.5 * ((x - self.mu) / self.sigma) ** 2
        )

    def responsibilities(self, x):
        lj = self.log_joint(x)
        lj -= lj.max(1, keepdims=True)
        p = np.exp(lj)
        return p / p.sum(1, keepdims=True)

    def log_likelihood(self, x):
        lj = self.log_joint(x)
        m = lj.max(1)
        return m + np.log(np.exp(lj - m[:, None]).sum(1))
