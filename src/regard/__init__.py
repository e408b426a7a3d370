"""One attention operator, over text, images and graphs.

The names below are loaded when they are first used, so that `import regard` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regard.checker.live import check
    from regard.core.attend import Attended, attend
    from regard.core.edges import Edges
    from regard.core.normalise import Divide, Mean, Raw, Softmax, Symmetric
    from regard.core.position import Alibi, LearnedRelative, Relative, Rotary
    from regard.core.similarity import (
        Additive,
        Constant,
        Cosine,
        Dot,
        Gaussian,
        Kernel,
        elu_plus_one,
        polynomial,
        relu,
    )
    from regard.core.support import Causal, Documents, Full, Grid, Mask, Window
    from regard.core.trace import trace
    from regard.errors import RegardError
    from regard.generation.beam import beam_search
    from regard.generation.engine import continuation, generate, stream
    from regard.generation.sampling import Sampler
    from regard.generation.stopping import Stop
    from regard.models.autoencoder import Autoencoder, Clean, Masked, Noisy
    from regard.models.config import Config
    from regard.models.gpt import GPT
    from regard.models.graph import GAT, GCN, GraphAttention, GraphConvolution, MessagePassing
    from regard.models.graph_batch import Graph, union
    from regard.models.graph_exchange import from_geometric, from_networkx, to_geometric, to_networkx
    from regard.models.graph_features import Bags
    from regard.models.graph_relational import RelationalAttention, RelationalGAT
    from regard.models.graph_similarity import Dynamic
    from regard.models.layers import MultiHead
    from regard.models.mixture import GaussianMixture
    from regard.models.pixels import PatchTransformer, Sight
    from regard.models.turns import TurnNet
    from regard.models.unet import Down, UNet, Up
    from regard.models.uniform_mixture import UniformMixture
    from regard.models.vision import Border, ConvNet, Net1, Net2

_FILES = {
    "checker.live": ("check",),
    "core.attend": ("attend", "Attended"),
    "core.edges": ("Edges",),
    "core.normalise": ("Softmax", "Divide", "Mean", "Symmetric", "Raw"),
    "core.position": ("Rotary", "Alibi", "Relative", "LearnedRelative"),
    "core.similarity": (
        "Dot",
        "Cosine",
        "Constant",
        "Gaussian",
        "Kernel",
        "Additive",
        "elu_plus_one",
        "relu",
        "polynomial",
    ),
    "core.support": ("Full", "Causal", "Window", "Grid", "Mask", "Documents"),
    "core.trace": ("trace",),
    "errors": ("RegardError",),
    "generation.beam": ("beam_search",),
    "generation.engine": ("generate", "stream", "continuation"),
    "generation.sampling": ("Sampler",),
    "generation.stopping": ("Stop",),
    "models.autoencoder": ("Autoencoder", "Clean", "Noisy", "Masked"),
    "models.config": ("Config",),
    "models.gpt": ("GPT",),
    "models.graph": ("GraphConvolution", "GraphAttention", "MessagePassing", "GCN", "GAT"),
    "models.graph_batch": ("Graph", "union"),
    "models.graph_exchange": ("from_networkx", "to_networkx", "from_geometric", "to_geometric"),
    "models.graph_features": ("Bags",),
    "models.graph_relational": ("RelationalAttention", "RelationalGAT"),
    "models.graph_similarity": ("Dynamic",),
    "models.layers": ("MultiHead",),
    "models.pixels": ("PatchTransformer", "Sight"),
    "models.unet": ("UNet", "Down", "Up"),
    "models.mixture": ("GaussianMixture",),
    "models.uniform_mixture": ("UniformMixture",),
    "models.turns": ("TurnNet",),
    "models.vision": ("Border", "Net1", "Net2", "ConvNet"),
}
_HOME = {name: f"regard.{file}" for file, names in _FILES.items() for name in names}

__all__ = [
    "GAT",
    "GCN",
    "GPT",
    "Additive",
    "Alibi",
    "Attended",
    "Autoencoder",
    "Bags",
    "Border",
    "Causal",
    "Clean",
    "Config",
    "Constant",
    "ConvNet",
    "Cosine",
    "Divide",
    "Documents",
    "Dot",
    "Down",
    "Dynamic",
    "Edges",
    "Full",
    "Gaussian",
    "GaussianMixture",
    "Graph",
    "GraphAttention",
    "GraphConvolution",
    "Grid",
    "Kernel",
    "LearnedRelative",
    "Mask",
    "Masked",
    "Mean",
    "MessagePassing",
    "MultiHead",
    "Net1",
    "Net2",
    "Noisy",
    "PatchTransformer",
    "Raw",
    "RegardError",
    "RelationalAttention",
    "RelationalGAT",
    "Relative",
    "Rotary",
    "Sampler",
    "Sight",
    "Softmax",
    "Stop",
    "Symmetric",
    "TurnNet",
    "UNet",
    "UniformMixture",
    "Up",
    "Window",
    "attend",
    "beam_search",
    "check",
    "continuation",
    "elu_plus_one",
    "from_geometric",
    "from_networkx",
    "generate",
    "polynomial",
    "relu",
    "stream",
    "to_geometric",
    "to_networkx",
    "trace",
    "union",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'regard' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
