# contract: layer-norm

import numpy as np


class LayerNorm:
    def __init__(self, dim, eps=1e-5):
        self.gamma = np.ones(dim)
        self.beta = np.zeros(dim)
        self.eps = eps

    def forward(self, x):
        mean = x.mean(axis=-1, keepdims=True)
        var = x.var(axis=-1, keepdims=True)
        self.xhat = (x - mean) / np.sqrt(var + self.eps)
        return self.gamma * self.xhat + self.beta
