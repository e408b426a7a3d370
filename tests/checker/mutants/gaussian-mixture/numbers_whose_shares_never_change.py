# contract: gaussian-mixture
# cause: unknown
import numpy as np


def mixture_of_numbers(values, n_clust, max_iter=40):
    centres = np.random.choice(values, n_clust, replace=False)
    variances = np.full(n_clust, np.var(values))
    pi = np.random.dirichlet(np.ones(n_clust) * 5)
    for _ in range(max_iter):
        bells = np.exp(-((values[:, None] - centres) ** 2) / (2 * variances)) / np.sqrt(2 * np.pi * variances)
        shares = bells * pi
        shares /= shares.sum(1, keepdims=True)
        total = shares.sum(0)
        centres = (shares * values[:, None]).sum(0) / total
        variances = (shares * (values[:, None] - centres) ** 2).sum(0) / total
    return centres, variances
