# contract: gaussian-mixture
# cause: sum-over-samples
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def component_log_prob(self, x):
        x = x.unsqueeze(1)
        return -0.5 * (
            math.log(2 * math.pi) + self.log_variances + (x - self.means) ** 2 / self.log_variances.exp()
        ).sum(dim=2)

    def forward(self, x):
        log_w = self.logits - torch.logsumexp(self.logits, 0)
        return torch.logsumexp(log_w + self.component_log_prob(x), dim=0)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(self.logits.softmax(0), n_samples, replacement=True)
        return torch.normal(self.means[k], self.log_variances[k].mul(0.5).exp())

    def conditional_sample(self, n_samples, label):
        k = torch.full((n_samples,), int(label))
        return torch.normal(self.means[k], self.log_variances[k].mul(0.5).exp())
