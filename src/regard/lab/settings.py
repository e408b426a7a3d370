"""Settings from the command line, checked against the dataclass that holds them."""

import ast
import dataclasses
import inspect
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from regard.errors import RegardError, nearest
from regard.lab.ranges import Device, Follows, Range, Rule, rules

SPOKEN = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", Path: "a path"}
TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
ABSURD = 10**12
"What no number of a person's own settings exceeds, where they declare no range."


def choose(presets: Mapping[str, Any], name: str) -> Any:
    """The settings of the preset of that name."""
    if name not in presets:
        raise RegardError(
            "no preset of that name",
            f"'{name}'",
            nearest(name, presets, f"the presets are {', '.join(presets)}"),
        )
    return presets[name]


def change(settings: Any, changes: Sequence[str]) -> Any:
    """The settings with changes such as 'model.depth=4' made, all together; each is held to type and range.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Model:
    ...     depth: int = 2
    >>> change(Model(), ["depth=4"])
    Model(depth=4)
    """
    made: dict[str, Any] = {}
    for text in changes:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise RegardError(
                "a setting needs a name and a value", f"'{text}'", "write it as name=value, such as depth=4"
            )
        if name in made:
            raise RegardError("a setting is set twice", f"'{name}'", "leave out all but one of its values")
        made[name] = _read(settings, name.split("."), value, name)
    return _replaced(settings, made, "") if made else settings


def check(settings: Any, prefix: str = "") -> None:
    """Hold settings, however they were made, to the ranges that they declare."""
    kinds = get_type_hints(type(settings), include_extras=True)
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        for rule in getattr(kinds[field.name], "__metadata__", ()):
            rule.check(value, prefix + field.name)
        if dataclasses.is_dataclass(value):
            check(value, f"{prefix}{field.name}.")


def _read(settings: Any, path: list[str], value: str, name: str) -> Any:
    """The value that a text gives to the setting at the end of a path."""
    fields = [field.name for field in dataclasses.fields(settings)]
    if path == ["device"] and "device" not in fields:
        raise RegardError("this experiment computes on the CPU alone", f"'{name}'", "leave the device out")
    if path == ["minutes"] and "minutes" not in fields:
        raise RegardError(
            "how long it may take is no setting",
            f"--set {name}={value}",
            f"--minutes {value or 5}, without --set",
        )
    if path[0] not in fields:
        raise RegardError(
            "no setting of that name",
            f"'{name}'",
            _meant(settings, name, path, _all_of(settings, name.removesuffix(".".join(path)))),
        )
    before = getattr(settings, path[0])
    if len(path) > 1 and not dataclasses.is_dataclass(before):
        raise RegardError("this setting has no parts", f"'{name}'", f"set {path[0]} itself")
    kind = get_type_hints(type(settings), include_extras=True)[path[0]]
    if len(path) > 1:
        _require_effect(kind, path[1], name)
        return _read(before, path[1:], value, name)
    if dataclasses.is_dataclass(before):
        parts = ", ".join(f"{path[0]}.{field.name}" for field in dataclasses.fields(before))
        raise RegardError("this setting is a group", f"'{name}'", f"set one of {parts}")
    found = parse(value, kind, name)
    if (not value or found == ()) and before not in ("", ()):
        raise RegardError(f"the setting '{name}' is empty", f"'{value}'", f"give {_spoken(kind)}")
    for rule in _rules(settings, kind, before):
        rule.check(found, name)
    return found


def _all_of(settings: Any, above: str) -> str:
    """The names of all settings; those of a group in brackets behind it."""
    groups: dict[str, list[str]] = {}
    for name, _, _ in listing(settings):
        group, _, inner = name.partition(".")
        groups.setdefault(group, []).extend([inner] if inner else [])
    named = (f"{group} ({', '.join(inner)})" if inner else group for group, inner in groups.items())
    dotted = next((f"{above}{group}.{inner[0]}" for group, inner in groups.items() if inner), "")
    return f"the settings are {', '.join(named)}" + (f"; write {dotted}" if dotted else "")


def _meant(settings: Any, name: str, path: list[str], otherwise: str) -> str:
    """The remedy for an unknown name: the nearest one of its group, else one deeper; abbreviations count."""
    above = name.removesuffix(".".join(path))
    fields = [field.name for field in dataclasses.fields(settings)]
    deeper = [one for one, _, _ in listing(settings)]
    wanted = path[-1].lower()
    for known in (fields, deeper):
        for one in known:
            # The first letters of its words: lr is learning_rate, wd is weight_decay.
            last = one.rpartition(".")[2].split("_")
            if len(last) > 1 and "".join(word[:1] for word in last) == wanted:
                return f"did you mean '{above}{one}'?"
    near = nearest(path[0], fields, "")
    if near or len(path) > 1:
        return near.replace("'", f"'{above}", 1) if near else otherwise
    ends = {one.rpartition(".")[2]: one for one in reversed(deeper)}
    found = get_close_matches(wanted, ends, n=1, cutoff=0.8)
    return f"did you mean '{above}{ends[found[0]]}'?" if found else otherwise


def _rules(settings: Any, kind: Any, preset: Any) -> list[Rule]:
    """What a setting keeps to. Of a person's own settings nobody knows how large an undeclared one may be."""
    found = rules(kind, preset)
    own = type(settings).__module__.partition(".")[0] != "regard"
    if own and not any(isinstance(rule, Range) for rule in getattr(kind, "__metadata__", ())):
        usual = found.pop()
        assert isinstance(usual, Range)
        found.append(Range(usual.low if usual.low >= 0 else -ABSURD, ABSURD))
    return found


