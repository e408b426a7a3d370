# contract: gaussian-mixture
import numpy as np


class MixtureSteps:
    """Diagonal Gaussians; the first half of a step gives shares and, beside them, the log-likelihood of every point."""

    def __init__(self, pi, mu, var):
        self.pi, self.mu, self.var = (np.asarray(v, dtype=float) for v in (pi, mu, var))

    def expectation(self, x):
        square = (x[:, None] - self.mu) ** 2 / self.var
        joint = np.log(self.pi) - 0.5 * (square + np.log(2 * np.pi * self.var)).sum(-1)
        top = joint.max(1, keepdims=True)
        each = top[:, 0] + np.log(np.exp(joint - top).sum(1))
        return np.exp(joint - each[:, None]), each

    def maximisation(self, x, resp):
        count = resp.sum(0)
        self.pi, self.mu = count / len(x), resp.T @ x / count[:, None]
        self.var = (resp[..., None] * (x[:, None] - self.mu) ** 2).sum(0) / count[:, None] + 1e-6

    def train(self, x, rounds=10):
        for _ in range(rounds):
            self.maximisation(x, self.expectation(x)[0])
