# contract: gaussian-mixture
# cause: unknown
import numpy as np
from scipy.special import logsumexp


class GaussianMixture:
    def __init__(self, n_components=3, max_iter=100, tol=1e-4, reg_covar=1e-6, random_state=0):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.reg_covar = reg_covar
        self.random_state = random_state

    def _init(self, X):
        rng = np.random.RandomState(self.random_state)
        idx = rng.choice(len(X), self.n_components, replace=False)
        self.means_ = X[idx].copy()
        self.covariances_ = np.array([np.cov(X.T) + self.reg_covar * np.eye(X.shape[1])] * self.n_components)
        self.weights_ = np.full(self.n_components, 1 / self.n_components)

    def _log_gauss(self, X):
        n, d = X.shape
        out = np.empty((n, self.n_components))
        for k in range(self.n_components):
            L = np.linalg.cholesky(self.covariances_[k])
            z = np.linalg.solve(L, (X - self.means_[k]).T)
            out[:, k] = -0.5 * (d * np.log(2 * np.pi) + (z**2).sum(0)) - np.log(np.diag(L)).sum()
        return out

    def _e_step(self, X):
        lp = self._log_gauss(X) + np.log(self.weights_)
        norm = logsumexp(lp, axis=1)
        return norm.mean(), np.exp(lp - norm[:, None])

    def _m_step(self, X, resp):
        nk = resp.sum(0) + 1e-12
        self.weights_ = nk / len(X)
        self.means_ = resp.T @ X / nk[:, None]
        for k in range(self.n_components):
            diff = X - self.means_[k]
            self.covariances_[k] = (resp[:, k][:, None] * diff).T @ diff / nk[k] + self.reg_covar * np.eye(
                X.shape[1]
            )

    def fit(self, X):
        self._init(X)
        prev = np.inf
        for i in range(self.max_iter):
            ll, resp = self._e_step(X)
            self._m_step(X, resp)
            if ll - prev < self.tol:
                break
            prev = ll
        return self

    def score_samples(self, X):
        return logsumexp(self._log_gauss(X) + np.log(self.weights_), axis=1)

    def predict_proba(self, X):
        return self._e_step(X)[1]

    def predict(self, X):
        return self.predict_proba(X).argmax(1)
