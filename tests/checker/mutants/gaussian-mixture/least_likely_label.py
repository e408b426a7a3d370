# contract: gaussian-mixture
# cause: unknown
import numpy as np
from scipy.stats import multivariate_normal as mvn


class GMM:
    def __init__(self, n_components, max_iter=100):
        self.n_components = n_components
        self.max_iter = max_iter

    def fit(self, X):
        n, d = X.shape
        rng = np.random.default_rng(0)
        self.weights = np.ones(self.n_components) / self.n_components
        self.means = X[rng.choice(n, self.n_components, replace=False)]
        self.covs = np.array([np.cov(X.T)] * self.n_components)
        for _ in range(self.max_iter):
            r = self.predict_proba(X)
            nk = r.sum(0)
            self.weights = nk / n
            self.means = r.T @ X / nk[:, None]
            for k in range(self.n_components):
                z = X - self.means[k]
                self.covs[k] = z.T @ (z * r[:, [k]]) / nk[k] + 1e-6 * np.eye(d)
        return self

    def predict_proba(self, X):
        lp = np.stack(
            [np.log(w) + mvn.logpdf(X, m, c) for w, m, c in zip(self.weights, self.means, self.covs)], 1
        )
        lp -= lp.max(1, keepdims=True)
        p = np.exp(lp)
        return p / p.sum(1, keepdims=True)

    def predict(self, X):
        return self.predict_proba(X).argmin(1)
