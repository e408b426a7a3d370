# contract: layer-norm
import numpy as np


def layer_norm(held, x, eps=1e-6):
    """held: a dictionary with scale and offset"""
    apart = x - x.mean(axis=-1, keepdims=True)
    size = np.sqrt(np.square(apart).mean(axis=-1, keepdims=True) + eps)
    return held["scale"] * apart / size + held["offset"]
