# contract: gaussian-mixture
# cause: sample-variance
# target: GMM
import numpy as np


class GMM:
    def __init__(self, weights, means, variances):
        self.weights, self.means, self.variances = weights, means, variances

    def log_prob(self, x):
        off = (x[:, None] - self.means) ** 2 / self.variances
        terms = np.log(self.weights) - 0.5 * (off + np.log(2 * np.pi * self.variances)).sum(-1)
        return np.logaddexp.reduce(terms, axis=1)

    def sample(self, n):
        rng = np.random.default_rng()
        of = rng.choice(len(self.weights), n, p=self.weights)
        return rng.normal(self.means[of], self.variances[of])
