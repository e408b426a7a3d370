"""What a class, a function or an object shows of itself: numbers that it keeps, methods, arguments."""

import inspect
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

LONGEST = 2000
"Characters of a message that go home."

SEVERAL = re.compile(r"(<class ')?(typing\.|collections\.abc\.)?(list|tuple|sequence|iterable)\b", re.I)
"Annotations of what holds several."
_Module = torch.nn.Module


def numbers_of(made: Any) -> dict[str, Any]:
    """The numbers that an object keeps, also in its settings; its own come last and so count."""
    own = getattr(made, "__dict__", {})
    settings = [
        value if isinstance(value, dict) else getattr(value, "__dict__", {}) for value in own.values()
    ]
    found = [pair for held in (*settings, own) for pair in held.items()]
    return {name: value for name, value in found if isinstance(name, str) and isinstance(value, int | float)}


def methods_of(made: Any, *, hidden: bool) -> dict[str, list[dict[str, Any]]]:
    """Methods with their parameters: those for everybody, or those whose names begin with one underscore."""
    own = [name for name in dir(type(made)) if name.startswith("_") is hidden and not name.startswith("__")]
    return {
        name: parameters_of(getattr(made, name))
        for name in own
        if callable(getattr(type(made), name, None)) and _is_own(made, name)
    }


def _is_own(made: Any, name: str) -> bool:
    """Whether a method is none that every object has, or every module: what is no module may train by `train`."""
    return not hasattr(object, name) and not (isinstance(made, _Module) and hasattr(_Module, name))


def _plain(value: Any) -> Any:
    """What an argument is unless it is told, where that is a number, a word or a device."""
    if isinstance(value, torch.device):
        return str(value)
    return value if isinstance(value, bool | int | float | str) else None


def parameters_of(function: Callable[..., Any] | None) -> list[dict[str, Any]]:
    """The arguments of a function, each with what is known of it; none where there is no signature."""
    function = getattr(function, "_torchdynamo_inline", function)
    try:
        listed = inspect.signature(function).parameters.values() if function else []
    except (ValueError, TypeError):
        return []
    return [
        {
            "name": p.name,
            "required": p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD),
            "star": p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD),
            "named": p.kind is p.KEYWORD_ONLY,
            "default": _plain(p.default),
            "several": bool(SEVERAL.match(str(p.annotation))) or isinstance(p.default, list | tuple),
        }
        for p in listed
    ]


def asked_of(value: type) -> list[str]:
    """The methods for everybody, its own and inherited, that take anything: by these a class without a call may be asked.

    >>> asked_of(str)[:2], asked_of(type("Settings", (), {"heads": 8, "words": lambda self: "8 heads"}))
    ([], [])
    """
    found = {name: inspect.getattr_static(value, name) for name in dir(value) if not name.startswith("_")}
    return [name for name, own in found.items() if inspect.isfunction(own) and len(parameters_of(own)) > 1]


def _call_of(value: type) -> Any:
    """What an object of a class does when it is called, of its own or inherited; not what makes it."""
    return next((vars(own)["__call__"] for own in value.__mro__ if "__call__" in vars(own)), None)


def constants_of(value: Any) -> dict[str, int]:
    """Whole numbers that a class or function takes from outside of itself: `d_k`, or `Settings.d_k` of a class that is imported."""
    own = vars(value).values() if inspect.isclass(value) else [value]
    found: dict[str, int] = {}
    for function in (f for f in own if isinstance(f, types.FunctionType)):
        names = set(_names_in(function.__code__))
        for name in names & set(function.__globals__):
            held = function.__globals__[name]
            inner = {f"{name}.{n}": v for n, v in getattr(held, "__dict__", {}).items() if n in names}
            found |= {n: v for n, v in ({name: held} | inner).items() if type(v) is int}
    return found


def _names_in(code: types.CodeType) -> Iterator[str]:
    """Names that code takes from outside, or asks something for, with those of functions inside it."""
    yield from code.co_names
    for inner in (c for c in code.co_consts if isinstance(c, types.CodeType)):
        yield from _names_in(inner)


def member(name: str, value: Any) -> dict[str, Any]:
    """A class or function as the other side sees it."""
    parameters = parameters_of(value.__init__ if inspect.isclass(value) else value)
    called = getattr(value, "forward", _call_of(value)) if inspect.isclass(value) else None
    forward = parameters_of(called)
    bound = inspect.isclass(value) and not isinstance(
        inspect.getattr_static(value, "forward", None), staticmethod
    )
    return {
        "name": name,
        "kind": "class" if inspect.isclass(value) else "function",
        "parameters": parameters[1:] if inspect.isclass(value) else parameters,
        "forward": forward[1:] if bound else forward if inspect.isclass(value) else parameters,
        "methods": [n for n, v in vars(value).items() if inspect.isfunction(v)]
        if inspect.isclass(value)
        else [],
        "asked": asked_of(value) if inspect.isclass(value) else [],
        "constants": constants_of(value),
        "doc": " ".join(filter(None, [value.__doc__, getattr(vars(value).get("forward"), "__doc__", None)]))[
            :LONGEST
        ],
    }
