"""Golden records: what a small run measured, tabled and drew when a person last looked at it, in a file beside its test.

    REGARD_GOLDEN=write pytest tests/experiments    records anew; a value that two recordings do not share is null

A null says that something is there and not which value it has: times, mostly. Curves, columns and drawn lines are
kept as their number, mean and spread.
"""

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent
from regard.theory.theorem import Theorem

Record = Mapping[str, float | None]

NEAR = {"rel_tol": 0.02, "abs_tol": 1e-4}
"How far another processor may be from what was recorded: trained networks are among it."
EQUAL = {"rel_tol": 1e-6, "abs_tol": 1e-12}
"How far two recordings on one machine may be from each other."


def check(test: str, record: Record, part: str = "run") -> None:
    """Fail where a record is not that part of the file beside the test."""
    path = Path(test).with_suffix(".json")
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    if os.environ.get("REGARD_GOLDEN") == "write":
        path.write_text(json.dumps(known | {part: kept(known.get(part, {}), record)}, indent=1, ensure_ascii=False) + "\n", "utf-8")  # fmt: skip
        return
    wrong = different(known.get(part, {}), record)
    assert not wrong, "\n".join(wrong)


def kept(before: Record, record: Record) -> Record:
    """What is written of a record, beside what was written before."""
    return {name: kept_value(before.get(name, value), value) for name, value in sorted(record.items())}


def kept_value(before: float | None, value: float | None) -> float | None:
    if before is None or value is None or not isclose(before, value, **EQUAL):
        return None
    return float(f"{value:.7g}")


def different(before: Record, record: Record) -> list[str]:
    """What a record has that another has not, or otherwise, line by line."""
    lines = [f"missing: {name}" for name in before if name not in record]
    lines += [f"new: {name}" for name in record if name not in before]
    for name in before.keys() & record.keys():
        was, now = before[name], record[name]
        if was is not None and (now is None or not isclose(was, now, **NEAR)):
            lines.append(f"{name}: {was} before, {now} now")
    return lines


def of_events(events: Iterable[Event]) -> Record:
    """The record of a run."""
    found: dict[str, list[float]] = defaultdict(list)
    for event in events:
        match event:
            case Metric(name=name, value=value):
                found[f"metric: {name}"].append(value)
            case PairedMetric(name=name, first=first, second=second):
                found[f"first: {name}"] += first.values()
                found[f"second: {name}"] += second.values()
            case TableEvent(name=name, columns=columns, rows=rows):
                for at, column in enumerate(columns):
                    cells = [row[at] for row in rows]
                    found[f"column: {name}, {column}"] += [
                        one for one in cells if isinstance(one, int | float)
                    ]
            case ProgressEvent(share=share):
                found["progress"].append(share)
            case FigureEvent(name=name, figure=figure):
                assert not nameless(figure), f"{name}: {', '.join(nameless(figure))}"
                for part, numbers in drawn(figure):
                    found[f"figure: {name}, {part}"] += numbers
            case _:
                pass
    return summary(found)


def of_figures(figures: Iterable[Figure]) -> Record:
    """The record of figures alone."""
    found: dict[str, list[float]] = defaultdict(list)
    for at, figure in enumerate(figures):
        for part, numbers in drawn(figure):
            found[f"{at}, {part}"] += numbers
    return summary(found)


def drawn(figure: Figure) -> Iterator[tuple[str, list[float]]]:
    """The numbers of each axis: its limits, and what its lines, points, bars and pictures show."""
    for at, axis in enumerate(figure.axes):
        yield f"{at}, limits across", list(axis.get_xlim())
        yield f"{at}, limits along", list(axis.get_ylim())
        for line in axis.lines:
            x, y = line.get_data(orig=False)
            yield f"{at}, lines across", list(np.ravel(x))
            yield f"{at}, lines along", list(np.ravel(y))
        for points in axis.collections:
            yield f"{at}, points", list(np.ravel(np.ma.getdata(points.get_offsets())))
            for path in points.get_paths():
                yield f"{at}, paths", list(np.ravel(path.vertices))
        for patch in axis.patches:
            yield (
                f"{at}, bars",
                list(patch.get_path().transformed(patch.get_patch_transform()).get_extents().bounds),
            )
        for image in axis.images:
            yield f"{at}, pictures", list(np.ravel(np.ma.getdata(image.get_array())))


