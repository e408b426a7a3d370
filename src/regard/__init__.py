"""One attention operator, over text, images and graphs.

The names below are loaded when they are first used, so that `import regard` costs nothing.
"""

# Not from typing, which alone takes longer to load than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from regard.checker.live import check
    from regard.core.attend import Attended, attend
    from regard.core.edges import Edges
    from regard.core.mask import Mask
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
    from regard.core.support import Causal, Full, Grid, Packed, Window
    from regard.core.trace import trace
    from regard.errors import RegardError
    from regard.generation.beam import beam_search
    from regard.generation.engine import continuation, generate, stream
    from regard.generation.sampling import Sampler
    from regard.generation.stopping import Stop
    from regard.lab.look.attention import attention
    from regard.lab.look.run import show
    from regard.models.attention import MultiHead
    from regard.models.autoencoder import Autoencoder, Clean, Masked, Noisy
    from regard.models.cnn import ConvNet
    from regard.models.equivariant import P4ConvNet
    from regard.models.gpt.config import GPTConfig
    from regard.models.gpt.huggingface import load_gpt2, save_gpt2
    from regard.models.gpt.model import GPT
    from regard.models.graph.batch import Graph, union
    from regard.models.graph.convert import from_geometric, from_networkx, to_geometric, to_networkx
    from regard.models.graph.gatv2 import GATv2Score
    from regard.models.graph.given import as_edges
    from regard.models.graph.layers import GAT, GCN, GraphAttention, GraphConvolution, MessagePassing
    from regard.models.graph.loader import geometric_sampler
    from regard.models.graph.relational import RelationalAttention, RelationalGAT
    from regard.models.graph.sampled import node_loss
    from regard.models.graph.sampler import NeighbourSampler
    from regard.models.graph.sparse import SparseFeatures
    from regard.models.mixture.gaussian import GaussianMixtureModel
    from regard.models.mixture.uniform import UniformMixtureModel
    from regard.models.unet import Down, UNet, Up
    from regard.models.vit import PatchTransformer, Sight

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
    "core.mask": ("Mask",),
    "core.support": ("Full", "Causal", "Window", "Grid", "Packed"),
    "core.trace": ("trace",),
    "errors": ("RegardError",),
    "generation.beam": ("beam_search",),
    "generation.engine": ("generate", "stream", "continuation"),
    "generation.sampling": ("Sampler",),
    "generation.stopping": ("Stop",),
    "lab.look.attention": ("attention",),
    "lab.look.run": ("show",),
    "models.autoencoder": ("Autoencoder", "Clean", "Noisy", "Masked"),
    "models.gpt.config": ("GPTConfig",),
    "models.gpt.model": ("GPT",),
    "models.gpt.huggingface": ("load_gpt2", "save_gpt2"),
    "models.graph.layers": ("GraphConvolution", "GraphAttention", "MessagePassing", "GCN", "GAT"),
    "models.graph.batch": ("Graph", "union"),
    "models.graph.convert": ("from_networkx", "to_networkx", "from_geometric", "to_geometric"),
    "models.graph.given": ("as_edges",),
    "models.graph.loader": ("geometric_sampler",),
    "models.graph.sampled": ("node_loss",),
    "models.graph.sampler": ("NeighbourSampler",),
    "models.graph.sparse": ("SparseFeatures",),
    "models.graph.relational": ("RelationalAttention", "RelationalGAT"),
    "models.graph.gatv2": ("GATv2Score",),
    "models.attention": ("MultiHead",),
    "models.vit": ("PatchTransformer", "Sight"),
    "models.unet": ("UNet", "Down", "Up"),
    "models.mixture.gaussian": ("GaussianMixtureModel",),
    "models.mixture.uniform": ("UniformMixtureModel",),
    "models.equivariant": ("P4ConvNet",),
    "models.cnn": ("ConvNet",),
}
PACKAGES = ("data", "estimators", "lab", "training")
"Subpackages with public names of their own."
BESIDE = {
    "data": ("BPE", "Bytes", "Character", "Windows", "load_text"),
    "estimators": ("AutoencoderEstimator", "GaussianMixture", "UniformMixture"),
    "lab": ("Claim", "Experiment", "Metric"),
    "training": ("Checkpoints", "Plan", "Training"),
}
"Names that people look for here and find there."
_HOME = {name: f"regard.{file}" for file, names in _FILES.items() for name in names}

__all__ = [
    "GAT",
    "GCN",
    "GPT",
    "Additive",
    "Alibi",
    "Attended",
    "Autoencoder",
    "Causal",
    "Clean",
    "Constant",
    "ConvNet",
    "Cosine",
    "Divide",
    "Dot",
    "Down",
    "Edges",
    "Full",
    "GATv2Score",
    "GPTConfig",
    "Gaussian",
    "GaussianMixtureModel",
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
    "NeighbourSampler",
    "Noisy",
    "P4ConvNet",
    "Packed",
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
    "SparseFeatures",
    "Stop",
    "Symmetric",
    "UNet",
    "UniformMixtureModel",
    "Up",
    "Window",
    "as_edges",
    "attend",
    "attention",
    "beam_search",
    "check",
    "continuation",
    "elu_plus_one",
    "from_geometric",
    "from_networkx",
    "generate",
    "geometric_sampler",
    "load_gpt2",
    "node_loss",
    "polynomial",
    "relu",
    "save_gpt2",
    "show",
    "stream",
    "to_geometric",
    "to_networkx",
    "trace",
    "union",
]


def __getattr__(name: str):
    from importlib import import_module

    if name in PACKAGES:
        return import_module(f"regard.{name}")
    if name not in _HOME:
        place = next((f"; it is in regard.{home}" for home, names in BESIDE.items() if name in names), "")
        raise AttributeError(f"module 'regard' has no attribute '{name}'{place}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
