# contract: gaussian-mixture
import numpy as np


class GMM:
    """Nothing is kept: fit returns weights, means and covariances, the other methods are told them."""

    def __init__(self, k, max_iter=100, seed=0):
        self.k, self.max_iter, self.seed = k, max_iter, seed

    def e_step(self, X, weights, means, covs):
        log_p = np.stack([self.log_normal(X, m, c) + np.log(w) for w, m, c in zip(weights, means, covs)], axis=1)
        log_sum = np.logaddexp.reduce(log_p, axis=1)
        return np.exp(log_p - log_sum[:, None]), log_sum.sum()

    def log_normal(self, X, mean, cov):
        diff = X - mean
        sol = np.linalg.solve(cov, diff.T).T
        return -0.5 * ((diff * sol).sum(1) + np.linalg.slogdet(cov)[1] + X.shape[1] * np.log(2 * np.pi))

    def m_step(self, X, resp):
        nk = resp.sum(0)
        means = resp.T @ X / nk[:, None]
        covs = np.stack([(resp[:, [j]] * (X - means[j])).T @ (X - means[j]) / nk[j] for j in range(self.k)])
        return nk / len(X), means, covs

    def fit(self, X):
        rng = np.random.default_rng(self.seed)
        weights = np.ones(self.k) / self.k
        means = X[rng.choice(len(X), self.k, replace=False)]
        covs = np.stack([np.cov(X.T)] * self.k)
        for _ in range(self.max_iter):
            resp, _ = self.e_step(X, weights, means, covs)
            weights, means, covs = self.m_step(X, resp)
        return weights, means, covs
