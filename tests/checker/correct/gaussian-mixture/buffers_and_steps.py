# contract: gaussian-mixture
import math

import torch
import torch.nn as nn


class TorchEM(nn.Module):
    """EM with buffers."""

    def __init__(self, n_components, n_features):
        super().__init__()
        self.register_buffer("pi", torch.full((n_components,), 1.0 / n_components))
        self.register_buffer("mu", torch.randn(n_components, n_features))
        self.register_buffer("var", torch.ones(n_components, n_features))

    def _joint(self, x):
        lp = -0.5 * (((x[:, None] - self.mu) ** 2) / self.var + self.var.log() + math.log(2 * math.pi)).sum(
            -1
        )
        return lp + self.pi.log()

    def log_prob(self, x):
        return self._joint(x).logsumexp(1)

    def responsibilities(self, x):
        return self._joint(x).softmax(1)

    @torch.no_grad()
    def em_step(self, x):
        r = self.responsibilities(x)
        nk = r.sum(0)
        self.pi.copy_(nk / len(x))
        self.mu.copy_(r.T @ x / nk[:, None])
        self.var.copy_((r[:, :, None] * (x[:, None] - self.mu) ** 2).sum(0) / nk[:, None] + 1e-6)
