# contract: gaussian-mixture
import numpy as np
from numpy.linalg import inv, det


class MezclaGaussianas:
    def __init__(self, k, iteraciones=60):
        self.k = k
        self.iteraciones = iteraciones

    def _densidad(self, X, media, cov):
        d = X.shape[1]
        dif = X - media
        cte = 1.0 / np.sqrt((2 * np.pi) ** d * det(cov))
        return cte * np.exp(-0.5 * np.sum(dif @ inv(cov) * dif, axis=1))

    def ajustar(self, X):
        n, d = X.shape
        rng = np.random.RandomState(3)
        self.medias = X[rng.choice(n, self.k, replace=False)]
        self.covarianzas = [np.cov(X.T) for _ in range(self.k)]
        self.pesos = np.ones(self.k) / self.k
        for _ in range(self.iteraciones):
            r = self.responsabilidades(X)
            nk = r.sum(0)
            self.pesos = nk / n
            for j in range(self.k):
                self.medias[j] = (r[:, j:j + 1] * X).sum(0) / nk[j]
                dif = X - self.medias[j]
                self.covarianzas[j] = (r[:, j:j + 1] * dif).T @ dif / nk[j] + 1e-6 * np.eye(d)

    def responsabilidades(self, X):
        p = np.column_stack([self.pesos[j] * self._densidad(X, self.medias[j], self.covarianzas[j]) for j in range(self.k)])
        return p / p.sum(axis=1, keepdims=True)

    def log_verosimilitud(self, X):
        p = sum(self.pesos[j] * self._densidad(X, self.medias[j], self.covarianzas[j]) for j in range(self.k))
        return np.log(p)
