# contract: gaussian-mixture
# cause: size-dependent
# target: Mixture
import numpy as np
from scipy.stats import multivariate_normal


class Mixture:
    """A mixture of Gaussians by EM."""

    def __init__(self, components: int, steps: int = 30):
        self.components, self.steps = components, steps

    def initialise(self, x):
        self.count = len(x)
        self.means = x[np.random.permutation(len(x))[: self.components]].copy()
        self.covariances = np.stack([np.cov(x.T)] * self.components)
        self.weights = np.full(self.components, 1 / self.components)

    def fit(self, x):
        for _ in range(self.steps):
            r = self.responsibilities(x)
            n = r.sum(0)
            self.weights, self.means = n / len(x), r.T @ x / n[:, None]
            for k in range(self.components):
                apart = x - self.means[k]
                self.covariances[k] = (r[:, k, None] * apart).T @ apart / n[k] + 1e-6 * np.eye(x.shape[1])

    def responsibilities(self, x):
        density = np.zeros((self.count, self.components))
        for k in range(self.components):
            density[:, k] = multivariate_normal(self.means[k], self.covariances[k]).pdf(x)
        density = density * self.weights
        return density / density.sum(1, keepdims=True)
