"""Provenance of a run's numbers: the command, seeds, code key, versions, machine and time behind them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from regard.lab.events import Metric
from regard.lab.store.run import Run

REPEATS = {
    "seeds": "seeds", "repeats": "repeats", "folds": "folds", "instances": "instances",
    "sequences": "sequences", "rows": "samples",
}  # fmt: skip
"The settings that count repeats, and what a repeat is: seldom anything but a seed."
KEY = 16
"Letters of the code key that are shown; they tell any two runs apart."


def provenance(run: Run) -> list[tuple[str, str]]:
    """What one needs to judge a number of the run, or to measure it again: a word, and what it was."""
    request, where = run.request, dict(run.request.get("environment", {}))
    versions = [f"{name} {where.pop(name)}" for name in ("regard", "python", "torch", "numpy", "matplotlib")
                if where.get(name)]  # fmt: skip
    seconds = run.result["seconds"]
    rows = [
        ("run", run.id),
        ("command", command(run)),
        ("state", run.state),
        ("seed", str(request.get("seed", ""))),
        (f"{_repeats(request.get('settings', {}))} measured", _seeds(run)),
        ("code key", request.get("key", "")[:KEY]),
        ("commit", where.pop("commit", None) or ""),
        ("started", request["started"][:19].replace("T", " ")),
        ("took", "" if seconds is None else f"{seconds:.1f} s"),
        ("versions", ", ".join(versions)),
        ("machine", ", ".join(_machine(name, value) for name, value in where.items() if value is not None)),
    ]
    return [(word, told) for word, told in rows if told]


def command(run: Run) -> str:
    """The words that run it again."""
    request = run.request
    if request.get("verb", "run") != "run":
        return " ".join([opening_words(run), *(quote(_from_here(one)) for one in request.get("words", ()))])
    preset = "" if request["preset"] == "quick" else f" --preset {request['preset']}"
    changes = "".join(f" --set {quote(one)}" for one in request["changes"])
    seed = f" --seed {request['seed']}" if request.get("seed") else ""
    return f"{opening_words(run)}{preset}{changes}{seed}"


def opening_words(run: Run) -> str:
    """The verb, behind torchrun where that was used, and the experiment's name, or the file of one's own."""
    request = run.request
    regard = _started(request.get("torchrun"))
    if request.get("verb", "run") != "run":
        return f"{regard} {request['verb']}"
    own = request.get("chapter") == "yours" and request.get("source")
    return f"{regard} run {quote(_from_here(request['source'])) if own else request['name']}"


def _started(processes: Mapping[str, int] | None) -> str:
    """The word that starts regard, or torchrun's, with as many processes as there were.

    >>> _started(None), _started({"machines": 1, "each": 4})
    ('regard', 'torchrun --nproc-per-node 4 -m regard')
    """
    if processes is None:
        return "regard"
    machines = f"--nnodes {processes['machines']} " if processes["machines"] > 1 else ""
    return f"torchrun {machines}--nproc-per-node {processes['each']} -m regard"


def _from_here(word: str) -> str:
    """A path as it is written in this folder, if it lies in it; anything else as it is."""
    path = Path(word)
    inside = path.is_absolute() and path.is_relative_to(Path.cwd()) and path != Path.cwd()
    return str(path.relative_to(Path.cwd())) if inside else word


def _machine(name: str, value: object) -> str:
    return f"{value} {name}" if name in ("cores", "threads") else str(value)


def _repeats(settings: Mapping[str, Any]) -> str:
    """What an experiment calls that over which it repeats a measurement, by the setting that counts it.

    >>> _repeats({"plan": {"folds": 5}}), _repeats({"depth": 2})
    ('folds', 'repeats')
    """
    named = set(_names(settings))
    return next((word for setting, word in REPEATS.items() if setting in named), "repeats")


def _names(settings: Mapping[str, Any]) -> Iterator[str]:
    for name, value in settings.items():
        yield name
        if isinstance(value, Mapping):
            yield from _names(value)


def _seeds(run: Run) -> str:
    """The numbers of the repeats in which anything was measured, as a range where they are one.

    A run that measures once, from its own seed, has none; nor has one whose measurements have repeats of
    different kinds, such as trainings and works, which no one range names.
    """
    found: dict[str, set[int]] = {}
    for one in run.measured:
        if isinstance(one, Metric) and one.seed is not None:
            found.setdefault(one.name, set()).add(one.seed)
    for pair in run.compared:
        found.setdefault(pair.name, set()).update(pair.first)
    most = max(found.values(), key=len, default=set())
    if any(len(one) > 1 and one != most for one in found.values()):
        return ""
    seeds = sorted(set().union(*found.values()))
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))
