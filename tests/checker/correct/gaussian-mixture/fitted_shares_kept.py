# contract: gaussian-mixture
import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal


class MixtureOfGaussians:
    def __init__(self, k, max_iter=25):
        self.k = k
        self.max_iter = int(max_iter)

    def initialize(self, X):
        self.shape = X.shape
        self.n, self.m = self.shape
        self.phi = np.full(shape=self.k, fill_value=1 / self.k)
        random_row = np.random.randint(low=0, high=self.n, size=self.k)
        self.mu = np.array([X[row_index, :] for row_index in random_row])
        self.Sigma = np.array([np.cov(X.T) for _ in range(self.k)])

    def e_step(self, X):
        self.weights = self.predict_proba(X)
        self.phi = self.weights.mean(axis=0)

    def m_step(self, X):
        for i in range(self.k):
            weight = self.weights[:, [i]]
            total_weight = weight.sum()
            self.mu[i] = (X * weight).sum(axis=0) / total_weight
            self.Sigma[i] = np.cov(X.T, aweights=(weight / total_weight).flatten(), bias=True)

    def fit(self, X):
        self.initialize(X)
        for iteration in range(self.max_iter):
            self.e_step(X)
            self.m_step(X)

    def _joint(self, X):
        return np.stack(
            [
                np.log(self.phi[i]) + multivariate_normal(self.mu[i], self.Sigma[i]).logpdf(X)
                for i in range(self.k)
            ],
            axis=1,
        )

    def logpdf(self, X):
        return logsumexp(self._joint(X), axis=1)

    def predict_proba(self, X):
        j = self._joint(X)
        return np.exp(j - logsumexp(j, axis=1, keepdims=True))

    def predict(self, X):
        return np.argmax(self.predict_proba(X), axis=1)
