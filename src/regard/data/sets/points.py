"""Points of one's own, from a CSV file: its columns of numbers, its labels, and what was read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch import Tensor

from regard.arguments import kinds
from regard.data.formats.table import DELIMITERS, Table, open_table
from regard.errors import RegardError, nearest
from regard.shapes import Float, Int

LABELS = frozenset(
    ("class", "label", "labels", "target", "species", "variety", "type", "group", "category", "cluster")
)
"Names by which a column of labels is known."
CLASSES = 60
"The most values that a column of labels has."


@dataclass(frozen=True, kw_only=True)
class PointTable:
    """Points, what their columns and classes are called, and a sentence on what was read."""

    values: Float[Tensor, "n d"]
    "A row for each point, in float64."
    columns: tuple[str, ...]
    "What the axes are called."
    labels: Int[Tensor, " n"] | None
    "The class of each point, from 0; None where there are no classes."
    classes: tuple[str, ...]
    "What the classes are called, the largest first."
    said: str
    "What was read, and what was left out."
    unused: tuple[str, ...] = ()
    "The columns that were left out, each with why."


@kinds
def read_points(
    path: Path | str, *, columns: Sequence[str] = (), label: str = "", least: int = 2
) -> PointTable:
    """The points of a CSV file: every column of numbers, or those that are named; at least so many rows.

    The labels are in the column of that name; else in one that is called so (class, target, species, …) and
    has few values; else in the last column of words that has few. Rows that lack a value are left out.
    """
    table = open_table(Path(path))
    numbers = {name: table.numbers(place) for place, name in enumerate(table.header)}
    chosen = column_of(table, label) if label else label_of(table, numbers, columns)
    used, left = _columns(table, numbers, columns, chosen)
    values = numpy.stack([numbers[name] for name in used], 1)  # type: ignore[misc]
    named = _words(table, chosen) if chosen else None
    whole = numpy.isfinite(values).all(1)
    if named is not None:
        whole &= numpy.array([bool(word) for word in named])
    if whole.sum() < least:
        rest = f"; not used: {', '.join(left)}" if left else ""
        got = (
            f"{int(whole.sum())} whole rows of {table.rows} in {table.name}, columns {', '.join(used)}{rest}"
        )
        raise RegardError("there are too few points", got, f"name a file that has {least} or more")
    counts = Counter(word for word, kept in zip(named, whole, strict=True) if kept) if named else Counter()
    classes = tuple(word for word, _ in counts.most_common())
    number = {word: place for place, word in enumerate(classes)}
    labels = [number[word] for word, kept in zip(named, whole, strict=True) if kept] if named else None
    return PointTable(
        values=torch.from_numpy(values[whole]),
        columns=used,
        labels=None if labels is None else torch.tensor(labels),
        classes=classes,
        said=_said(table, used, int(whole.sum()), chosen, counts, left),
        unused=tuple(left),
    )


def label_of(table: Table, numbers: Mapping[str, numpy.ndarray | None], but: Sequence[str] = ()) -> str:
    """The column of labels, by its name or because its words are few; nothing where there is none."""
    few = [
        name
        for name, values in numbers.items()
        if name not in but
        and (name.lower() in LABELS or values is None)
        and 1 < len(set(_words(table, name)) - {""}) <= min(CLASSES, table.rows // 2)
    ]
    called = [name for name in few if name.lower() in LABELS]
    return (called or few or [""])[-1]


def _words(table: Table, name: str) -> list[str]:
    missing = {"", "na", "n/a", "nan", "null", "?"}
    values = (value.strip() for value in table.columns[table.header.index(name)])
    return ["" if value.lower() in missing else value for value in values]


def _columns(
    table: Table, numbers: Mapping[str, numpy.ndarray | None], columns: Sequence[str], label: str
) -> tuple[tuple[str, ...], list[str]]:
    """The columns that are used, and a word on each that is not."""
    if columns:
        found = tuple(column_of(table, name) for name in columns)
        if len(set(found)) < len(found):
            raise RegardError("a column is named twice", ", ".join(columns), "name each of them once")
        for name in found:
            if numbers[name] is None:
                others = ", ".join(n for n, v in numbers.items() if v is not None) or "another file"
                few = _few_strange(table, name)
                fix = f"mend that row, or choose of {others}" if few else f"choose of {others}"
                raise RegardError(
                    "this column is not of numbers", f"{_strange(table, name)} in '{name}'", fix
                )
        return found, []
    left, used = [], []
    for name in table.header:
        if name == label:
            continue
        values = numbers[name]
        if values is None:
            few = _few_strange(table, name)
            left.append(
                f"'{name}' ({_strange(table, name)} is no number)" if few else f"'{name}' (not numbers)"
            )
        elif numpy.isnan(values).mean() > 0.5:
            left.append(f"'{name}' (mostly empty)")
        elif _counts_rows(name, values):
            left.append(f"'{name}' (counts the rows)")
        elif numpy.isfinite(values).sum() > 1 and numpy.nanmin(values) == numpy.nanmax(values):
            left.append(f"'{name}' (always {numpy.nanmin(values):g})")
        else:
            used.append(name)
    if not used:
        got = f"{table.name} with the columns {', '.join(left)[:120]}"
        raise RegardError("the table has no column of numbers to use", got, "name a file that has one")
    return tuple(used), left


def _few_strange(table: Table, name: str) -> bool:
    """Whether a column is of numbers but for some of its rows."""
    return len(table.strange(table.header.index(name))) < 0.5 * table.rows


def _strange(table: Table, name: str) -> str:
    """The first value of a column that is no number, where it stands, and how many others there are."""
    place = table.header.index(name)
    first, *others = table.strange(place)
    more = f" and {len(others)} more" if others else ""
    return f"'{table.columns[place][first].strip()[:40]}' in row {first + 1}{more}"


def _counts_rows(name: str, values: numpy.ndarray) -> bool:
    """Whether a column is the number of its row: by its name, and from 0 or 1 on."""
    known = name.lower() in ("id", "index", "row", "rownames", "unnamed: 0", "column 1", "no", "nr", "#")
    steps = numpy.arange(len(values))
    return known and (numpy.array_equal(values, steps) or numpy.array_equal(values, steps + 1))


def column_of(table: Table, name: str) -> str:
    """The column of that name, or of that number from 1."""
    if name in table.header:
        return name
    if name.isdigit() and 0 < int(name) <= len(table.header):
        return table.header[int(name) - 1]
    fix = nearest(name, table.header, f"the columns are {', '.join(table.header)[:200]}")
    raise RegardError("no column of that name", f"'{name}' in {table.name}", fix)


def _said(
    table: Table, used: Sequence[str], count: int, label: str, classes: Counter, left: Sequence[str]
) -> str:
    kind = DELIMITERS.get(table.delimiter, f"'{table.delimiter}'")
    found = [
        f"The points are your own: {table.name}, {table.encoding} with {kind}, {count:,} of {table.rows:,}"
        " rows" + ("." if count == table.rows else f" ({table.rows - count:,} lack a value)."),
        f"Columns: {', '.join(used[:8])}{f' and {len(used) - 8} more' if len(used) > 8 else ''}.",
    ]
    if label:
        sizes = ", ".join(f"{name} {size}" for name, size in classes.most_common(8))
        more = f" and {len(classes) - 8} more" if len(classes) > 8 else ""
        found.append(f"Labels from '{label}': {sizes}{more}.")
    else:
        found.append("No labels.")
    if table.before:
        found.append(f"Its first {table.before} lines are no rows.")
    if left:
        found.append(f"Not used: {', '.join(left)}.")
    return " ".join(found)
