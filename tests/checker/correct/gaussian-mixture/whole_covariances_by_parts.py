# contract: gaussian-mixture
import math

import torch
from torch import nn


class CovarianceMixture(nn.Module):
    """Shares, centres and covariance matrices as they are; a method for one component stands before the whole."""

    def __init__(self, k, d):
        super().__init__()
        self.shares = nn.Parameter(torch.full((k,), 1.0 / k))
        self.centres = nn.Parameter(torch.randn(k, d))
        self.covariance = nn.Parameter(torch.eye(d).repeat(k, 1, 1))

    def log_prob_of_components(self, x):
        apart = x[:, None] - self.centres
        root = torch.linalg.cholesky(2 * math.pi * self.covariance)
        solved = torch.cholesky_solve(apart[..., None], root)[..., 0]
        return -math.pi * (apart * solved).sum(-1) - root.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def conditional_log_prob(self, x):
        joint = self.log_prob_of_components(x) + self.shares.log()
        return joint.log_softmax(1)

    def log_likelihood(self, x):
        return (self.log_prob_of_components(x) + self.shares.log()).logsumexp(1)
