# contract: gaussian-mixture
import torch


class SharedCovarianceGMM:
    """All components share one covariance matrix; em_step(x) is one turn of EM."""

    def __init__(self, pi, mu, sigma):
        self.pi, self.mu, self.sigma = pi, mu, sigma

    def joint(self, x):
        normal = torch.distributions.MultivariateNormal(self.mu, self.sigma)
        return self.pi.log() + normal.log_prob(x[:, None])

    def log_prob(self, x):
        return self.joint(x).logsumexp(1)

    def em_step(self, x):
        r = self.joint(x).softmax(1)
        n = r.sum(0)
        self.pi, self.mu = n / len(x), r.T @ x / n[:, None]
        apart = x[:, None] - self.mu
        self.sigma = torch.einsum("nk,nki,nkj->ij", r, apart, apart) / len(x)
        return self
