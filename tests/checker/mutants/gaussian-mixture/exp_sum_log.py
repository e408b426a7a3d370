# contract: gaussian-mixture
# cause: underflow
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        var = torch.exp(self.log_variances)
        pdf = torch.exp(-0.5 * (x[:, None] - self.means) ** 2 / var) / torch.sqrt(2 * math.pi * var)
        p = (torch.softmax(self.logits, 0) * pdf.prod(-1)).sum(-1)
        return torch.log(p)

    def loss(self, x):
        return -self(x).mean()

    def sample(self, n):
        k = torch.multinomial(torch.softmax(self.logits, 0), n, replacement=True)
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(n, self.means.shape[1])

    def conditional_sample(self, n, k):
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(n, self.means.shape[1])
