# contract: gaussian-mixture
import numpy as np
from scipy.special import logsumexp


class GaussianMixture:
    """covariance_type: full, diag."""

    def __init__(
        self, n_components=1, covariance_type="full", reg_covar=1e-6, max_iter=40, tol=1e-5, random_state=None
    ):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.converged_ = False
        self.lower_bounds_ = []

    def _estimate_log_gaussian_prob(self, X):
        n, d = X.shape
        out = np.empty((n, self.n_components))
        for k in range(self.n_components):
            diff = X - self.means_[k]
            if self.covariance_type == "full":
                maha = np.sum(diff.dot(np.linalg.inv(self.covariances_[k])) * diff, axis=1)
                logdet = np.linalg.slogdet(self.covariances_[k])[1]
            else:
                maha = np.sum(diff**2 / self.covariances_[k], axis=1)
                logdet = np.sum(np.log(self.covariances_[k]))
            out[:, k] = -0.5 * (d * np.log(2 * np.pi) + logdet + maha)
        return out

    def score_samples(self, X):
        return logsumexp(self._estimate_log_gaussian_prob(X) + np.log(self.weights_), axis=1)

    def score(self, X):
        return np.mean(self.score_samples(X))

    def _e_step(self, X):
        w = self._estimate_log_gaussian_prob(X) + np.log(self.weights_)
        norm = logsumexp(w, axis=1)
        return np.mean(norm), w - norm[:, np.newaxis]

    def _m_step(self, X, log_resp):
        resp = np.exp(log_resp)
        nk = resp.sum(axis=0) + 1e-10
        self.weights_ = nk / X.shape[0]
        self.means_ = np.dot(resp.T, X) / nk[:, np.newaxis]
        covs = []
        for k in range(self.n_components):
            diff = X - self.means_[k]
            if self.covariance_type == "full":
                covs.append(np.dot(resp[:, k] * diff.T, diff) / nk[k] + self.reg_covar * np.eye(X.shape[1]))
            else:
                covs.append(np.sum(resp[:, k][:, None] * diff**2, axis=0) / nk[k] + self.reg_covar)
        self.covariances_ = np.array(covs)

    def fit(self, X, y=None):
        rng = np.random.RandomState(self.random_state)
        resp = rng.rand(X.shape[0], self.n_components)
        resp /= resp.sum(axis=1)[:, np.newaxis]
        self._m_step(X, np.log(resp))
        previous = -np.inf
        for _ in range(self.max_iter):
            bound, log_resp = self._e_step(X)
            self._m_step(X, log_resp)
            self.lower_bounds_.append(bound)
            if abs(bound - previous) < self.tol:
                self.converged_ = True
                break
            previous = bound
        return self

    def predict(self, X):
        return self._e_step(X)[1].argmax(axis=1)

    def predict_proba(self, X):
        return np.exp(self._e_step(X)[1])
