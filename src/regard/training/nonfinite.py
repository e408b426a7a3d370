"""NaN and infinity: the first place in a model where one came up."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves


def kind(tensor: Tensor) -> str:
    """What is not finite in a tensor, nan before inf before -inf; empty if all is.

    >>> kind(torch.tensor([1.0, float("inf"), float("nan")])), kind(torch.ones(2)), kind(torch.tensor([1]))
    ('nan', '', '')
    """
    if not tensor.is_floating_point() or bool(tensor.isfinite().all()):
        return ""
    return "nan" if bool(tensor.isnan().any()) else "inf" if bool((tensor == torch.inf).any()) else "-inf"


def first(named: Mapping[str, Tensor | None]) -> str:
    """The first of several tensors that is not finite: its name and what it holds; empty if none."""
    found = ((name, kind(one)) for name, one in named.items() if one is not None)
    return next((f"'{name}' holds {what}" for name, what in found if what), "")


def blame(model: nn.Module, compute: Callable[[], Tensor]) -> str:
    """The first place of a model at which `compute` meets a number that is not finite; empty if none.

    A -inf may be there for a reason, as in a mask, so it is blamed only if nothing else can be.
    """
    found: list[tuple[str, str]] = []
    # A compiled model would not stop at its modules.
    with torch.no_grad(), torch.compiler.set_stance("force_eager"), _watched(model, found):
        result = compute()
    found += [("the result of the objective", what) for what in [kind(result)] if what]
    return next(
        (f"{place} holds {what}" for place, what in sorted(found, key=lambda one: one[1] == "-inf")), ""
    )


@contextmanager
def _watched(model: nn.Module, found: list[tuple[str, str]]) -> Iterator[None]:
    def look(place: str, values: Any) -> None:
        whats = [kind(one) for one in tree_leaves(values) if isinstance(one, Tensor)]
        found.extend((place, what) for what in whats if what)

    def before(place: str) -> Callable[..., None]:
        return lambda module, inputs, named: look(place, (inputs, named))

    def after(place: str) -> Callable[..., None]:
        return lambda module, inputs, output: look(place, output)

    handles = [model.register_forward_pre_hook(before("the batch"), with_kwargs=True)]
    for name, module in model.named_modules():
        place = f"the output of '{name}'" if name else "the output of the model"
        handles.append(module.register_forward_hook(after(place)))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
