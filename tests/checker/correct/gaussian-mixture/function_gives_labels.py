# contract: gaussian-mixture
import numpy as np
from scipy.stats import multivariate_normal


def gmm_labels(samples, n_gauss):
    """EM for a mixture of Gaussians: the label of every sample, nothing else."""
    n, d = samples.shape
    picked = np.random.choice(n, n_gauss, replace=False)
    mu, weight, cov = [samples[i] for i in picked], [1 / n_gauss] * n_gauss, [np.eye(d)] * n_gauss
    last, total = 0.0, 1.0
    while abs(total - last) > 1e-6:
        last = total
        dens = np.array([weight[k] * multivariate_normal.pdf(samples, mu[k], cov[k]) for k in range(n_gauss)])
        total = float(np.log(dens.sum(0)).sum())
        r = dens / dens.sum(0)
        for k in range(n_gauss):
            mu[k] = (r[k][:, None] * samples).sum(0) / r[k].sum()
            off = samples - mu[k]
            cov[k] = np.einsum("n,ni,nj->ij", r[k], off, off) / r[k].sum() + 1e-8 * np.eye(d)
            weight[k] = r[k].mean()
        print("log-likelihood", total)
    return r.argmax(0)
