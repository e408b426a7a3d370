"""What is done to a person's code, in the process that runs it: load, make, set, call."""

import importlib.util
import inspect
import linecache
import os
import random
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

LONGEST = 2000
"Characters of a message that go home."

# Kept here because a person's module may replace them in torch.
_tensor, _no_grad, _seed = torch.from_numpy, torch.no_grad, torch.manual_seed
_Tensor, _Module, _strided = torch.Tensor, torch.nn.Module, torch.strided
_detach, _contiguous, _numpy, _cpu = _Tensor.detach, _Tensor.contiguous, _Tensor.numpy, _Tensor.cpu
_KINDS = {"float64": torch.float64, "float32": torch.float32, "float16": torch.float16}


class Inside:
    """The person's module, and the objects made from it, by number."""

    def __init__(self, objects: dict[int, Any] | None = None) -> None:
        self.module: types.ModuleType | None = None
        self.objects: dict[int, Any] = dict(objects or {})

    def load(self, path: str) -> dict[str, Any]:
        """Import a file and list the classes and functions that it defines itself."""
        file = Path(path)
        sys.path.insert(0, str(file.parent))
        name = file.stem if file.stem.isidentifier() and file.stem not in sys.modules else f"mine_{file.stem}"
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec and spec.loader
        self.module = importlib.util.module_from_spec(spec)
        sys.modules[name] = self.module
        spec.loader.exec_module(self.module)
        own = [(word, value) for word, value in vars(self.module).items() if _belongs(value, name)]
        return {"members": [member(word, value) for word, value in own]}

    def describe(self, number: int, name: str) -> dict[str, Any]:
        """An object that is here already, as a member and, if it is one, a made thing."""
        value = self.objects[number]
        ready = not _is_maker(value)
        return {
            "member": member(name, type(value) if ready else value),
            "made": self.about(number) if ready else None,
        }

    def make(self, name: str, number: int, values: list[Any], named: dict[str, Any]) -> dict[str, Any]:
        """Construct a class, or take a function as it is."""
        maker = getattr(self.module, name) if self.module else self.objects[0]
        if not inspect.isclass(maker):
            self.objects[number] = maker
            return self.about(number)
        _seed(0)
        self.objects[number] = maker(*map(_argument, values), **{k: _argument(v) for k, v in named.items()})
        if isinstance(self.objects[number], _Module):
            self.objects[number].eval()
        return self.about(number)

    def about(self, number: int) -> dict[str, Any]:
        """Weights with their owners, and the methods that an object offers."""
        made = self.objects[number]
        return {
            "weights": {name: _array(value) for name, value, _, _ in weights(made)},
            "owners": {name: owner for name, _, owner, _ in weights(made)},
            "learned": [name for name, _, _, learned in weights(made) if learned],
            "module": isinstance(made, _Module),
            "numbers": _numbers(made),
            "methods": {
                name: _parameters(getattr(made, name))
                for name in dir(type(made))
                if not name.startswith("_")
                and callable(getattr(type(made), name, None))
                and _is_own(made, name)
            },
            "call": _parameters(made.forward if hasattr(made, "forward") else made),
        }

    def cast(self, number: int, kind: str) -> None:
        """Give every weight another precision."""
        made = self.objects[number]
        if isinstance(made, _Module):
            made.to(_KINDS[kind])

    def mode(self, number: int, training: bool) -> None:
        """Training or evaluation."""
        if isinstance(self.objects[number], _Module):
            self.objects[number].train(training)

    def set(self, number: int, values: dict[str, np.ndarray]) -> None:
        """Put values into weights, in place."""
        held = {name: value for name, value, _, _ in weights(self.objects[number])}
        with _no_grad():
            for name, value in values.items():
                if isinstance(held[name], _Tensor):
                    held[name].copy_(_tensor(value).to(held[name].dtype))
                else:
                    held[name][...] = value

    def call(
        self, number: int, values: list[Any], *, named: dict[str, Any], method: str, kind: str, seed: int
    ) -> Any:
        """The answer to inputs, and which of them were written into."""
        made = self.objects[number]
        _sow(seed)
        given = [_argument(value, kind) for value in values]
        words = {name: _argument(value, kind) for name, value in named.items()}
        held = [(i, v, _copy(v)) for i, v in enumerate(given) if isinstance(v, _Tensor)]
        with _no_grad():
            answer = (getattr(made, method) if method else made)(*given, **words)
        changed = [i for i, value, before in held if not _same(value, before)]
        return {"answer": plain(answer), "changed": changed}

    def slope(
        self, number: int, values: list[Any], *, named: dict[str, Any], direction: np.ndarray, kind: str
    ) -> Any:
        """Gradients of the sum of answer times direction: of the first input and of every weight."""
        made = self.objects[number]
        _sow(0)
        given = [_argument(value, kind) for value in values]
        given[0].requires_grad_(True)
        answer = made(*given, **{name: _argument(value, kind) for name, value in named.items()})
        answer = answer[0] if isinstance(answer, tuple | list) else answer
        learned = list(made.named_parameters())
        if not answer.requires_grad:
            return {"input": None, "weights": {name: None for name, _ in learned}}
        total = (answer * _tensor(direction).to(answer.dtype)).sum()
        found = torch.autograd.grad(total, [given[0], *(value for _, value in learned)], allow_unused=True)
        slopes = [None if slope is None else _array(slope) for slope in found]
        return {
            "input": slopes[0],
            "weights": dict(zip([name for name, _ in learned], slopes[1:], strict=True)),
        }


