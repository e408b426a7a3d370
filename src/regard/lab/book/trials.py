"""What to change in an experiment (settings): commands to try, and every setting with what it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from regard.lab.experiment import Experiment
from regard.lab.settings import listing

OWN = {
    "text": "mine.txt",
    "graph": "graph.csv",
    "points": "points.csv",
    "data": "points.csv",
    "folder": "pictures",
}
"Settings by which a person brings data of their own, and the file that the command names."
WORTHWHILE = ("seeds", "instances", "epochs", "steps", "models", "draws", "tokens", "width")
"Numbers that one may double in most experiments, and see something: the first of these that there is."
LONG = 60
"Letters of a value that a table shows."


@dataclass(frozen=True)
class ListedSetting:
    """A setting with its sentence and its value in both presets."""

    name: str
    what: str
    quick: str
    full: str


def settings(experiment: Experiment) -> list[ListedSetting]:
    """Every setting of an experiment; a preset that it has not is left empty."""
    known = {name: _values(one) for name, one in experiment.presets.items()}
    quick, full = known.get("quick", {}), known.get("full", {})
    return [
        ListedSetting(name, what, _told(value), _told(full[name][0]) if name in full else "")
        for name, (value, what) in quick.items()
    ]


def trials(experiment: Experiment) -> list[str]:
    """Commands worth trying after the first: a number doubled, data of one's own, the full size.

    The number is one that means more of the same in any experiment, or else one that is larger at full size.
    """
    if "quick" not in experiment.presets:
        return []
    values = _values(experiment.presets["quick"])
    start = f"regard run {experiment.name}"
    numbers = [name for name, (value, _) in values.items() if type(value) is int and value > 1]
    full = _values(experiment.presets["full"]) if "full" in experiment.presets else {}
    known = [name for word in WORTHWHILE for name in numbers if name.rpartition(".")[2] == word]
    growing = [name for name in numbers if name in full and (full[name][0] or 0) > values[name][0]]
    doubled = next(iter([*known, *growing, *numbers]), "")
    lines = [f"{start} --set {doubled}={2 * values[doubled][0]}"] if doubled else []
    lines += [f"{start} --set {name}={file}" for name, file in OWN.items() if _is_empty(values, name)]
    return lines + ([f"{start} --preset full"] if "full" in experiment.presets else [])


def _is_empty(values: Mapping[str, tuple[Any, str]], name: str) -> bool:
    return name in values and values[name][0] is None


def _values(preset: Any) -> dict[str, tuple[Any, str]]:
    return {name: (value, what) for name, value, what in listing(preset)}


def _told(value: Any) -> str:
    """A value as `--set` takes it, cut where it is long."""
    if isinstance(value, tuple | list):
        text = ",".join(map(str, value))
    else:
        text = (
            "none" if value is None else str(PurePath(value)) if isinstance(value, PurePath) else str(value)
        )
    return text if len(text) <= LONG else text[: LONG - 1] + "…"
