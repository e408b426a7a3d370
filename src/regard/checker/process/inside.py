"""Inside the child process: load, make, set and call a person's code."""

import inspect
import linecache
import os
import random
import sys
import traceback
import types
import zlib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import numpy as np
import torch

from regard.checker.process.described import LONGEST, member, methods_of, numbers_of, parameters_of
from regard.checker.process.exchange import KINDS, argument, array, plain, shared, tensors
from regard.checker.process.following import Seen, followed
from regard.checker.process.loading import FileReading, load
from regard.checker.process.weights import cast, is_lazy, put, same, still, stray, unfilled, weights

# Kept here because a person's module may replace them in torch.
_tensor, _no_grad, _seed = torch.from_numpy, torch.no_grad, torch.manual_seed
_Tensor, _Module, _strided = torch.Tensor, torch.nn.Module, torch.strided
_detach = _Tensor.detach
_Scripted = torch.jit.ScriptFunction


class Inside:
    """The person's module, and the objects made from it, by number."""

    VERBS: tuple[str, ...] = ("load", "make", "about", "cast", "mode", "set", "call", "slope", "follow")
    "What may be asked."

    def __init__(self, objects: dict[int, Any] | None = None) -> None:
        self.module: types.ModuleType | None = None
        self.reading: FileReading | None = None
        self.objects: dict[int, Any] = dict(objects or {})
        self.makings: dict[int, tuple[str, list[Any], dict[str, Any]]] = {}
        self.given: dict[int, dict[str, np.ndarray]] = {}
        "Weights that were put into an object."
        self.salt = 0
        "What is added to every seed, so that no file can know one."
        self.strays: dict[int, list[str]] = {}
        "Weights of an object that are not registered."
        self.late: dict[int, str] = {}
        "Arguments of constructors that come with every call: a graph that a layer is made for."
        self.before: dict[int, tuple[Any, Any]] = {}
        "The last answer of an object, and what it held when it was given."
        self.arrays: set[int] = set()
        "Objects that take arrays of NumPy, not tensors."

    def load(
        self,
        path: str,
        *,
        text: str | None = None,
        name: str = "",
        roots: list[str] | None = None,
        after: str = "",
    ) -> dict[str, Any]:
        """Import a file, whole or what is given of it, and list the classes and functions that it defines itself."""
        for held in (self.makings, self.late, self.arrays, self.strays, self.given):
            held.clear()  # of the file before, whose objects had the same numbers
        self.reading = FileReading(path=path, text=text, name=name, roots=tuple(roots or ()), after=after)
        self.salt = zlib.crc32(Path(path).read_bytes())
        loaded = load(self.reading)
        self.module = loaded.module
        own = [(word, v) for word, v in vars(self.module).items() if _belongs(v, self.module.__name__)]
        return {
            "members": [member(word, value) for word, value in own],
            "absent": sorted(loaded.absent),
            "skipped": loaded.skipped[:20],
        }

    def describe(self, number: int, name: str) -> dict[str, Any]:
        """An object that is here already, as a member and, if it is one, a made thing."""
        value = self.objects[number]
        ready = not _is_maker(value)
        return {
            "member": member(name, type(value) if ready else value),
            "made": self.about(number) if ready else None,
        }

    def make(
        self,
        name: str,
        number: int,
        values: list[Any],
        named: dict[str, Any],
        *,
        arrays: bool = False,
        late: str = "",
    ) -> dict[str, Any]:
        """Construct a class, or take a function as it is; with `arrays` it is given arrays of NumPy.

        An argument that is `late` comes anew with every call: then it is made anew, with the weights that it has.
        """
        for held in (self.strays, self.given, self.before, self.late):
            held.pop(number, None)  # of another object, of a file that was loaded before
        self.arrays.discard(number)
        self.makings[number] = name, values, named
        self.late |= {number: late} if late else {}
        self.arrays |= {number} if arrays else set()
        self.objects[number] = made = self._make(self.module, number)
        twice = isinstance(made, _Module) and bool(list(made.parameters()))
        empty = unfilled(lambda: self._make(self.module, number)) if twice else []
        return self.about(number) | {"empty": empty}

    def _make(
        self,
        module: types.ModuleType | None,
        number: int,
        seed: int = 0,
        more: dict[str, Any] | None = None,
    ) -> Any:
        name, values, named = self.makings[number]
        named = named | (more or {})
        maker = getattr(module, name) if module else self.objects[0]
        if not inspect.isclass(maker):
            return maker
        self._sow(seed)
        given = [self._argument(number, value) for value in values]
        made: Any = maker(*given, **{k: self._argument(number, v) for k, v in named.items()})
        return made.eval() if isinstance(made, _Module) else made

    def _argument(self, number: int, value: Any, kind: str = "float32") -> Any:
        """An input as an object takes it."""
        if number in self.arrays and isinstance(value, np.ndarray):
            return value.copy()
        if number in self.arrays and isinstance(value, dict) and set(value) == {"strided"}:
            return np.ascontiguousarray(value["strided"].swapaxes(-1, -2)).swapaxes(-1, -2)
        if number in self.arrays and isinstance(value, dict) and set(value) == {"tuple"}:
            return tuple(self._argument(number, part, kind) for part in value["tuple"])
        return argument(value, kind)

    def _asked(self, number: int, words: dict[str, Any], kind: str, *, fresh: bool) -> Any:
        """The object that answers a call; what its constructor must be told is taken from the arguments."""
        made = self._like(number, kind) if fresh else self.objects[number]
        late = self.late.get(number)
        if late not in words:
            return made
        again = self._make(self.module, number, more={late: words.pop(late)})
        cast(again, KINDS[kind])
        if isinstance(made, _Module):
            again.train(made.training)
            others = dict(again.named_modules())
            for name, module in made.named_modules():
                others[name]._parameters.update(module._parameters)
        strays = self.strays.get(number, ())
        _put(again, {n: v for n, v in self.given.get(number, {}).items() if n in strays}, strays)
        return again

    def _like(self, number: int, kind: str) -> Any:
        """An object with the same weights and in the same mode that was never called, from the file imported anew."""
        module = self.module
        if module and self.reading:
            module = load(self.reading).module
            sys.modules[module.__name__] = self.module  # type: ignore[assignment]
        made = self._make(module, number)
        cast(made, KINDS[kind])
        if isinstance(made, _Module):
            made.train(self.objects[number].training)
        _put(made, self.given.get(number, {}), self.strays.get(number, ()))
        return made

    def about(self, number: int) -> dict[str, Any]:
        """Weights with their owners, and the methods that an object offers."""
        made = self.objects[number]
        if number not in self.strays:
            self.strays[number] = stray(made, lambda: self._twin(number))
        found = list(weights(made, self.strays[number]))
        return {
            "lazy": isinstance(made, _Module) and any(map(is_lazy, made.parameters())),
            "weights": {name: array(value) for name, value, _, _ in found},
            "owners": {name: owner for name, _, owner, _ in found},
            "learned": [name for name, _, _, learned in found if learned],
            "stray": self.strays[number],
            "still": {name: array(value) for name, value in still(made, self.strays[number]).items()},
            "same": same(made),
            "empty": [],
            "module": isinstance(made, _Module),
            "numbers": numbers_of(made),
            "methods": methods_of(made, hidden=False),
            "hidden": methods_of(made, hidden=True),
            "call": [*parameters_of(_called(made)), *self._told_late(number)],
        }

    def _told_late(self, number: int) -> list[dict[str, Any]]:
        late = self.late.get(number)
        return [{"name": late, "required": True, "star": False, "named": True, "default": None}] * bool(late)

    def _sow(self, seed: int) -> None:
        seed = (self.salt + 7919 * seed) % (1 << 31)
        _seed(seed)
        random.seed(seed)
        np.random.seed(seed)

    def _twin(self, number: int) -> Any:
        """The same object made from other chances: what differs in it is a weight."""
        return self._make(self.module, number, seed=1) if number in self.makings else None

    def cast(self, number: int, kind: str) -> None:
        """Give every weight another precision."""
        cast(self.objects[number], KINDS[kind])

    def mode(self, number: int, training: bool) -> None:
        """Training or evaluation."""
        if isinstance(self.objects[number], _Module):
            self.objects[number].train(training)

    def set(self, number: int, values: dict[str, np.ndarray]) -> None:
        """Put values into weights, in place."""
        self.given[number] = self.given.get(number, {}) | values
        _put(self.objects[number], values, self.strays.get(number, ()))

    def call(
        self,
        number: int,
        values: list[Any],
        *,
        named: dict[str, Any],
        method: str,
        kind: str,
        seed: int,
        fresh: bool = False,
    ) -> Any:
        """The answer to inputs, and which of them were written into; of a fresh object, it is its first answer."""
        given = shared([self._argument(number, value, kind) for value in values])
        words = {name: self._argument(number, value, kind) for name, value in named.items()}
        late = {n: v for n, v in words.items() if n == self.late.get(number)}
        made = self._asked(number, words, kind, fresh=fresh)
        self._sow(seed)
        both = (*enumerate(given), *words.items(), *late.items())
        held = [(i, v, _copy(v)) for i, v in both if isinstance(v, _Tensor | np.ndarray)]
        with _no_grad():
            answer = _function(made, method)(*given, **words)
        changed: list[Any] = [i for i, value, before in held if not _same(value, before)]
        before, own = self.before.get(number, (None, None)), answer[0] if type(answer) is tuple else answer
        changed += ["earlier answer"] if before[0] is not None and not _same(*before) else []
        self.before[number] = (own, _copy(own)) if type(own) is _Tensor else (None, None)
        return {"answer": plain(answer), "changed": changed}

    def follow(
        self,
        number: int,
        values: list[Any],
        *,
        named: dict[str, Any],
        method: str,
        kind: str,
        seed: int,
    ) -> Seen:
        """The arrays in reach of the person's own code at every turn of its loops, while a call runs."""
        if not self.reading:
            return []  # what is here already has no file of its own
        given = [self._argument(number, value, kind) for value in values]
        words = {name: self._argument(number, value, kind) for name, value in named.items()}
        file = str(Path(self.reading.path))
        text = Path(file).read_text(errors="replace") if self.reading.text is None else self.reading.text
        self._sow(seed)
        with _no_grad():
            return followed(lambda: _function(self.objects[number], method)(*given, **words), file, text)

    def slope(
        self,
        number: int,
        values: list[Any],
        *,
        named: dict[str, Any],
        method: str,
        kind: str,
        parts: list[int],
        directions: list[np.ndarray],
        fresh: bool = False,
    ) -> Any:
        """Gradients, of every weight and every input, of the sum of some parts of the answer times directions."""
        if number in self.arrays:
            return None  # numpy knows no gradients
        late = {n: argument(v, kind) for n, v in named.items() if n == self.late.get(number)}
        named = {n: v for n, v in named.items() if n not in late}
        made = self._asked(number, late, kind, fresh=fresh)
        given = {str(i): argument(value, kind) for i, value in enumerate(values)}
        given |= {name: argument(value, kind) for name, value in named.items()}
        inputs = {n: v.requires_grad_() for n, v in given.items() if _is_float(v)}

        def answered() -> list[Any]:
            self._sow(0)
            # Copies, because a leaf must not be written into, and the input may be, as far as gradients go.
            passed = {n: v.clone() if n in inputs else v for n, v in given.items()}
            ordered = [passed[str(i)] for i in range(len(values))]
            found = tensors(_function(made, method)(*ordered, **{n: passed[n] for n in named}))
            return [found[part] for part in parts]

        with _no_grad():
            if not all(isinstance(part, _Tensor) for part in answered()):
                return None  # numpy knows no gradients
        found = answered()
        learned = dict(made.named_parameters()) if isinstance(made, _Module) else {}
        total: Any = sum((p * _tensor(d).to(p.dtype)).sum() for p, d in zip(found, directions, strict=True))
        # Where no weight wants gradients, none is learned by them; a single one that does not is left out of learning.
        frozen = [n for n, v in learned.items() if not v.requires_grad]
        asked = {
            **{("weights", n): v for n, v in learned.items() if n not in frozen},
            **{("inputs", n): v for n, v in inputs.items()},
        }
        if not asked or not isinstance(total, _Tensor) or not total.requires_grad:
            slopes = [None] * len(asked)
        else:
            slopes = list(torch.autograd.grad(total, list(asked.values()), allow_unused=True))
        told: dict[str, dict[str, Any]] = {"weights": {}, "inputs": {}}
        told["weights"] |= dict.fromkeys(frozen) if len(frozen) < len(learned) else {}
        for (kind_of, name), slope in zip(asked, slopes, strict=True):
            told[kind_of][name] = None if slope is None else array(slope)
        return told


