# contract: gaussian-mixture
import torch
from torch import nn


class Bell(nn.Module):
    """One component: its centre, and the logarithm of its deviation along each axis."""

    def __init__(self, d):
        super().__init__()
        self.centre = nn.Parameter(torch.randn(d))
        self.log_std = nn.Parameter(torch.zeros(d))

    def density(self, x):
        return torch.distributions.Normal(self.centre, self.log_std.exp()).log_prob(x).sum(-1)


class Mixture(nn.Module):
    def __init__(self, n_components, dim):
        super().__init__()
        self.bells = nn.ModuleList([Bell(dim) for _ in range(n_components)])
        self.mix = nn.Parameter(torch.zeros(n_components))

    def forward(self, x):
        shares = self.mix.log_softmax(0)
        return torch.stack([bell.density(x) + share for bell, share in zip(self.bells, shares, strict=True)]).logsumexp(0)

    def sample(self, n):
        chosen = torch.distributions.Categorical(logits=self.mix).sample((n,))
        noise = torch.randn(n, len(self.bells[0].centre), dtype=self.mix.dtype)
        rows = [self.bells[k].centre + e * self.bells[k].log_std.exp() for k, e in zip(chosen.tolist(), noise, strict=True)]
        return torch.stack(rows)
