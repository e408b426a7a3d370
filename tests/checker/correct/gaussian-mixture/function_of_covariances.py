# contract: gaussian-mixture
import numpy as np


def gmm_log_density(x, weights, means, covs):
    """log p(x) for each row of x."""
    n, d = x.shape
    k = len(weights)
    log_terms = np.empty((n, k))
    for j in range(k):
        diff = x - means[j]
        inv = np.linalg.inv(covs[j])
        _, logdet = np.linalg.slogdet(covs[j])
        maha = np.sum(diff @ inv * diff, axis=1)
        log_terms[:, j] = np.log(weights[j]) - 0.5 * (maha + logdet + d * np.log(2 * np.pi))
    top = log_terms.max(axis=1, keepdims=True)
    return top[:, 0] + np.log(np.exp(log_terms - top).sum(axis=1))
