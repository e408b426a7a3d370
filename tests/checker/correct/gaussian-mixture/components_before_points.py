# contract: gaussian-mixture
# target: Mixture
import numpy as np


class Mixture:
    """A mixture of Gaussians by EM; responsibilities are (components, points)."""

    def __init__(self, n_components: int):
        self.n_components = n_components

    def expectation_step(self, x):
        rows = []
        for share, mean, cov in zip(self.shares, self.means, self.covs):
            off = x - mean
            power = np.einsum("ni,ij,nj->n", off, np.linalg.inv(cov), off)
            rows.append(share * np.exp(-power / 2) / np.sqrt(np.linalg.det(2 * np.pi * cov)))
        rows = np.array(rows)
        return rows / rows.sum(0)

    def maximisation_step(self, x, r):
        n = r.sum(1)
        self.shares, self.means = n / len(x), r @ x / n[:, None]
        self.covs = np.array([((x - m) * w[:, None]).T @ (x - m) / w.sum() for m, w in zip(self.means, r)])

    def fit(self, x):
        rng = np.random.default_rng(3)
        self.shares = np.full(self.n_components, 1 / self.n_components)
        self.means = x[rng.permutation(len(x))[: self.n_components]]
        self.covs = np.array([np.cov(x.T)] * self.n_components)
        for _ in range(40):
            self.maximisation_step(x, self.expectation_step(x))
        return self
