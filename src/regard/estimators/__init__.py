"""The models as scikit-learn estimators; they need the extra: pip install 'regard[sklearn]'."""

from regard.errors import Uninstalled

try:
    import sklearn  # noqa: F401
except ImportError:
    raise Uninstalled(
        "the estimators need scikit-learn", "no module 'sklearn'", "pip install 'regard[sklearn]'"
    ) from None

from regard.estimators.autoencoder import AutoencoderEstimator
from regard.estimators.mixture import GaussianMixture
from regard.estimators.uniform_mixture import UniformMixture

__all__ = ["AutoencoderEstimator", "GaussianMixture", "UniformMixture"]
