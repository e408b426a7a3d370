"""Weights of a person's object: those that are registered, those that only stand on it, those that are one and the same."""

from collections.abc import Callable, Collection, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

# Kept here because a person's module may replace them in torch.
_Tensor, _Module = torch.Tensor, torch.nn.Module
_to = _Tensor.to
_determine, _deterministic = torch.use_deterministic_algorithms, torch.are_deterministic_algorithms_enabled
_warns = torch.is_deterministic_algorithms_warn_only_enabled
OWN = set(vars(_Module()))
"What torch itself keeps on every module."
MOST, DEEP = 100, 2
"Parts of a list, and lists within lists, that are looked through for weights."
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
    elif hasattr(made, "__dict__") and not isinstance(made, type | FunctionType):
        yield from ((name, value, type(made).__name__, True) for name, value in kept(made))


def put(held: Any, name: str, value: np.ndarray) -> Any:
    """Put numbers into what an object that is no module keeps under a name of `weights`; what holds them comes back."""
    word, _, rest = name.partition(".")
    before = _at(held, word)
    after = put(before, rest, value) if rest else _alike(before, value)
    if isinstance(held, tuple):
        return tuple(after if str(i) == word else part for i, part in enumerate(held))
    if isinstance(held, list):
        held[int(word)] = after
    elif isinstance(held, dict):
        held[word] = after
    elif isinstance(before, np.ndarray | _Tensor) and before.shape == after.shape:
        before[...] = after  # others may hold the same array
    else:
        setattr(held, word, after)
    return held


def _alike(before: Any, value: np.ndarray) -> Any:
    """Numbers as a tensor, an array, a list or a number, as what they replace."""
    if isinstance(before, _Tensor):
        return torch.from_numpy(value.copy()).to(before.dtype)
    if isinstance(before, np.ndarray):
        return value.astype(before.dtype)
    return float(value) if isinstance(before, float) else type(before)(value.tolist())


def _at(held: Any, word: str) -> Any:
    if isinstance(held, dict):
        return held[word]
    return held[int(word)] if isinstance(held, list | tuple) else getattr(held, word)


def kept(held: Any, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Arrays and lists of numbers that an object keeps, in lists, dictionaries and objects of its own, too."""
    parts = held if isinstance(held, dict) else vars(held) if hasattr(held, "__dict__") else None
    if parts is None:
        parts = {str(i): part for i, part in enumerate(held)} if isinstance(held, list | tuple) else {}
    for word, value in parts.items() if len(parts) <= MOST else ():
        name = f"{prefix}{word}"
        if not isinstance(word, str) or "." in word:
            continue
        if isinstance(value, _Tensor | np.ndarray):
            if value.dtype in FLOATS:
                yield name, value
        elif (isinstance(value, float) and depth) or _is_numbers(value):
            yield name, np.array(value)
        elif depth < DEEP and (isinstance(value, list | tuple | dict) or _is_own(value)):
            yield from kept(value, f"{name}.", depth + 1)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, float) for one in value)


def _is_own(value: Any) -> bool:
    """Whether something is an object of a class that a person wrote, and no module, function or class."""
    plain = hasattr(value, "__dict__") and not isinstance(value, _Module | type | FunctionType | ModuleType)
    return plain and type(value).__module__.partition(".")[0] not in (
        "torch",
        "numpy",
        "scipy",
        "builtins",
        "random",
    )


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


def marked(make: Callable[[], Any]) -> Any:
    """An object that is made where new memory is full of NaN: what its constructor never fills holds some."""
    before = _deterministic(), _warns()
    _determine(True, warn_only=True)
    try:
        return make()
    finally:
        _determine(before[0], warn_only=before[1])


def unfilled(make: Callable[[], Any]) -> list[str]:
    """Parameters that a constructor leaves as the memory happens to be."""
    made = marked(make)
    held = made.named_parameters() if isinstance(made, _Module) else ()
    return [name for name, value in held if not is_lazy(value) and bool(value.isnan().any())]


def stray(made: Any, other: Callable[[], Any] = lambda: None) -> list[str]:
    """Weights that no optimiser finds: in a plain list, or tensors, buffers too, that want gradients or start at random.

    `other` makes the same object from other chances.
    """
    if not isinstance(made, _Module):
        return []
    known = {id(value) for value in (*made.parameters(), *made.buffers())}
    held = [one for one in _held(made) if id(one[1]) not in known] + _buffers(made)
    doubtful = [name for name, value, _ in held if not value.requires_grad]
    again = marked(other) if doubtful else None
    values = {n: v for n, v, _ in (*_held(again), *_buffers(again))} if isinstance(again, _Module) else {}

    def counts(name: str, value: Any) -> bool:
        twin = values.get(name)
        random = twin is not None and twin.shape == value.shape and not torch.equal(twin, value)
        room = twin is not None and bool(twin.isnan().any())  # what is never filled is there for later
        return value.requires_grad or (random and not room)

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
