# contract: gaussian-mixture
# cause: unknown
import numpy as np


class GMM:
    """EM for a mixture of k Gaussians on data X, shape (n, d)."""

    def __init__(self, X, k, max_iter=50, seed=42):
        self.X = X
        self.n, self.d = X.shape
        self.k = k
        self.max_iter = max_iter
        rng = np.random.default_rng(seed)
        self.pi = np.ones(k) / k
        self.mu = X[rng.choice(self.n, k, replace=False)]
        self.sigma = np.stack([np.eye(self.d) * X.var() for _ in range(k)])
        self.r = np.zeros((self.n, k))

    def log_pdf(self, x, mu, sigma):
        diff = x - mu
        _, logdet = np.linalg.slogdet(sigma)
        maha = np.sum(diff @ np.linalg.inv(sigma) * diff, axis=1)
        return -0.5 * (self.d * np.log(2 * np.pi) + logdet + maha)

    def log_joint(self, x):
        return np.stack(
            [np.log(self.pi[j]) + self.log_pdf(x, self.mu[j], self.sigma[j]) for j in range(self.k)], axis=1
        )

    def e_step(self):
        lj = self.log_joint(self.X)
        m = lj.max(axis=1, keepdims=True)
        ll = m[:, 0] + np.log(np.exp(lj - m).sum(axis=1))
        self.r = np.exp(lj - ll[:, None])
        return ll.sum()

    def m_step(self):
        nk = self.r.sum(axis=0)
        self.pi = nk / self.n
        self.mu = (self.r.T @ self.X) / nk[:, None]
        for j in range(self.k):
            diff = self.X - self.mu[j]
            self.sigma[j] = (self.r[:, j] * diff.T) @ diff / self.n + 1e-6 * np.eye(self.d)

    def fit(self):
        history = []
        for _ in range(self.max_iter):
            history.append(self.e_step())
            self.m_step()
        return history

    def log_likelihood(self, x):
        lj = self.log_joint(x)
        m = lj.max(axis=1, keepdims=True)
        return m[:, 0] + np.log(np.exp(lj - m).sum(axis=1))
