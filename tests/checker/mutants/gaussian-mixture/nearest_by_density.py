# contract: gaussian-mixture
# cause: labels-by-density
import math
from dataclasses import dataclass

import torch
from torch import nn


class GMMSettings:
    def __init__(self, n_components=3, n_features=2):
        self.n_components, self.n_features = n_components, n_features

    def to_dict(self):
        return vars(self)


@dataclass
class MixtureResult:
    log_prob: torch.Tensor

    def mean(self):
        return self.log_prob.mean()


class GMM(nn.Module):
    def __init__(self, n_components, n_features):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_features))
        self.log_var = nn.Parameter(torch.zeros(n_components, n_features))

    def terms(self, x):
        sq = (x[:, None] - self.means) ** 2 / self.log_var.exp()
        return self.logits.log_softmax(0) - 0.5 * (sq + self.log_var + math.log(2 * math.pi)).sum(-1)

    def forward(self, x):
        return self.terms(x).logsumexp(1)

    def predict(self, x):
        return (self.terms(x) - self.logits).argmax(1)
