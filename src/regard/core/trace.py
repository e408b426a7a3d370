"""trace(model): what a model computes and where it looks, by the dotted names of its modules."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import get_ident
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from regard.arguments import check
from regard.shapes import Float

if TYPE_CHECKING:
    from regard.core.support import Support

ACTIVE: "list[Trace]" = []
"""The traces that are on, the innermost last; a plain list, which torch.compile can see through."""


def recorder() -> "Trace | None":
    """The trace that is on in this thread, or None."""
    if not ACTIVE:
        return None
    return next((one for one in reversed(ACTIVE) if one.thread == get_ident()), None)


@dataclass(frozen=True, eq=False)
class Look:
    """One call of `attend`: the weights, and the support in whose order they stand."""

    weights: Float[Tensor, "..."]
    "(b h n m), or (b h e) beside `support.source` and `support.target`."
    support: "Support"
    "What the call was given: with self-loops where the layer added them."
    backend: str
    "Which backend ran."
    reason: str
    "Why it ran."


@dataclass(eq=False)
class Trace:
    """Records a model while it is on: outputs of modules and weights of calls, in order, by dotted name."""

    model: nn.Module
    "The model to watch; what is called outside of it goes by the name ''."
    activations: dict[str, list[Any]] = field(default_factory=dict)
    "The outputs of each module, one entry per call."
    looks: dict[str, list[Look]] = field(default_factory=dict)
    "What `attend` did inside each module, one entry per call."

    def __enter__(self) -> "Trace":
        self._path = [""]
        self._handles = [
            handle
            for name, module in self.model.named_modules()
            for handle in (
                module.register_forward_pre_hook(self._enter(name)),
                module.register_forward_hook(self._leave(name), always_call=True),
            )
        ]
        self.thread = get_ident()
        ACTIVE.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        ACTIVE.remove(self)
        for handle in self._handles:
            handle.remove()

    def attention(self, weights: Tensor, support: "Support", backend: str, reason: str) -> None:
        """Note one call of `attend` under the module that made it."""
        self.looks.setdefault(self._path[-1], []).append(Look(weights, support, backend, reason))

    def _enter(self, name: str) -> Callable[..., None]:
        def enter(module: nn.Module, given: object) -> None:
            if recorder() is self:
                self._path.append(name)

        return enter

    def _leave(self, name: str) -> Callable[..., None]:
        def leave(module: nn.Module, given: object, output: object) -> None:
            if recorder() is self:
                self._path.pop()
                # A module that raised has no output.
                self.activations.setdefault(name, []).extend([] if output is None else [output])

        return leave


def trace(model: nn.Module) -> Trace:
    """A recorder of the model, on inside its `with`: activations and attention by dotted name.

    While it is on every call of `attend` keeps its weights, which may make `auto` choose another backend;
    `reason` says so. The tensors stay in the graph, so that gradients reach them.

    >>> from regard.models.attention import MultiHead
    >>> import torch
    >>> model = nn.Sequential(nn.Linear(6, 6), MultiHead(width=6, heads=2))
    >>> with trace(model) as seen:
    ...     y = model(torch.zeros(1, 5, 6))
    >>> seen.looks["1"][0].weights.shape, seen.activations["0"][0].shape
    (torch.Size([1, 2, 5, 5]), torch.Size([1, 5, 6]))
    """
    check("trace", "model", model, nn.Module)
    return Trace(model)