def nameless(figure: Figure) -> list[str]:
    """The axes with numbers along them that do not say of what.

    What goes upwards may be named by the panel's title, or by another panel of its row; what goes across, by
    another panel of its column.
    """
    lines = []
    for at, axis in enumerate(figure.axes):
        beside = [one for one in figure.axes if _overlap(axis, one, "y")]
        above = [one for one in figure.axes if _overlap(axis, one, "x")]
        title = axis.get_title("left") or axis.get_title() or axis.get_title("right")
        if _numbered(axis, "y") and not (title or any(one.get_ylabel() for one in beside)):
            lines.append(f"panel {at} does not say what goes upwards")
        if _numbered(axis, "x") and not any(one.get_xlabel() for one in above):
            lines.append(f"panel {at} does not say what goes across")
    return lines


def _numbered(axis: Any, way: str) -> bool:
    """Whether numbers stand along an axis: not names of categories, and not nothing."""
    line, side = (axis.xaxis, "labelbottom") if way == "x" else (axis.yaxis, "labelleft")
    texts = [one.get_text() for one in line.get_ticklabels()]
    words = any(re.search(r"[^\W\d_]{2}", one) for one in texts)
    shown = axis.axison and line.get_visible() and line.get_tick_params().get(side, True)
    return shown and len(line.get_ticklocs()) > 0 and not words


def _overlap(one: Any, other: Any, way: str) -> bool:
    """Whether two panels share a row (y) or a column (x)."""
    first, second = one.get_position(original=True), other.get_position(original=True)
    return getattr(first, f"interval{way}")[0] < getattr(second, f"interval{way}")[1] and (
        getattr(second, f"interval{way}")[0] < getattr(first, f"interval{way}")[1]
    )


def of_theorem(theorem: Theorem) -> Record:
    """The record of a theorem: its random point, and its trials with two instances each."""
    found: dict[str, list[float]] = defaultdict(list)
    for name, value in theorem.point(np.random.default_rng(0)).items():
        found[f"point: {name}"] += numbers(value)
    for trial in (*theorem.trials, *theorem.breaks):
        sweep = trial.measure(np.random.default_rng(0), 2)
        for part in ("at", "predicted", "measured", "broken", "instead"):
            found[f"{trial.title}: {part}"] += numbers(getattr(sweep, part))
        if sweep.each:
            found[f"{trial.title}: each"] += numbers(sweep.each)
        for name, curve in sweep.also.items():
            found[f"{trial.title}: also {name}"] += numbers(curve)
    return summary(found)


def numbers(value: Any) -> list[float]:
    """All numbers in tuples, lists, mappings and arrays, one after the other."""
    if isinstance(value, Mapping):
        return [one for part in value.values() for one in numbers(part)]
    if isinstance(value, tuple | list):
        return [one for part in value for one in numbers(part)]
    return (
        [float(one) for one in np.ravel(value)]
        if isinstance(value, np.ndarray | np.generic | int | float)
        else []
    )


def summary(found: Mapping[str, list[float]]) -> Record:
    """One number as it is; several as their count, mean and spread, each also weighed by its place."""
    record: dict[str, float | None] = {}
    for name, values in found.items():
        fine = np.array([one for one in values if np.isfinite(one)], dtype=float)
        if len(values) == 1 and len(fine) == 1:
            record[name] = float(fine[0])
            continue
        record[f"{name} (count)"] = float(len(fine))
        if len(fine):
            record[f"{name} (mean)"] = float(fine.mean())
            record[f"{name} (spread)"] = float(fine.std())
            record[f"{name} (trend)"] = float((fine * np.linspace(-1, 1, len(fine))).mean())
    return record
