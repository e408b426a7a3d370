"""The curves of a run: points by name, series and coordinate, as means over seeds with their interval."""

from collections.abc import Iterable, Sequence
from typing import Any

from regard.lab.documents.plain import rounded
from regard.lab.events import Metric
from regard.lab.statistics import summarise

POINTS = 2000
"Most points of a series; of more, as many are taken at even steps, the first and the last among them."
SERIES = 40
"Most series of a curve."
Points = dict[float, list[float]]


def curves(measured: Iterable[Metric]) -> list[dict[str, Any]]:
    """Each name that was measured along a coordinate, with a series for each value of the others."""
    named: dict[str, list[Metric]] = {}
    for one in measured:
        if one.at:
            named.setdefault(one.name, []).append(one)
    found = [(name, points, axis_of(points)) for name, points in named.items()]
    return [_curve(name, axis, points) for name, points, axis in found if axis]


def axis_of(points: Sequence[Metric]) -> str:
    """The coordinate that a curve runs along: the one that has most different numbers.

    >>> axis_of([Metric("loss", 1.0, at={"step": s, "layer": 0}) for s in range(3)])
    'step'
    """
    values: dict[str, set[float]] = {}
    for one in points:
        for name, value in one.at.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                values.setdefault(name, set()).add(value)
    everywhere = [name for name in values if all(name in one.at for one in points)]
    return max(everywhere, key=lambda name: len(values[name]), default="")


def _curve(name: str, axis: str, points: Sequence[Metric]) -> dict[str, Any]:
    series: dict[str, Points] = {}
    for one in points:
        rest = ", ".join(f"{key}={value}" for key, value in sorted(one.at.items()) if key != axis)
        x = float(one.at[axis])  # type: ignore[arg-type]
        series.setdefault(rest, {}).setdefault(x, []).append(one.value)
    shown = list(series.items())[:SERIES]
    return {
        "name": name,
        "axis": axis,
        "series": [{"label": label, **_series(found)} for label, found in shown],
        "left_out": len(series) - len(shown),
    }


def _series(found: Points) -> dict[str, Any]:
    at = sorted(found)
    taken = thinned(at, POINTS)
    summaries = [summarise(found[x]) for x in taken]
    return {
        "x": taken,
        "mean": [rounded(one.mean) for one in summaries],
        "low": [rounded(one.low if one.count > 1 else one.mean) for one in summaries],
        "high": [rounded(one.high if one.count > 1 else one.mean) for one in summaries],
        "seeds": max(one.count for one in summaries),
        "points": len(at),
    }


def thinned(values: list[float], most: int) -> list[float]:
    """At most so many of the values, at even steps, the first and the last among them.

    >>> thinned([0, 1, 2, 3, 4, 5, 6], 3)
    [0, 3, 6]
    """
    if len(values) <= most:
        return values
    step = (len(values) - 1) / (most - 1)
    return [values[round(place * step)] for place in range(most)]


def points_without_axis(measured: Iterable[Metric]) -> list[dict[str, Any]]:
    """What was measured at places that are no numbers, as tables."""
    named: dict[str, list[Metric]] = {}
    for one in measured:
        if one.at:
            named.setdefault(one.name, []).append(one)
    tables = []
    for name, points in named.items():
        if axis_of(points):
            continue
        keys = list(dict.fromkeys(key for one in points for key in one.at))
        rows = [[one.at.get(key) for key in keys] + [one.seed, one.value] for one in points[:POINTS]]
        tables.append({"name": name, "columns": [*keys, "seed", "value"], "rows": rows, "caption": ""})
    return tables
