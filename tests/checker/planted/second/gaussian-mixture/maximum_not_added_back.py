# contract: gaussian-mixture
# says: (largest|maximum) & (added back|not added)
import numpy as np


def mixture_log_likelihood(X, weights, means, variances):
    """The log-likelihood of every row."""
    square = ((X[:, None] - means) ** 2 / variances + np.log(2 * np.pi * variances)).sum(-1)
    terms = np.log(weights) - 0.5 * square
    return np.log(np.exp(terms - terms.max(1, keepdims=True)).sum(1))
