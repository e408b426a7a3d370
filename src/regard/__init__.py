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
    from regard.models.config import Config
    from regard.models.gpt import GPT
    from regard.models.layers import MultiHead

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
    "models.config": ("Config",),
    "models.gpt": ("GPT",),
    "models.layers": ("MultiHead",),
}
_HOME = {name: f"regard.{file}" for file, names in _FILES.items() for name in names}

__all__ = [
    "GPT",
    "Additive",
    "Alibi",
    "Attended",
    "Causal",
    "Config",
    "Constant",
    "Cosine",
    "Divide",
    "Documents",
    "Dot",
    "Edges",
    "Full",
    "Gaussian",
    "Grid",
    "Kernel",
    "LearnedRelative",
    "Mask",
    "Mean",
    "MultiHead",
    "Raw",
    "RegardError",
    "Relative",
    "Rotary",
    "Softmax",
    "Symmetric",
    "Window",
    "attend",
    "check",
    "elu_plus_one",
    "polynomial",
    "relu",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'regard' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
