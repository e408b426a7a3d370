"""Orders of a fan-out: a run as a line of JSON, and the worker's side, which makes the run and packs it."""

import json
import tempfile
from math import inf
from pathlib import Path
from typing import Any

from regard.errors import RegardError
from regard.lab import registry
from regard.lab.experiment import Experiment
from regard.lab.fanout.dispatcher import Task
from regard.lab.fanout.parcel import Parcel, folder_of
from regard.lab.runner import run
from regard.lab.settings import change, choose
from regard.lab.store import fingerprint
from regard.lab.store.run import Run
from regard.lab.store.runs import Store


def make_task(
    experiment: Experiment,
    source: Path,
    *,
    key: str,
    preset: str,
    changes: list[str],
    seed: int,
    minutes: float = inf,
) -> Task:
    """The task that makes one run."""
    order = {
        # A file of a person's own goes by its path, which the workers must see.
        "experiment": experiment.name if source.is_relative_to(fingerprint.PACKAGE) else str(source),
        "preset": preset,
        "changes": changes,
        "seed": seed,
        "minutes": None if minutes == inf else minutes,
        "key": key,
    }
    return Task(key, f"{experiment.name}, seed {seed}", json.dumps(order), experiment.seconds)


def carry_out(order: str) -> bytes:
    """Make the run that an order asks for, in a store of its own, and pack it with what went wrong."""
    asked = json.loads(order)
    with tempfile.TemporaryDirectory(prefix="regard-") as folder:
        store, problem = Store(Path(folder)), ""
        try:
            _make(asked, store)
        except RegardError as error:
            problem = f"{error.what}, {error.got}"
        except Exception as error:  # of a registry or a disk, not of an experiment: the head must hear of it
            problem = f"{type(error).__name__}: {error}"
        runs = store.runs()
        return _packed(asked["key"], runs[-1] if runs else None, problem)


def _packed(key: str, run: Run | None, problem: str) -> bytes:
    try:
        files = folder_of(run) if run else {}
    except RegardError as error:
        return Parcel(key, "", f"{error.what}, {error.got}", {}).pack()
    return Parcel(key, run.id if run else "", problem, files).pack()


def _make(asked: dict[str, Any], store: Store) -> Run:
    experiment, source = registry.find(asked["experiment"])
    settings = change(choose(experiment.presets, asked["preset"]), asked["changes"])
    found = fingerprint.key(settings, seed=asked["seed"], source=source)
    if found != asked["key"]:
        raise RegardError(
            "the worker would run something else",
            f"{experiment.name}: its code, its data or a version differs from where the order was given",
            "install the same version of everything on all machines, and give files by paths that all see",
        )
    return run(
        experiment,
        settings,
        store,
        source=source,
        preset=asked["preset"],
        changes=asked["changes"],
        seed=asked["seed"],
        minutes=inf if asked["minutes"] is None else asked["minutes"],
    )
