"""The settings of an experiment as a form: type, range, choices, and the sentence under each field."""

import dataclasses
import types
from collections.abc import Iterator
from math import inf, isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.documents.plain import readable
from regard.lab.experiment import Experiment
from regard.lab.ranges import OwnPath, Range, rules
from regard.lab.settings import listing

WORDS = {int: "whole", float: "number", bool: "switch", str: "text", Path: "path"}
SCALARS = str | int | float | bool


def experiment_document(experiment: Experiment) -> dict[str, Any]:
    """What a page shows of an experiment before it is run."""
    return {
        "kind": "experiment",
        "version": 1,
        "name": experiment.name,
        "chapter": experiment.chapter,
        "title": experiment.title,
        "question": readable(experiment.question),
        "method": readable(experiment.method),
        "see": readable(experiment.see),
        "correction": readable(experiment.correction),
        "seconds": experiment.seconds,
        "claims": [_claim(one) for one in experiment.claims],
        "presets": {name: form(chosen) for name, chosen in experiment.presets.items()},
    }


def form(settings: Any) -> list[dict[str, Any]]:
    """A field for each setting that a page may change; a path is for the command line alone."""
    kinds = dict(_kinds(settings))
    return [
        _field(name, value, said, kinds[name])
        for name, value, said in listing(settings)
        if _type(kinds[name]) != "path"
    ]


def words(form: list[dict[str, Any]], given: dict[str, Any]) -> list[str]:
    """What a page has changed, as `--set` takes it; a path or a group cannot be given.

    >>> words([{"name": "seeds", "value": 2}], {"seeds": 3})
    ['seeds=3']
    """
    known = {one["name"]: one for one in form}
    changes = []
    for name, value in given.items():
        if name not in known:
            raise RegardError(
                "no such setting in the browser",
                repr(name)[:100],
                "choose one of the form; files of your own are for the command line",
            )
        if value != known[name]["value"]:
            changes.append(f"{name}={_word(name, value)}")
    return changes


def _word(name: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ",".join(_word(name, one) for one in value[:1000])
    if not isinstance(value, SCALARS) or (isinstance(value, float) and not isfinite(value)):
        raise RegardError(f"the setting '{name}' is of another type", repr(value)[:100], "give a plain value")
    text = str(value).lower() if isinstance(value, bool) else str(value)
    # A text that is a file's name would be read, and hashed, as that file.
    if isinstance(value, str) and (len(text) > 200 or set(text) & set("/\\\n\0,") or Path(text).exists()):
        raise RegardError(
            f"the setting '{name}' takes a plain word here", repr(text)[:100], "no path and no file's name"
        )
    return text


def _kinds(settings: Any, prefix: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The type of each setting, and its value, by its dotted name."""
    hints = get_type_hints(type(settings), include_extras=True)
    for one in dataclasses.fields(settings):
        value = getattr(settings, one.name)
        if dataclasses.is_dataclass(value):
            yield from _kinds(value, f"{prefix}{one.name}.")
        else:
            yield f"{prefix}{one.name}", (hints[one.name], value)


def _field(name: str, value: Any, said: str, kind: tuple[Any, Any]) -> dict[str, Any]:
    found = [rule for rule in rules(*kind) if isinstance(rule, Range)]
    numeric = any(word in _type(kind) for word in ("whole", "number"))
    low = max((max(one.low, one.above) for one in found), default=-inf) if numeric else -inf
    high = min((min(one.high, one.below) for one in found), default=inf) if numeric else inf
    return {
        "name": name,
        "type": _type(kind),
        "value": list(value) if isinstance(value, tuple) else value,
        "doc": said,
        "low": low if isfinite(low) else None,
        "high": high if isfinite(high) else None,
        "choices": _choices(kind[0]),
        "optional": type(None) in get_args(_bare(kind[0])),
        "said": str(found[0]) if numeric and found else "",
    }


def _bare(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _type(kind: tuple[Any, Any]) -> str:
    """whole, number, switch, text, choice, path, or a list of one of them."""
    declared = get_args(kind[0])[1:] if get_origin(kind[0]) is Annotated else ()
    if any(isinstance(rule, OwnPath) for rule in declared):
        return "path"
    bare = _bare(kind[0])
    if get_origin(bare) in (Union, types.UnionType):
        bare = next(one for one in get_args(bare) if one is not type(None))
    if get_origin(bare) is Literal:
        return "choice"
    if get_origin(bare) is tuple:
        return f"list of {_type((get_args(bare)[0], None))}"
    return WORDS.get(bare, "text")


def _choices(kind: Any) -> list[Any] | None:
    bare = _bare(kind)
    if get_origin(bare) in (Union, types.UnionType):
        bare = next(one for one in get_args(bare) if one is not type(None))
    return list(get_args(bare)) if get_origin(bare) is Literal else None


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "name": claim.name,
        "band": claim.band,
        "low": claim.low,
        "high": claim.high,
        "why": readable(claim.why),
        "source": claim.source,
        "preset": claim.preset,
        "items": list(claim.items),
    }
