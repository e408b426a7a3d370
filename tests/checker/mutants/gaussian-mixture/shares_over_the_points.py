# contract: gaussian-mixture
# cause: unknown
import math

import torch


class CovarianceMixture:
    """Gaussians with whole covariance matrices, fitted by the two halves of EM; there is nothing to call."""

    def __init__(self, k, d, floor=1e-6):
        self.floor = floor
        self.pi = torch.full((k,), 1 / k, dtype=torch.float64)
        self.mu = torch.randn(k, d, dtype=torch.float64)
        self.cov = torch.eye(d, dtype=torch.float64).expand(k, d, d).clone()

    def e_step(self, data):
        apart = data[:, None, :] - self.mu
        square = torch.einsum("nki,kij,nkj->nk", apart, torch.linalg.inv(self.cov), apart)
        volume = torch.logdet(self.cov) + data.shape[1] * math.log(2 * math.pi)
        terms = self.pi.log() - 0.5 * (square + volume)
        total = terms.logsumexp(1, keepdim=True)
        return terms.softmax(0), total.mean()

    def m_step(self, resp, data):
        count = resp.sum(0)
        self.pi = count / len(data)
        self.mu = resp.T @ data / count[:, None]
        apart = data[:, None, :] - self.mu
        moments = torch.einsum("nk,nki,nkj->kij", resp, apart, apart)
        self.cov = moments / count[:, None, None] + self.floor * torch.eye(data.shape[1], dtype=data.dtype)

    def fit(self, data, rounds=20):
        for _ in range(rounds):
            self.m_step(self.e_step(data)[0], data)
        return self
