# contract: gaussian-mixture
# says: (inverse|invert) & (matrix|number)
import numpy as np


def gmm_log_likelihood(X, weights, means, covariances):
    """The log-likelihood of every row."""
    terms = []
    for weight, mean, covariance in zip(weights, means, covariances):
        apart = X - mean
        square = np.einsum("ni,ij,nj->n", apart, 1 / covariance, apart)
        volume = np.linalg.slogdet(2 * np.pi * covariance)[1]
        terms.append(np.log(weight) - 0.5 * (square + volume))
    return np.logaddexp.reduce(terms)
