# contract: gaussian-mixture
import numpy as np
from scipy.stats import multivariate_normal


class GMM:
    """Gives the density itself."""

    def __init__(self, K, D):
        rng = np.random.default_rng(0)
        self.pi = np.ones(K) / K
        self.mu = rng.normal(size=(K, D))
        self.sigma = np.stack([np.eye(D)] * K)

    def pdf(self, X):
        return sum(p * multivariate_normal(m, s).pdf(X) for p, m, s in zip(self.pi, self.mu, self.sigma))
