# contract: gaussian-mixture
import torch, math
from torch import nn


class GMM(nn.Module):
    def __init__(self, K, D):
        super().__init__()
        self.pi_logits = nn.Parameter(torch.zeros(K))
        self.mu = nn.Parameter(torch.randn(K, D))
        self.log_sigma2 = nn.Parameter(torch.zeros(K, D))

    def log_prob(self, x):
        diff = x.unsqueeze(1) - self.mu
        q = (diff**2 * torch.exp(-self.log_sigma2)).sum(-1)
        logdet = self.log_sigma2.sum(-1)
        comp = -0.5 * (q + logdet + x.shape[-1] * math.log(2 * math.pi))
        return torch.logsumexp(comp + self.pi_logits.log_softmax(0), dim=1)

    def loss(self, x):
        return -self.log_prob(x).mean()

    @torch.no_grad()
    def sample(self, n):
        z = torch.distributions.Categorical(logits=self.pi_logits).sample((n,))
        return torch.normal(self.mu[z], (0.5 * self.log_sigma2[z]).exp())
