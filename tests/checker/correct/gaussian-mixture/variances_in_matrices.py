# contract: gaussian-mixture
import numpy as np


class DiagonalMixture:
    """Fitted by `train`; variances along the axes, kept as the diagonals of matrices."""

    def __init__(self, dataX, k):
        self.x, self.k = dataX, k

    def train(self, verbose=True):
        n, d = self.x.shape
        self.share = np.full(self.k, 1 / self.k)
        self.mean = self.x[np.random.choice(n, self.k, replace=False)]
        self.cov = np.stack([np.eye(d)] * self.k)
        for _ in range(100):
            self._expect()
            self._maximise()
            if verbose:
                print(self.share)

    def _expect(self):
        diff = self.x[:, None] - self.mean
        inverse = np.linalg.inv(self.cov)
        terms = np.einsum("nki,kij,nkj->nk", diff, inverse, diff) + np.log(np.linalg.det(2 * np.pi * self.cov))
        joint = np.log(self.share) - terms / 2
        joint = np.exp(joint - joint.max(1, keepdims=True))
        self.resp = joint / joint.sum(1, keepdims=True)

    def _maximise(self):
        total = self.resp.sum(0)
        self.share = total / len(self.x)
        self.mean = self.resp.T @ self.x / total[:, None]
        for j in range(self.k):
            spread = self.resp[:, j] @ (self.x - self.mean[j]) ** 2 / total[j]
            self.cov[j] = np.diag(spread)
