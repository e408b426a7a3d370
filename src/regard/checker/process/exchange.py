"""Conversion between arrays and a person's tensors, settings objects, answers of any shape."""

import dataclasses
import types
from typing import Any

import numpy as np
import torch

from regard.checker.process.absent import Absent, NotInstalled

# Kept here because a person's module may replace them in torch.
_tensor, _Tensor, _strided = torch.from_numpy, torch.Tensor, torch.strided
_detach, _contiguous, _numpy, _cpu = _Tensor.detach, _Tensor.contiguous, _Tensor.numpy, _Tensor.cpu
_plainly = torch._C.DisableTorchFunctionSubclass
KINDS = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


MOST = 100
"Parts of a list that are sent one by one."


def numbers(value: list[Any]) -> bool:
    """Whether a list holds numbers alone, or rows of as many numbers each.

    >>> numbers([0.5, 1.0]), numbers([[0.5, 1.0], [1.0, 2.0]]), numbers([[0.5], [1.0, 2.0]]), numbers(["a"])
    (True, True, False, False)
    """
    if all(isinstance(part, list) and part for part in value):
        return len({len(row) for row in value}) == 1 and all(map(_numbers, value))
    return _numbers(value)


def _numbers(value: list[Any]) -> bool:
    return all(isinstance(one, float) for one in value) or all(type(one) is int for one in value)


def plain(value: Any, depth: int = 0) -> Any:
    """An answer as arrays, numbers, lists and words; anything else is named, not sent."""
    if isinstance(value, Absent):
        raise NotInstalled(value.name)
    if isinstance(value, _Tensor | np.ndarray):
        return array(value)
    if isinstance(value, list) and len(value) >= MOST and numbers(value):
        return np.array(value)
    if (parts := _parts(value)) is not None and depth < 4 and len(parts) < MOST:
        return [plain(item, depth + 1) for item in parts]
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    return {"other": type(value).__name__[:100]}


def _parts(value: Any) -> list[Any] | None:
    """What a list, a dictionary or a record holds, in its order; None for anything else."""
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    return None


def tensors(answer: Any, depth: int = 0) -> list[Any]:
    """The arrays in an answer, in the order in which `plain` has them."""
    if isinstance(answer, _Tensor | np.ndarray):
        return [answer]
    if (parts := _parts(answer)) is None or depth >= 4 or len(parts) >= MOST:
        return []
    return [tensor for part in parts for tensor in tensors(part, depth + 1)]


class Configuration(types.SimpleNamespace):
    """A configuration as people use them: with attributes, or as a dictionary."""

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __contains__(self, name: str) -> bool:
        return name in vars(self)

    def get(self, name: str, otherwise: Any = None) -> Any:
        """The setting of that name, if there is one."""
        return vars(self).get(name, otherwise)


def array(value: Any) -> np.ndarray:
    """A tensor or an array as one that can be sent."""
    if isinstance(value, _Tensor):
        with _plainly():  # a class of the person's own may show other numbers than it has
            value = _cpu(_detach(value))
            value = value.to_dense() if value.layout != _strided else value
            value = value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
            value = _numpy(_contiguous(value.resolve_conj().resolve_neg()))
    value = np.asarray(value)
    if value.dtype.name not in ("float64", "float32", "int64", "int32", "bool", "complex128", "complex64"):
        value = value.astype(np.int64 if value.dtype.kind in "iu" else np.float64)
    return value


def argument(value: Any, kind: str = "float32") -> Any:
    """An input as the person's code takes it: arrays are tensors, {"config": …} an object with attributes."""
    if isinstance(value, np.ndarray):
        tensor = _tensor(value.copy())
        return tensor.to(KINDS[kind]) if tensor.is_floating_point() else tensor
    if isinstance(value, dict) and set(value) == {"config"}:
        return Configuration(**{name: argument(held, kind) for name, held in value["config"].items()})
    if isinstance(value, dict) and set(value) == {"edges", "nodes"}:
        from regard.core.edges import Edges

        sources, targets = argument(value["edges"])
        return Edges(sources, targets, nodes=value["nodes"])
    if isinstance(value, dict) and set(value) == {"tuple"}:
        return tuple(argument(part, kind) for part in value["tuple"])
    if isinstance(value, dict) and set(value) == {"strided"}:
        return argument(np.ascontiguousarray(value["strided"].swapaxes(-1, -2)), kind).transpose(-1, -2)
    if isinstance(value, dict) and set(value) == {"complex"}:
        real = _tensor(value["complex"].copy()).to(KINDS[kind])
        return torch.view_as_complex(real)
    if isinstance(value, dict) and set(value) == {"sparse"}:
        return argument(value["sparse"], kind).to_sparse()
    if isinstance(value, dict) and set(value) == {"sparse rows"}:
        return argument(value["sparse rows"], kind).to_sparse_csr()
    return value


def shared(given: list[Any]) -> list[Any]:
    """Arguments of which some are parts of another, in one memory with it: {"of": its place, "axis": …, "count": …}.

    >>> part, whole = shared([{"of": 1, "axis": 0, "count": 2}, torch.arange(3)])
    >>> part.tolist(), part.data_ptr() == whole.data_ptr()
    ([0, 1], True)
    """
    parts = [isinstance(value, dict) and set(value) == {"of", "axis", "count"} for value in given]
    return [
        given[value["of"]].narrow(value["axis"], 0, value["count"]) if part else value
        for value, part in zip(given, parts, strict=True)
    ]
