# contract: gaussian-mixture
# cause: unknown
import numpy as np


class GMM:
    """Tied covariance: one matrix for all components."""

    def __init__(self, n_components, n_iter=100, seed=0):
        self.n_components, self.n_iter, self.seed = n_components, n_iter, seed

    def fit(self, X):
        n, d = X.shape
        rng = np.random.default_rng(self.seed)
        self.weights = np.full(self.n_components, 1 / self.n_components)
        self.means = X[rng.choice(n, self.n_components, replace=False)]
        self.cov = np.cov(X.T)
        for _ in range(self.n_iter):
            R = self.posterior(X)
            N = R.sum(0)
            self.weights = N / n
            self.means = R.T @ X / N[:, None]
            self.cov = (X.T @ X - self.means.T @ self.means) / n + 1e-9 * np.eye(d)
        return self

    def _lj(self, X):
        d = X.shape[1]
        L = np.linalg.cholesky(self.cov)
        Z = np.linalg.solve(L, (X[:, None] - self.means).reshape(-1, d).T).T.reshape(len(X), -1, d)
        return (
            np.log(self.weights)
            - 0.5 * (Z**2).sum(-1)
            - np.log(np.diag(L)).sum()
            - 0.5 * d * np.log(2 * np.pi)
        )

    def posterior(self, X):
        lj = self._lj(X)
        return np.exp(lj - np.logaddexp.reduce(lj, 1)[:, None])

    def logpdf(self, X):
        return np.logaddexp.reduce(self._lj(X), 1)
