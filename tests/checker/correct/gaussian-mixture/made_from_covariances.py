# contract: gaussian-mixture
import numpy as np


class GMMDensity:
    """A mixture density from given weights, means and covariances."""

    def __init__(self, weights, means, covariances):
        self.weights = np.asarray(weights)
        self.means = np.asarray(means)
        self.covariances = np.asarray(covariances)

    def logpdf(self, x):
        d = self.means.shape[1]
        diff = x[:, None, :] - self.means
        prec = np.linalg.inv(self.covariances)
        maha = np.einsum("nki,kij,nkj->nk", diff, prec, diff)
        lp = np.log(self.weights) - 0.5 * (
            maha + np.linalg.slogdet(self.covariances)[1] + d * np.log(2 * np.pi)
        )
        m = lp.max(axis=1, keepdims=True)
        return (m + np.log(np.exp(lp - m).sum(axis=1, keepdims=True)))[:, 0]
