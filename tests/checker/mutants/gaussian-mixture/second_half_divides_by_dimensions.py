# contract: gaussian-mixture
# cause: unknown
import numpy as np


def log_gaussian(X, mu, Sigma):
    d = X.shape[1]
    diff = X[:, None, :] - mu[None]
    inv = np.linalg.inv(Sigma)
    maha = np.einsum("nki,kij,nkj->nk", diff, inv, diff)
    logdet = np.linalg.slogdet(Sigma)[1]
    return -0.5 * (d * np.log(2 * np.pi) + logdet + maha)


def e_step(X, pi, mu, Sigma):
    """Responsibilities of every component for every point and the log-likelihood."""
    log_r = np.log(pi) + log_gaussian(X, mu, Sigma)
    m = log_r.max(axis=1, keepdims=True)
    log_norm = m + np.log(np.exp(log_r - m).sum(axis=1, keepdims=True))
    return np.exp(log_r - log_norm), log_norm.sum()


def m_step(X, R):
    nk = R.sum(0)
    pi = nk / X.shape[1]
    mu = R.T @ X / nk[:, None]
    diff = X[:, None, :] - mu[None]
    Sigma = np.einsum("nk,nki,nkj->kij", R, diff, diff) / nk[:, None, None]
    return pi, mu, Sigma


def fit_gmm(X, k, iters=100, seed=0):
    rng = np.random.default_rng(seed)
    mu = X[rng.choice(len(X), k, replace=False)]
    Sigma = np.stack([np.cov(X.T)] * k)
    pi = np.full(k, 1.0 / k)
    old = -np.inf
    for _ in range(iters):
        R, ll = e_step(X, pi, mu, Sigma)
        pi, mu, Sigma = m_step(X, R)
        if ll - old < 1e-6:
            break
        old = ll
    return pi, mu, Sigma
