"""The document of two runs side by side: settings, numbers and curves that both have."""

from typing import Any

from regard.lab.documents.curves import curves
from regard.lab.documents.run import number_rows
from regard.lab.store.diff import changes, flat
from regard.lab.store.run import Run


def comparison_document(first: Run, second: Run) -> dict[str, Any]:
    """What was asked and measured in two runs, one beside the other."""
    asked = [flat(run.request["settings"]) for run in (first, second)]
    found = [{row["name"]: row for row in number_rows(run)} for run in (first, second)]
    return {
        "kind": "comparison",
        "version": 1,
        "first": _head(first),
        "second": _head(second),
        "settings": [
            {"name": name, "first": asked[0].get(name), "second": asked[1].get(name)}
            for name in dict.fromkeys([*asked[0], *asked[1]])
            if asked[0].get(name) != asked[1].get(name)
        ],
        "numbers": [
            _pair(name, found[0].get(name), found[1].get(name))
            for name in dict.fromkeys([*found[0], *found[1]])
        ],
        "curves": _curves(first, second),
        "changes": [
            {"what": one.kind, "name": one.name, "first": one.first, "second": one.second}
            for one in changes(first, second)
            if one.kind in ("run", "environment", "claim")
        ],
    }


def _head(run: Run) -> dict[str, Any]:
    return {"id": run.id, "name": run.name, "state": run.state, "preset": run.request["preset"]}


def _pair(name: str, first: dict[str, Any] | None, second: dict[str, Any] | None) -> dict[str, Any]:
    sides = [row and {key: row[key] for key in ("mean", "low", "high")} for row in (first, second)]
    apart = first["mean"] - second["mean"] if first and second else None
    return {"name": name, "first": sides[0], "second": sides[1], "difference": apart}


def _curves(first: Run, second: Run) -> list[dict[str, Any]]:
    """Curves of both under one name, the series of each labelled by whose they are."""
    joined: dict[tuple[str, str], dict[str, Any]] = {}
    for word, run in (("first", first), ("second", second)):
        for one in curves(run.measured):
            into = joined.setdefault((one["name"], one["axis"]), {**one, "series": []})
            for series in one["series"]:
                label = f"{word}, {series['label']}" if series["label"] else word
                into["series"].append({**series, "label": label, "side": word})
    return list(joined.values())
