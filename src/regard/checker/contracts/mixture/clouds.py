"""Points to which a mixture is fitted, and by what it is asked to fit them."""

import numpy as np

COMPONENTS, DIMENSION, POINTS = 3, 5, 211
ROUNDS = 100
"Iterations of a fit that must be told how many."
FITS = r"^_*(fit\w*|train\w*|learn\w*|run\w*|em|\w+_em|em_\w+|estimate\w*|optimi[sz]e|ajust\w*|entren\w*|trein\w*|trainier\w*|lern\w*|entrain\w*)$"
"Names of methods that find the parameters from data."


def cloud(d: int, apart: float = 3.0) -> np.ndarray:
    """Points around three places, not along the axes, so that no component is empty or diagonal; near places overlap."""
    rng = np.random.default_rng(11)
    mixed = rng.standard_normal((3, d, d)) * 0.5 + np.eye(d)
    which = np.array([0, 0, 0, 1, 1, 1, 2, 2])[np.arange(POINTS) % 8]
    noise = np.einsum("nij,nj->ni", mixed[which], rng.standard_normal((POINTS, d)))
    return noise + (rng.standard_normal((3, d)) * apart)[which]
