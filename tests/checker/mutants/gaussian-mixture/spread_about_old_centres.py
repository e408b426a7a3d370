# contract: gaussian-mixture
# cause: em-old-means
import math

import torch


class DiagonalMixture:
    def __init__(self, components, features):
        self.centres = torch.randn(components, features, dtype=torch.float64)
        self.variances = torch.ones(components, features, dtype=torch.float64)
        self.priors = torch.full((components,), 1 / components, dtype=torch.float64)

    def joint_log_prob(self, x):
        square = (x[:, None] - self.centres).square() / self.variances
        density = -0.5 * (square + torch.log(2 * math.pi * self.variances)).sum(-1)
        return density + torch.log(self.priors)

    def responsibilities(self, x):
        return self.joint_log_prob(x).softmax(1)

    def em_step(self, x):
        share = self.responsibilities(x)
        count = share.sum(0)
        spread = torch.einsum("nk,nkd->kd", share, (x[:, None] - self.centres).square())
        self.centres = share.T @ x / count[:, None]
        self.variances = spread / count[:, None] + 1e-6
        self.priors = count / len(x)
