# contract: layer-norm
# cause: mean-kept
import torch
from torch import nn
from torch import Tensor


class Schichtnorm(nn.Module):
    def __init__(self, breite: int, epsilon: float = 1e-5):
        super().__init__()
        self.epsilon = epsilon
        self.gewicht = nn.Parameter(torch.ones(breite))
        self.versatz = nn.Parameter(torch.zeros(breite))

    def forward(self, x: Tensor) -> Tensor:
        varianz, mittelwert = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        y = x / (varianz + self.epsilon).sqrt()
        return y * self.gewicht + self.versatz
