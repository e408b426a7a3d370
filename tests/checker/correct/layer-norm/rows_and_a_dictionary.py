# contract: layer-norm
import numpy as np


def layernorm_rows(x, gamma, beta, options):
    """x (N, D), one row for each sample; options: a dictionary that may hold eps. Gives rows and what backward needs."""
    eps = options.get("eps", 1e-5)
    spread = np.sqrt(x.var(axis=1, keepdims=True) + eps)
    normed = (x - x.mean(axis=1, keepdims=True)) / spread
    return gamma * normed + beta, (normed, spread)
