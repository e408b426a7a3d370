# contract: gaussian-mixture
# cause: em-old-means
import numpy as np


def fit_gmm(X, n_components, n_iter=50, tol=1e-5, seed=None):
    """EM for a mixture of Gaussians with whole covariances: shares, centres and covariances come back."""
    rng = np.random.default_rng(seed)
    count, d = X.shape
    centres = X[rng.choice(count, n_components, replace=False)]
    covariances = np.stack([np.cov(X.T)] * n_components)
    shares = np.full(n_components, 1 / n_components)
    before = -np.inf
    for _ in range(n_iter):
        apart = X[:, None] - centres
        squares = np.einsum("nki,kij,nkj->nk", apart, np.linalg.inv(covariances), apart)
        logs = np.log(shares) - 0.5 * (squares + np.linalg.slogdet(covariances)[1] + d * np.log(2 * np.pi))
        top = logs.max(1, keepdims=True)
        whole = top + np.log(np.exp(logs - top).sum(1, keepdims=True))
        belongs = np.exp(logs - whole)
        mass = belongs.sum(0)
        shares, centres = mass / count, belongs.T @ X / mass[:, None]
        covariances = np.einsum("nk,nki,nkj->kij", belongs, apart, apart) / mass[:, None, None]
        if abs(whole.mean() - before) < tol:
            break
        before = whole.mean()
    return shares, centres, covariances
