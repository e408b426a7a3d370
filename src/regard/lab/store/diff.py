"""Two runs side by side: what was asked differently, and what came out differently."""

from dataclasses import dataclass
from typing import Any

from regard.lab.book.report import ReportedNumber, numbers
from regard.lab.store.run import Run


@dataclass(frozen=True)
class Change:
    """Something that differs: a setting, a number, a verdict, a part of the environment."""

    kind: str
    name: str
    first: Any
    second: Any


def changes(first: Run, second: Run) -> list[Change]:
    """All that differs between two runs."""
    return [
        *_differing("setting", flat(first.request["settings"]), flat(second.request["settings"])),
        *_differing("run", _head(first), _head(second)),
        *_differing("environment", first.request["environment"], second.request["environment"]),
        *_differing("number", _means(first), _means(second)),
        *_differing("claim", _states(first), _states(second)),
    ]


def flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings under dotted names.

    >>> flat({"model": {"depth": 2}})
    {'model.depth': 2}
    """
    names: dict[str, Any] = {}
    for name, value in settings.items():
        names |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return names


def _differing(kind: str, first: dict[str, Any], second: dict[str, Any]) -> list[Change]:
    return [
        Change(kind, name, first.get(name), second.get(name))
        for name in dict.fromkeys([*first, *second])
        if first.get(name) != second.get(name)
    ]


def _head(run: Run) -> dict[str, Any]:
    return {
        "preset": run.request["preset"],
        "seed": run.request["seed"],
        "state": run.state,
        "seconds": run.result["seconds"],
    }


def _means(run: Run) -> dict[str, float]:
    found: list[ReportedNumber] = numbers(run)
    return {one.name: one.summary.mean for one in found}


def _states(run: Run) -> dict[str, str]:
    return {one.claim.name: one.state for one in run.verdicts}