def weights(made: Any) -> Iterator[tuple[str, Any, str, bool]]:
    """Each weight: name, value, the class of its owner, and whether it is learned."""
    if isinstance(made, _Module):
        owners = dict(made.named_modules())
        named = [(n, p, True) for n, p in made.named_parameters()] + [
            (n, b, False) for n, b in made.named_buffers()
        ]
        for name, value, learned in named:
            yield (
                name,
                value.data if learned else value,
                type(owners[name.rpartition(".")[0]]).__name__,
                learned,
            )
    elif hasattr(made, "__dict__"):
        for name, value in vars(made).items():
            if isinstance(value, _Tensor | np.ndarray) and value.dtype in (
                torch.float32,
                torch.float64,
                np.float32,
                np.float64,
            ):
                yield name, value, type(made).__name__, True


def member(name: str, value: Any) -> dict[str, Any]:
    """A class or function as the other side sees it."""
    parameters = _parameters(value.__init__ if inspect.isclass(value) else value)
    called = getattr(value, "forward", vars(value).get("__call__")) if inspect.isclass(value) else None
    forward = _parameters(called)
    return {
        "name": name,
        "kind": "class" if inspect.isclass(value) else "function",
        "parameters": parameters[1:] if inspect.isclass(value) else parameters,
        "forward": forward[1:] if inspect.isclass(value) else parameters,
        "doc": " ".join(filter(None, [value.__doc__, getattr(vars(value).get("forward"), "__doc__", None)]))[
            :LONGEST
        ],
    }


def told(error: BaseException, module: types.ModuleType | None) -> dict[str, Any]:
    """An exception as the other side sees it: its kind, its words, and the person's own line."""
    file = getattr(module, "__file__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if file and os.path.abspath(frame.filename) == os.path.abspath(file)]
    line = (
        own[-1].lineno if own else getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    )
    text = linecache.getline(own[-1].filename, line).strip() if own and line else ""
    try:
        words = str(error)
    except BaseException:
        words = "(its message cannot be read)"
    return {"kind": type(error).__name__, "words": words[:LONGEST], "line": line, "text": text[:LONGEST]}


def plain(value: Any, depth: int = 0) -> Any:
    """An answer as arrays, numbers, lists and words; anything else is named, not sent."""
    if isinstance(value, _Tensor | np.ndarray):
        return _array(value)
    if isinstance(value, list | tuple) and depth < 4 and len(value) < 100:
        return [plain(item, depth + 1) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    return {"other": type(value).__name__[:100]}


def _array(value: Any) -> np.ndarray:
    if isinstance(value, _Tensor):
        value = _cpu(_detach(value))
        value = value.to_dense() if value.layout != _strided else value
        value = value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
        value = _numpy(_contiguous(value.resolve_conj().resolve_neg()))
    value = np.asarray(value)
    if value.dtype.name not in ("float64", "float32", "int64", "int32", "bool", "complex128", "complex64"):
        value = value.astype(np.int64 if value.dtype.kind in "iu" else np.float64)
    return value


def _argument(value: Any, kind: str = "float32") -> Any:
    """An input as the person's code takes it: arrays are tensors, {"config": …} an object with attributes."""
    if isinstance(value, np.ndarray):
        tensor = _tensor(value.copy())
        return tensor.to(_KINDS[kind]) if tensor.is_floating_point() else tensor
    if isinstance(value, dict) and set(value) == {"config"}:
        return types.SimpleNamespace(**value["config"])
    if isinstance(value, dict) and set(value) == {"complex"}:
        real = _tensor(value["complex"].copy()).to(_KINDS[kind])
        return torch.view_as_complex(real)
    if isinstance(value, dict) and set(value) == {"sparse"}:
        return _argument(value["sparse"], kind).to_sparse()
    return value


def _copy(value: Any) -> Any:
    return _detach(value).clone()


def _same(value: Any, before: Any) -> bool:
    return value.shape == before.shape and bool(
        torch.equal(torch.nan_to_num(value), torch.nan_to_num(before))
    )


def _sow(seed: int) -> None:
    _seed(seed)
    random.seed(seed)
    np.random.seed(seed)


def _numbers(made: Any) -> dict[str, Any]:
    """The numbers that an object keeps, also in its settings; its own come last and so count."""
    own = getattr(made, "__dict__", {})
    settings = [
        value if isinstance(value, dict) else getattr(value, "__dict__", {}) for value in own.values()
    ]
    found = [pair for held in (*settings, own) for pair in held.items()]
    return {name: value for name, value in found if isinstance(name, str) and isinstance(value, int | float)}


def _belongs(value: Any, module: str) -> bool:
    return (inspect.isclass(value) or inspect.isfunction(value)) and getattr(
        value, "__module__", ""
    ) == module


def _is_maker(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isfunction(value)


def _is_own(made: Any, name: str) -> bool:
    return not hasattr(_Module, name) and not hasattr(object, name)


def _parameters(function: Callable[..., Any] | None) -> list[dict[str, Any]]:
    try:
        listed = inspect.signature(function).parameters.values() if function else []
    except (ValueError, TypeError):
        return []
    return [
        {
            "name": p.name,
            "required": p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD),
            "star": p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD),
            "default": p.default if isinstance(p.default, bool | int | float | str) else None,
        }
        for p in listed
    ]
