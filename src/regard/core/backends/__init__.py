"""Backends of `attend`: the ways to compute a call, and the choice between them.

A backend is a module with `refuse(call)`, which says in three lines why it cannot do a call (or None), and
`run(call)`, which gives the output and, where asked for, the weights.
"""

from types import ModuleType

import torch
from torch import Tensor

from regard.arguments import told
from regard.core.backends import linear, reference, sdpa
from regard.core.backends.edges import backend as edges
from regard.core.call import Call
from regard.core.edges import Edges
from regard.core.similarity import Kernel
from regard.errors import RegardError, nearest

BACKENDS: dict[str, ModuleType] = {"reference": reference, "sdpa": sdpa, "linear": linear, "edges": edges}

WHY = {
    "sdpa": "dot products under a softmax over a dense support: torch's fused kernel",
    "linear": "a kernel that is divided by its sum: associativity, linear in the length",
    "edges": "an edge list: scores and weights by edge, never a message by edge and channel",
}


def choose(call: Call, name: str) -> tuple[str, str]:
    """The backend for a call, and why: the one asked for, or under 'auto' the fast one, if it can."""
    if not isinstance(name, str) or name != "auto":
        return demand(call, name), "asked for"
    fast = (
        "edges"
        if isinstance(call.support, Edges)
        else "linear"
        if isinstance(call.similarity, Kernel)
        else "sdpa"
    )
    refusal = BACKENDS[fast].refuse(call)
    if refusal is None:
        return fast, WHY[fast] + (BACKENDS[fast].way(call) if fast != "linear" else "")
    return "reference", refusal.what if isinstance(refusal, RegardError) else refusal[0]


def demand(call: Call, name: str) -> str:
    """The backend of that name; raises where there is none, or where it cannot do the call."""
    if not isinstance(name, str) or name not in BACKENDS:
        raise RegardError(
            "no backend of that name",
            told(name),
            nearest(str(name), BACKENDS, f"one of auto, {', '.join(BACKENDS)}"),
        )
    refusal = BACKENDS[name].refuse(call)
    if refusal is not None:
        raise refusal if isinstance(refusal, RegardError) else RegardError(*refusal)
    return name


def run(call: Call, name: str) -> tuple[Tensor, Tensor | None]:
    """Do the call. Backends whose sums are our own choose their types themselves: autocast stays outside."""
    if name in ("linear", "edges") and torch.is_autocast_enabled(call.q.device.type):
        with torch.autocast(call.q.device.type, enabled=False):
            return BACKENDS[name].run(call)
    return BACKENDS[name].run(call)
