# contract: gaussian-mixture
# cause: unknown
import numpy as np
from sklearn.cluster import KMeans


class GMM:
    def __init__(self, n_components, tol=1e-6, max_iter=200):
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter

    def gaussian(self, X, mean, cov):
        n = X.shape[1]
        diff = X - mean
        return np.diagonal(
            1
            / ((2 * np.pi) ** (n / 2) * np.linalg.det(cov) ** 0.5)
            * np.exp(-0.5 * np.dot(np.dot(diff, np.linalg.inv(cov)), diff.T))
        ).reshape(-1, 1)

    def initialize_clusters(self, X):
        self.clusters = []
        km = KMeans(self.n_components, n_init=1, random_state=0).fit(X)
        for i in range(self.n_components):
            self.clusters.append(
                {
                    "pi_k": 1.0 / self.n_components,
                    "mu_k": km.cluster_centers_[i],
                    "cov_k": np.identity(X.shape[1], dtype=np.float64),
                }
            )

    def expectation_step(self, X):
        self.totals = np.zeros((X.shape[0], 1), dtype=np.float64)
        for c in self.clusters:
            c["gamma_nk"] = c["pi_k"] * self.gaussian(X, c["mu_k"], c["cov_k"])
            self.totals += c["gamma_nk"]
        for c in self.clusters:
            c["gamma_nk"] /= self.totals.sum()

    def maximization_step(self, X):
        N = float(X.shape[0])
        for c in self.clusters:
            g = c["gamma_nk"]
            N_k = np.sum(g, axis=0)
            c["pi_k"] = float(N_k[0] / N)
            c["mu_k"] = np.sum(g * X, axis=0) / N_k
            diff = X - c["mu_k"]
            c["cov_k"] = (g * diff).T @ diff / N_k

    def fit(self, X):
        self.initialize_clusters(X)
        prev = None
        for _ in range(self.max_iter):
            self.expectation_step(X)
            self.maximization_step(X)
            ll = np.sum(np.log(self.totals))
            if prev is not None and abs(ll - prev) < self.tol:
                break
            prev = ll
        return self

    def score_samples(self, X):
        return np.log(sum(c["pi_k"] * self.gaussian(X, c["mu_k"], c["cov_k"]) for c in self.clusters))[:, 0]
