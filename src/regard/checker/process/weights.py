"""Weights of a person's object: those that are registered, those that only stand on it, those that are one and the same."""

from collections.abc import Callable, Collection, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import torch

# Kept here because a person's module may replace them in torch.
_Tensor, _Module = torch.Tensor, torch.nn.Module
_to = _Tensor.to
OWN = set(vars(_Module()))
"What torch itself keeps on every module."
FLOATS = (torch.float32, torch.float64, np.float32, np.float64)

Held = tuple[str, Any, str]
"Name, value, class of the owner."


def weights(made: Any, strays: Collection[str] = ()) -> Iterator[tuple[str, Any, str, bool]]:
    """Each weight, also those named that are not registered: name, value, the class of its owner, whether it is learned."""
    if isinstance(made, _Module):
        owners = dict(made.named_modules(remove_duplicate=False))
        for learned, named in (
            (True, made.named_parameters(remove_duplicate=False)),
            (False, made.named_buffers()),
        ):
            for name, value in named:
                if not is_lazy(value):
                    owner = type(owners[name.rpartition(".")[0]]).__name__
                    counts = learned or name in strays
                    yield name, value.data if counts else value, owner, counts
        for name, value, owner in _held(made) if strays else ():
            if name in strays:
                yield name, value.data, owner, True
    elif hasattr(made, "__dict__"):
        for name, value in vars(made).items():
            if isinstance(value, _Tensor | np.ndarray) and value.dtype in FLOATS:
                yield name, value, type(made).__name__, True


def cast(made: Any, kind: torch.dtype) -> None:
    """Give every weight and buffer of a module, or tensor of another object, another precision; a complex one stays complex."""
    wide = torch.complex128 if kind is torch.float64 else torch.complex64

    def moved(value: Any) -> Any:
        if value.is_complex():
            return _to(value, wide)  # torch's own Module.to drops the imaginary part
        return _to(value, kind) if value.is_floating_point() else value

    if isinstance(made, _Module):
        made._apply(moved)
        return
    held = getattr(made, "__dict__", {}) if not isinstance(made, type | FunctionType) else {}
    for name, value in list(held.items()):
        if isinstance(value, _Tensor) and value.dtype in FLOATS and value.dtype is not kind:
            held[name] = moved(value.detach()).requires_grad_(value.requires_grad)


def is_lazy(value: Any) -> bool:
    """Whether a weight has no shape before the first call."""
    return isinstance(value, torch.nn.UninitializedParameter | torch.nn.UninitializedBuffer)


def same(made: Any) -> list[list[str]]:
    """Names that stand for one parameter."""
    found: dict[int, list[str]] = {}
    if isinstance(made, _Module):
        for name, value in made.named_parameters(remove_duplicate=False):
            found.setdefault(id(value), []).append(name)
    return [names for names in found.values() if len(names) > 1]


def stray(made: Any, other: Callable[[], Any] = lambda: None) -> list[str]:
    """Weights that no optimiser finds: in a plain list, or tensors, buffers too, that want gradients or start at random.

    `other` makes the same object from other chances.
    """
    if not isinstance(made, _Module):
        return []
    known = {id(value) for value in (*made.parameters(), *made.buffers())}
    held = [one for one in _held(made) if id(one[1]) not in known] + _buffers(made)
    doubtful = [name for name, value, _ in held if not value.requires_grad]
    again = other() if doubtful else None
    values = {n: v for n, v, _ in (*_held(again), *_buffers(again))} if isinstance(again, _Module) else {}

    def counts(name: str, value: Any) -> bool:
        twin = values.get(name)
        random = twin is not None and twin.shape == value.shape and not torch.equal(twin, value)
        return value.requires_grad or random

    return [name for name, value, _ in held if counts(name, value)]


def still(made: Any, strays: Collection[str] = ()) -> dict[str, Any]:
    """Vectors of zeros or of ones that no optimiser finds and that do not start at random: biases and gains, if they are used."""
    if not isinstance(made, _Module):
        return {}
    known = {id(value) for value in made.parameters()}
    held = [one for one in (*_held(made), *_buffers(made)) if id(one[1]) not in known]
    return {
        name: value
        for name, value, _ in held
        if name not in strays
        and value.numel() == max(value.shape) > 1
        and value.unique().tolist() in ([0.0], [1.0])
    }


def _held(made: Any) -> Iterator[Held]:
    """Every tensor of floats with axes that stands on a module beside what is registered."""
    for prefix, module in made.named_modules():
        for word, value in vars(module).items():
            if word not in OWN:
                name = f"{prefix}.{word}" if prefix else word
                yield from _inner(name, value, type(module).__name__, 0)


def _buffers(made: Any) -> list[Held]:
    """Buffers of floats with axes."""
    owners = dict(made.named_modules())
    return [
        (name, value, type(owners[name.rpartition(".")[0]]).__name__)
        for name, value in made.named_buffers()
        if value.dtype in FLOATS and value.ndim and not is_lazy(value)
    ]


def _inner(name: str, value: Any, owner: str, depth: int) -> Iterator[Held]:
    if isinstance(value, _Tensor):
        if value.dtype in FLOATS and value.ndim and not is_lazy(value):
            yield name, value, owner
    elif isinstance(value, _Module) and depth:
        for inner, module in value.named_modules(prefix=name):
            for word, weight in module.named_parameters(prefix=inner, recurse=False):
                yield word, weight, type(module).__name__
    elif isinstance(value, list | tuple | dict) and depth < 3:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _inner(f"{name}.{key}", item, owner, depth + 1)
