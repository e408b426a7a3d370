# contract: gaussian-mixture
# cause: underflow
# target: GMM
import math

import torch
from torch import nn


class GMM(nn.Module):
    def __init__(self, n_components: int, dim: int):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        off = (x[:, None] - self.means).square() / self.log_variances.exp()
        terms = -0.5 * (off + self.log_variances + math.log(2 * math.pi)).sum(-1) + self.logits.log_softmax(
            -1
        )
        top = terms.detach().max()
        return top + (terms - top).exp().sum(-1).log()
