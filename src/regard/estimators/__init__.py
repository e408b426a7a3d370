"""The models as scikit-learn estimators; they need the extra: pip install regard[sklearn]."""

from regard.estimators.autoencoder import AutoencoderEstimator
from regard.estimators.mixture import GaussianMixture
from regard.estimators.uniform_mixture import UniformMixture

__all__ = ["AutoencoderEstimator", "GaussianMixture", "UniformMixture"]
