"""Settings from the command line, checked against the dataclass that holds them."""

import ast
import dataclasses
import inspect
import textwrap
import types
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from regard.errors import RegardError, nearest

TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def change(settings: Any, changes: Sequence[str]) -> Any:
    """The settings with changes such as 'model.depth=4' made.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Model:
    ...     depth: int = 2
    >>> change(Model(), ["depth=4"])
    Model(depth=4)
    """
    for text in changes:
        name, equals, value = text.partition("=")
        if not equals:
            raise RegardError(
                "a setting needs a name and a value", f"'{text}'", "write it as name=value, such as depth=4"
            )
        settings = _changed(settings, name.split("."), value, name)
    return settings


def _changed(settings: Any, path: list[str], value: str, name: str) -> Any:
    fields = [field.name for field in dataclasses.fields(settings)]
    if path[0] not in fields:
        raise RegardError(
            "no setting of that name",
            f"'{name}'",
            nearest(path[0], fields, f"the settings are {', '.join(fields)}"),
        )
    current = getattr(settings, path[0])
    if len(path) > 1 and not dataclasses.is_dataclass(current):
        raise RegardError("this setting has no parts", f"'{name}'", f"set {path[0]} itself")
    if len(path) > 1:
        return _replaced(settings, path[0], _changed(current, path[1:], value, name), name)
    if dataclasses.is_dataclass(current):
        parts = ", ".join(f"{path[0]}.{field.name}" for field in dataclasses.fields(current))
        raise RegardError("this setting is a group", f"'{name}'", f"set one of {parts}")
    kind = get_type_hints(type(settings))[path[0]]
    return _replaced(settings, path[0], parse(value, kind, name), name)


def _replaced(settings: Any, field: str, value: Any, name: str) -> Any:
    try:
        return dataclasses.replace(settings, **{field: value})
    except RegardError:
        raise
    except ValueError as error:
        raise RegardError(
            f"the setting '{name}' does not fit", str(error), "choose a value that it allows"
        ) from error


def parse(text: str, kind: Any, name: str) -> Any:
    """The value that `text` stands for, of the type that the setting has.

    >>> parse("1, 2", tuple[int, ...], "sizes")
    (1, 2)
    """
    try:
        return _value(text.strip(), kind)
    except (ValueError, KeyError):
        raise RegardError(
            f"the setting '{name}' is of another type", f"'{text}'", f"give {_spoken(kind)}"
        ) from None


def _value(text: str, kind: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        plain = [one for one in inner if one is not type(None)]
        return None if text == "none" and len(plain) < len(inner) else _value(text, plain[0])
    if origin is Literal:
        return {str(one): one for one in inner}[text]
    if origin is tuple:
        return tuple(_value(part.strip(), inner[0]) for part in text.strip("()").split(",") if part.strip())
    if kind is bool:
        return TRUTH[text.lower()]
    if kind is int:
        return int(text.replace("_", ""))
    return kind(text)


def _spoken(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return " or ".join("'none'" if one is type(None) else _spoken(one) for one in inner)
    if origin is Literal:
        return "one of " + ", ".join(map(str, inner))
    if origin is tuple:
        return f"several values parted by commas, each {_spoken(inner[0])}"
    return {int: "a whole number", float: "a number", bool: "true or false", str: "a text", Path: "a path"}[
        kind
    ]


def listing(settings: Any, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """Each setting's dotted name, its value, and the sentence under it in the source."""
    sentences = _sentences(type(settings))
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if dataclasses.is_dataclass(value):
            yield from listing(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", value, sentences.get(field.name, "")


def _sentences(kind: type) -> dict[str, str]:
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body  # type: ignore[attr-defined]
    except (OSError, TypeError):
        return {}
    return {
        before.target.id: after.value.value
        for before, after in pairwise(body)
        if isinstance(before, ast.AnnAssign)
        and isinstance(before.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    }
