# contract: gaussian-mixture
# cause: weights-missing
import numpy as np


class GMM:
    """Gaussian mixture fitted by EM; parameters exist after fit."""

    def __init__(self, n_components=3, n_iter=40, reg=1e-6, random_state=0):
        self.n_components, self.n_iter, self.reg, self.random_state = n_components, n_iter, reg, random_state

    def _initialise(self, X):
        rng = np.random.RandomState(self.random_state)
        n, d = X.shape
        self.weights_ = np.ones(self.n_components) / self.n_components
        self.means_ = X[rng.choice(n, self.n_components, replace=False)]
        self.covariances_ = np.array([np.cov(X.T) + self.reg * np.eye(d)] * self.n_components)

    def _log_prob(self, X):
        n, d = X.shape
        out = np.zeros((n, self.n_components))
        for k in range(self.n_components):
            L = np.linalg.cholesky(self.covariances_[k])
            y = np.linalg.solve(L, (X - self.means_[k]).T)
            out[:, k] = -0.5 * (d * np.log(2 * np.pi) + np.sum(y**2, axis=0)) - np.sum(np.log(np.diag(L)))
        return out

    def _e_step(self, X):
        lp = self._log_prob(X)
        norm = np.logaddexp.reduce(lp, axis=1)
        return norm.mean(), np.exp(lp - norm[:, None])

    def _m_step(self, X, resp):
        n, d = X.shape
        nk = resp.sum(0) + 1e-12
        self.weights_ = nk / n
        self.means_ = resp.T @ X / nk[:, None]
        for k in range(self.n_components):
            diff = X - self.means_[k]
            self.covariances_[k] = (resp[:, k] * diff.T) @ diff / nk[k] + self.reg * np.eye(d)

    def fit(self, X):
        self._initialise(X)
        for _ in range(self.n_iter):
            _, resp = self._e_step(X)
            self._m_step(X, resp)
        return self

    def score_samples(self, X):
        return np.logaddexp.reduce(self._log_prob(X), axis=1)

    def predict(self, X):
        return self._log_prob(X).argmax(axis=1)

    def predict_proba(self, X):
        return self._e_step(X)[1]
