# contract: causal-attention
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa):
        super().__init__()
        self.lin = nn.Linear(alpha, beta)

    def forward(self, x):
        return self.lin(x)