def _require_effect(kind: Any, part: str, name: str) -> None:
    for rule in getattr(kind, "__metadata__", ()):
        if isinstance(rule, Follows) and part in rule.parts:
            raise RegardError(
                "this setting has no effect", f"'{name}'", f"leave it out: it follows from {rule.parts[part]}"
            )


def _replaced(settings: Any, made: dict[str, Any], prefix: str) -> Any:
    """The settings with all values of one group put in at once, since some fit only together."""
    inner = {name: value for name, value in made.items() if name.startswith(prefix)}
    values: dict[str, Any] = {}
    for name, value in inner.items():
        field, dot, _ = name.removeprefix(prefix).partition(".")
        values[field] = _replaced(getattr(settings, field), made, f"{prefix}{field}.") if dot else value
    try:
        return dataclasses.replace(settings, **values)
    except RegardError:
        raise
    except ValueError as error:
        names = ", ".join(f"'{name}'" for name in inner)
        what = f"the settings {names} do not fit" if len(inner) > 1 else f"the setting {names} does not fit"
        raise RegardError(what, str(error), "choose a value that it allows") from error


def parse(text: str, kind: Any, name: str) -> Any:
    """The value that `text` stands for, of the type that the setting has.

    >>> parse("1, 2", tuple[int, ...], "sizes")
    (1, 2)
    """
    try:
        return _value(text.strip(), kind)
    except RegardError:
        raise
    except (ValueError, KeyError, OverflowError) as error:
        wrong = "does not take this value" if isinstance(error, KeyError) else "is of another type"
        raise RegardError(f"the setting '{name}' {wrong}", f"'{text}'", f"give {_spoken(kind)}") from None


def _value(text: str, kind: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _value(text, inner[0])
    if origin in (Union, types.UnionType):
        plain = [one for one in inner if one is not type(None)]
        return None if text == "none" and len(plain) < len(inner) else _value(text, plain[0])
    if origin is Literal:
        return {str(one): one for one in inner}[text]
    if origin is tuple:
        values = tuple(_value(part.strip(), inner[0]) for part in text.strip("()").split(",") if part.strip())
        if Ellipsis not in inner and len(values) != len(inner):
            raise ValueError("another number of values")
        return values
    if kind is bool:
        if text.lower() not in TRUTH:
            raise ValueError("neither true nor false")
        return TRUTH[text.lower()]
    if kind is int:
        return int(text.replace("_", ""))
    if kind not in SPOKEN:
        raise RegardError(
            "this setting cannot be given on the command line",
            str(kind),
            "change it in its preset",
        )
    return kind(text)


def _spoken(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _spoken(inner[0])
    if origin in (Union, types.UnionType):
        typed = [one for one in inner if not dataclasses.is_dataclass(one)]
        return " or ".join("'none'" if one is type(None) else _spoken(one) for one in typed)
    if origin is Literal:
        return "one of " + ", ".join(map(str, inner))
    if origin is tuple:
        count = "several" if Ellipsis in inner else str(len(inner))
        return f"{count} values parted by commas, each {_spoken(inner[0])}"
    return SPOKEN[kind]


def listing(settings: Any, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """Each setting's dotted name, its value, and the sentence under it in the source."""
    told, kinds = sentences(type(settings)), get_type_hints(type(settings), include_extras=True)
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if dataclasses.is_dataclass(value):
            fixed = [rule.parts for rule in getattr(kinds[field.name], "__metadata__", ())
                     if isinstance(rule, Follows)]  # fmt: skip
            for name, one, sentence in listing(value, f"{prefix}{field.name}."):
                if not any(name.rpartition(".")[2] in parts for parts in fixed):
                    yield name, one, sentence
        else:
            yield f"{prefix}{field.name}", value, told.get(field.name, "")


def devices(settings: Any, prefix: str = "") -> list[str]:
    """The dotted names of the settings that say where something is computed, not what."""
    kinds, found = get_type_hints(type(settings), include_extras=True), []
    for field in dataclasses.fields(settings):
        value, name = getattr(settings, field.name), f"{prefix}{field.name}"
        if dataclasses.is_dataclass(value):
            found += devices(value, f"{name}.")
        elif any(isinstance(rule, Device) for rule in getattr(kinds[field.name], "__metadata__", ())):
            found.append(name)
    return found


def set_name(change: str) -> str:
    """The setting that a word such as 'model.depth=4' changes.

    >>> set_name("model.depth = 4")
    'model.depth'
    """
    return change.partition("=")[0].strip()


def moved(changes: Sequence[str], elsewhere: Sequence[str], known: Sequence[str], why: str) -> list[str]:
    """The words of a run with its devices replaced; any other setting would measure something else.

    >>> moved(["seeds=2", "device=cuda"], ["device=cpu"], ["device"], "a run is taken up as it was")
    ['seeds=2', 'device=cpu']
    """
    for word in elsewhere:
        if set_name(word) not in known:
            allowed = f"set {' or '.join(known)}" if known else "leave --set out: this one has no device"
            raise RegardError(f"{why}, on any device", f"--set {word}", allowed)
    replaced = {set_name(word) for word in elsewhere}
    return [*(one for one in changes if set_name(one) not in replaced), *elsewhere]


def sentences(kind: type) -> dict[str, str]:
    """The sentence under each field, those of the classes that it extends included."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if dataclasses.is_dataclass(base):
            found |= _own_sentences(base)
    return found


def _own_sentences(kind: type) -> dict[str, str]:
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
