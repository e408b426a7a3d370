# contract: gaussian-mixture
import numpy as np


class GMMCluster:
    """A mixture of Gaussians that fits in one loop and answers with labels."""

    def __init__(self, k, rounds=60, tol=1e-7):
        self.k, self.rounds, self.tol = k, rounds, tol

    def _joint(self, points):
        found = np.empty((len(points), self.k))
        for j in range(self.k):
            apart = points - self.centres[j]
            inverse = np.linalg.inv(self.sigma[j])
            height = self.share[j] / np.sqrt(np.linalg.det(2 * np.pi * self.sigma[j]))
            found[:, j] = height * np.exp(-0.5 * ((apart @ inverse) * apart).sum(1))
        return found

    def fit(self, points):
        n, d = points.shape
        self.centres = points[np.random.choice(n, self.k, replace=False)].copy()
        self.sigma = np.stack([np.cov(points.T).reshape(d, d)] * self.k)
        self.share = np.full(self.k, 1 / self.k)
        before = -np.inf
        for _ in range(self.rounds):
            joint = self._joint(points)
            now = np.log(joint.sum(1)).sum()
            if abs(now - before) < self.tol:
                break
            before = now
            resp = joint / joint.sum(1, keepdims=True)
            many = resp.sum(0)
            for j in range(self.k):
                self.centres[j] = resp[:, j] @ points / many[j]
                apart = points - self.centres[j]
                self.sigma[j] = (apart * resp[:, [j]]).T @ apart / many[j] + 1e-9 * np.eye(d)
            self.share = many / n
        return self

    def assign(self, points):
        return self._joint(points).argmax(1)
