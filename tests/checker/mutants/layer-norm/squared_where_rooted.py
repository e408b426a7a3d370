# contract: layer-norm
# cause: unknown
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, hidden_size, epsilon=1e-5):
        super(LayerNorm, self).__init__()
        self.epsilon = epsilon
        self.gamma = nn.Parameter(torch.ones(hidden_size))
        self.beta = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, inputs):
        mean = torch.mean(inputs, dim=-1, keepdim=True)
        outputs = inputs - mean
        variance = torch.mean(outputs**2, dim=-1, keepdim=True)
        std = (variance + self.epsilon) ** 2
        outputs = outputs / std
        return outputs * self.gamma + self.beta
