# contract: gaussian-mixture
# target: e_step
import numpy as np


def gaussian(X, mean, cov):
    d = X.shape[1]
    diff = X - mean
    return -0.5 * (
        np.einsum("ni,ij,nj->n", diff, np.linalg.inv(cov), diff)
        + np.linalg.slogdet(cov)[1]
        + d * np.log(2 * np.pi)
    )


def e_step(X, pi, mu, sigma):
    """Responsibilities (n, k) of a Gaussian mixture."""
    log_r = np.stack([np.log(pi[k]) + gaussian(X, mu[k], sigma[k]) for k in range(len(pi))], axis=1)
    log_r -= log_r.max(axis=1, keepdims=True)
    r = np.exp(log_r)
    return r / r.sum(axis=1, keepdims=True)
