# contract: rms-norm
# cause: axis-tokens

import numpy as np


def rms_norm(x, gain, eps=1e-5):
    ms = np.mean(np.square(x), axis=-2, keepdims=True)
    return x / np.sqrt(ms + eps) * gain
