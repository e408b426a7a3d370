# contract: gaussian-mixture
# cause: dimensions-averaged
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def component_log_prob(self, x):
        x = x.unsqueeze(1)
        per_dim = -0.5 * (
            math.log(2 * math.pi) + self.log_variances + (x - self.means) ** 2 / self.log_variances.exp()
        )
        return per_dim.mean(dim=-1)

    def forward(self, x):
        return torch.logsumexp(self.component_log_prob(x) + torch.log_softmax(self.logits, dim=0), dim=1)

    def loss(self, x):
        return -torch.mean(self.forward(x))

    def sample(self, n):
        k = torch.multinomial(torch.softmax(self.logits, 0), n, replacement=True)
        return self.means[k] + torch.exp(self.log_variances[k] * 0.5) * torch.randn_like(self.means[k])

    def conditional_sample(self, n, k):
        mean = self.means[k].repeat(n, 1)
        return mean + torch.exp(self.log_variances[k] * 0.5) * torch.randn_like(mean)
