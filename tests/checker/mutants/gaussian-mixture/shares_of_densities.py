# contract: gaussian-mixture
# cause: shares-underflow
import torch
from torch import nn
from torch.distributions import Normal


class GaussianMixture(nn.Module):
    def __init__(self, components, dim):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(components))
        self.means = nn.Parameter(torch.randn(components, dim))
        self.log_std = nn.Parameter(torch.zeros(components, dim))

    def joint(self, x):
        each = Normal(self.means, self.log_std.exp()).log_prob(x.unsqueeze(1)).sum(-1)
        return each + self.logits.log_softmax(0)

    def log_prob(self, x):
        return self.joint(x).logsumexp(1)

    def responsibilities(self, x):
        density = self.joint(x).exp()
        return density / density.sum(1, keepdim=True)