def _put(made: Any, values: dict[str, np.ndarray], strays: Collection[str]) -> None:
    held = {name: value for name, value, _, _ in weights(made, {*strays, *values})}
    with _no_grad():
        for name, value in values.items():
            if not isinstance(made, _Module):
                put(made, name, value)
                continue
            held[name].copy_(_tensor(value).to(held[name].dtype))


def _is_float(value: Any) -> bool:
    return isinstance(value, _Tensor) and value.layout == _strided and value.is_floating_point()


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


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else _detach(value).clone()


def _same(value: Any, before: Any) -> bool:
    if isinstance(value, np.ndarray):
        return np.array_equal(value, before, equal_nan=value.dtype.kind == "f")
    value, before = (v if v.layout == _strided else v.to_dense() for v in (value, before))
    return value.shape == before.shape and bool(
        torch.equal(torch.nan_to_num(value), torch.nan_to_num(before))
    )


def _belongs(value: Any, module: str) -> bool:
    # What torch.jit.script made of a function says no more where it comes from; the function itself does.
    own = getattr(value, "_torchdynamo_inline", value) if isinstance(value, _Scripted) else value
    return _is_maker(value) and getattr(own, "__module__", "") == module


def _is_maker(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isfunction(value) or isinstance(value, _Scripted)


def _called(made: Any) -> Any:
    """What runs when it is called; nothing for what has only methods of other names."""
    if isinstance(made, _Module) and type(made).forward is _Module.forward:
        return None
    called = made.forward if hasattr(made, "forward") else made
    return called if callable(called) else None


def _function(made: Any, method: str) -> Callable[..., Any]:
    """A method, or what a call runs: of an object that cannot be called, its forward."""
    return getattr(made, method or "forward") if method or not callable(made) else made
