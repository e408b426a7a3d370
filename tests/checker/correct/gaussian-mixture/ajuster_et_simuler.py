# contract: gaussian-mixture
import numpy as np


class MelangeGaussien:
    """Mélange de gaussiennes diagonales."""

    def __init__(self, nb_composantes, graine=0, nb_iter=150):
        self.nb_composantes, self.graine, self.nb_iter = nb_composantes, graine, nb_iter

    def ajuster(self, X):
        alea = np.random.default_rng(self.graine)
        n, d = X.shape
        self.poids = np.ones(self.nb_composantes) / self.nb_composantes
        self.moyennes = X[alea.choice(n, self.nb_composantes, replace=False)]
        self.variances = np.ones((self.nb_composantes, d)) * X.var(axis=0)
        for _ in range(self.nb_iter):
            tau = self.appartenances(X)
            eff = tau.sum(axis=0)
            self.poids = eff / n
            self.moyennes = (tau.T @ X) / eff[:, None]
            ecarts = (X[:, None] - self.moyennes) ** 2
            self.variances = np.einsum("nk,nkd->kd", tau, ecarts) / eff[:, None] + 1e-6

    def _log_conjointe(self, X):
        q = ((X[:, None] - self.moyennes) ** 2 / self.variances).sum(-1)
        return np.log(self.poids) - 0.5 * (q + np.log(self.variances).sum(-1) + X.shape[1] * np.log(2 * np.pi))

    def appartenances(self, X):
        lc = self._log_conjointe(X)
        lc = lc - lc.max(1, keepdims=True)
        p = np.exp(lc)
        return p / p.sum(1, keepdims=True)

    def log_vraisemblance(self, X):
        return np.logaddexp.reduce(self._log_conjointe(X), axis=1)

    def simuler(self, n):
        z = np.random.choice(self.nb_composantes, size=n, p=self.poids)
        return self.moyennes[z] + np.sqrt(self.variances[z]) * np.random.randn(n, self.moyennes.shape[1])
