# contract: gaussian-mixture
# cause: unknown
import numpy as np


def em_gmm(data, k, iterations=50):
    n, d = data.shape
    mu = data[np.random.choice(n, k, replace=False)]
    sigma, pi = np.tile(np.eye(d), (k, 1, 1)), np.ones(k) / k
    labels = np.zeros(n, dtype=int)
    for _ in range(iterations):
        p = np.zeros((n, k))
        for j in range(k):
            z = np.linalg.solve(np.linalg.cholesky(sigma[j]), (data - mu[j]).T)
            p[:, j] = np.exp(-0.5 * (z**2).sum(0)) / np.sqrt(np.linalg.det(sigma[j]))
        p /= p.sum(1, keepdims=True)
        labels = p.argmax(1)
        nk = p.sum(0)
        pi = nk / n
        mu = p.T @ data / nk[:, None]
        for j in range(k):
            sigma[j] = (p[:, j] * (data - mu[j]).T) @ (data - mu[j]) / nk[j] + 1e-8 * np.eye(d)
    return labels
