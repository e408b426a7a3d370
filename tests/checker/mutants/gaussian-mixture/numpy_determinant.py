# contract: gaussian-mixture
# cause: logdet-half-missing
import numpy as np


class GaussianMixture:
    def __init__(self, n_components, n_features, max_iter=50, seed=0):
        rng = np.random.default_rng(seed)
        self.n_components = n_components
        self.max_iter = max_iter
        self.weights = np.full(n_components, 1.0 / n_components)
        self.means = rng.standard_normal((n_components, n_features))
        self.variances = np.ones((n_components, n_features))

    def _log_joint(self, X):
        diff = X[:, None, :] - self.means[None, :, :]
        log_det = np.sum(np.log(self.variances), axis=1)
        maha = np.sum(diff**2 / self.variances, axis=2)
        return np.log(self.weights) - 0.5 * (X.shape[1] * np.log(2 * np.pi) + 2 * log_det + maha)

    def score_samples(self, X):
        a = self._log_joint(X)
        m = a.max(axis=1)
        return m + np.log(np.sum(np.exp(a - m[:, None]), axis=1))

    def responsibilities(self, X):
        return np.exp(self._log_joint(X) - self.score_samples(X)[:, None])

    def em_step(self, X):
        r = self.responsibilities(X)
        nk = r.sum(axis=0)
        self.weights = nk / X.shape[0]
        self.means = r.T @ X / nk[:, None]
        diff = X[:, None, :] - self.means
        self.variances = np.einsum("nk,nkd->kd", r, diff**2) / nk[:, None] + 1e-6

    def fit(self, X):
        for _ in range(self.max_iter):
            self.em_step(X)
        return self
