"""Arguments of a wrong kind or size, told in three lines: what the annotations say, held at the door.

It costs microseconds: for constructors and long work, not for what is called in a loop.
"""

import inspect
import math
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from functools import cache, wraps
from numbers import Real
from operator import index
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from torch import Tensor

from regard.errors import RegardError, nearest

P = ParamSpec("P")
R = TypeVar("R")

MOST = 10**9
"The largest size: a billion of anything is beyond the memory of the machines that this is for."

WORDS = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    str: "a text",
    bytes: "bytes",
    type(None): "None",
    Tensor: "a tensor",
}


def kinds(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which refuses arguments of other kinds than its annotations say.

    >>> @kinds
    ... def double(count: int): return 2 * count
    >>> double("two")
    Traceback (most recent call last):
    regard.errors.RegardError: double: count is a whole number
      got: count='two'
      fix: pass a whole number
    """
    signature = inspect.signature(function)
    owner = function.__qualname__.split(".")[-2 if function.__name__ == "__init__" else -1]

    @wraps(function)
    def held(*args: P.args, **words: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **words).arguments
        except TypeError:
            return function(*args, **words)  # Python says it better
        annotated = _annotations(function)
        for name, value in given.items():
            if name in annotated:
                check(owner, name, value, annotated[name])
        return function(*args, **words)

    return held


def check_fields(thing: Any) -> None:
    """Raise where a field of a dataclass holds another kind than it is declared to."""
    annotated = _annotations(type(thing))
    for field in fields(thing):
        if field.name in annotated:
            check(type(thing).__name__, field.name, getattr(thing, field.name), annotated[field.name])


def check(owner: str, name: str, value: object, kind: Any) -> None:
    """Raise where a value is not of a kind."""
    if fits(value, kind):
        return
    names = [one for one in get_args(kind) if isinstance(one, str)] if get_origin(kind) is Literal else []
    if names:
        fix = nearest(str(value), names, f"one of {', '.join(names)}")
        raise RegardError(f"no {name} of that name", told(value), fix)
    raise RegardError(f"{owner}: {name} is {called(kind)}", f"{name}={told(value)}", f"pass {called(kind)}")


def check_sizes(owner: str, *, least: int = 1, **sizes: int) -> None:
    """Raise where a size is below the least, or beyond all memory."""
    for name, size in sizes.items():
        if not least <= size <= MOST:
            raise RegardError(
                f"{owner}: {name} is a whole number from {least} to {MOST}",
                f"{name}={size}",
                f"pass {name}={least} or more" if size < least else f"pass a smaller {name}",
            )


def check_share(owner: str, **shares: float) -> None:
    """Raise where a dropout is not from 0 to below 1."""
    for name, share in shares.items():
        if not 0.0 <= share < 1.0:
            raise RegardError(
                f"{owner}: {name} is the share that is dropped", f"{name}={share}", "0 <= dropout < 1"
            )


def check_tensor(owner: str, name: str, x: object, axes: str, *, width: int | None = None) -> None:
    """Raise where this is no tensor of real numbers with these axes, the last of them of that width."""
    count = len(axes.split())
    if not isinstance(x, Tensor) or x.dim() != count or not x.is_floating_point():
        raise RegardError(
            f"{owner}: {name} is a tensor of real numbers with the axes ({axes})",
            f"{name}={told(x)}",
            f"give it {count} axes, and convert it with .float()"
            if isinstance(x, Tensor)
            else f"pass {name}=torch.as_tensor(...), of floats",
        )
    if width is not None and x.shape[-1] != width:
        raise RegardError(
            f"{owner}: {name} has {width} channels, its last axis",
            f"{name}={told(x)}",
            f"pass {width} channels, or build the layer for {x.shape[-1]}",
        )


def fits(value: object, kind: Any) -> bool:
    """Whether a value is of an annotated kind; True where the kind says nothing that can be asked."""
    kind = getattr(kind, "array_type", kind)
    if kind is Any or kind is object or isinstance(kind, TypeVar | str):
        return True
    if kind in (int, float, None) or kind is bool:
        return _plain(value, kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return isinstance(value, str | int) and value in parts
    if origin is not None:
        return _holds(value, origin, parts)
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol that cannot be asked
        return True


def _plain(value: object, kind: type | None) -> bool:
    if kind is None or kind is bool:
        return value is None if kind is None else isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind is float:
        return isinstance(value, Real) and not math.isnan(value)
    try:
        return isinstance(index(value), int) and not isinstance(value, Tensor)  # type: ignore[arg-type]
    except TypeError:
        return False


def _holds(value: object, origin: Any, parts: tuple[Any, ...]) -> bool:
    """Whether a collection is of the kind, and what it holds too."""
    if origin is type:
        return isinstance(value, type)
    if origin is Callable:
        return callable(value)
    if isinstance(value, str) or not isinstance(value, origin):
        return False
    if isinstance(value, Mapping) or not isinstance(value, Collection) or not parts:
        return True
    if origin is tuple and parts[-1] is not ...:
        return len(value) == len(parts) and all(
            fits(one, part) for one, part in zip(value, parts, strict=True)
        )
    return all(fits(one, parts[0]) for one in value)


def called(kind: Any) -> str:
    """The kind in words.

    >>> called(int | None), called(tuple[float, ...])
    ('a whole number or None', 'several, each a number')
    """
    kind = getattr(kind, "array_type", kind)
    kind = type(None) if kind is None else kind
    if kind in WORDS:
        return WORDS[kind]
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(called(part) for part in parts))
    if origin is Callable:
        return "a function"
    if origin is type:
        return f"a class such as {getattr(parts[0], '__name__', parts[0])}"
    if origin is tuple and parts[-1] is not ...:
        return f"({', '.join(called(part) for part in parts)})"
    if origin is not None and isinstance(origin, type) and issubclass(origin, Collection) and parts:
        return "a mapping" if issubclass(origin, Mapping) else f"several, each {called(parts[0])}"
    return f"a {getattr(kind, '__name__', kind)}"


def told(value: object) -> str:
    """A value for a message, never longer than a line."""
    if isinstance(value, Tensor):
        return f"a tensor {tuple(value.shape)} of {value.dtype}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"an array {tuple(value.shape)} of {value.dtype}"  # type: ignore[attr-defined]
    text = repr(value).splitlines() or [""]
    return text[0] if len(text) == 1 and len(text[0]) <= 60 else f"a {type(value).__name__}"


@cache
def _annotations(function: Any) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except NameError:  # a name that is there for the type checker alone
        return {name: kind for name, kind in function.__annotations__.items() if not isinstance(kind, str)}
