"""The verb reproduce: recorded runs listed, made again, renewed."""

import argparse
from contextlib import nullcontext
from dataclasses import asdict
from types import SimpleNamespace

from regard.cli.output import print_json
from regard.cli.runs import store
from regard.errors import RegardError


def reproduce(arguments: argparse.Namespace) -> int:
    if arguments.keep is not None:
        return _keep(arguments)
    if arguments.name is None:
        return _list(arguments)
    return _again(arguments)


def _keep(arguments: argparse.Namespace) -> int:
    from regard.lab.records.record import record
    from regard.lab.store.runs import Wanted

    if arguments.name is not None or arguments.seed is not None or arguments.set:
        raise RegardError(
            "--keep records a run that is there",
            f"--keep {arguments.keep}",
            "leave name, --seed and --set out",
        )
    finished = Wanted("is finished", lambda run: run.state == "finished")
    place = record(store().find(arguments.keep, finished))
    print_json({"record": str(place)}) if arguments.json else print(f"recorded in {place}")
    return 0


def _list(arguments: argparse.Namespace) -> int:
    """Every record, with the files that have changed since; 1 where one is to be renewed."""
    from regard.lab.lists import show_records
    from regard.lab.records.record import records
    from regard.lab.records.reproduce import stale

    if arguments.seed is not None:
        raise RegardError("--seed has no effect on a list", f"--seed {arguments.seed}", "name an experiment")
    if arguments.set:
        raise RegardError("--set has no effect on a list", f"--set {arguments.set[0]}", "name an experiment")
    changed = stale()
    if arguments.json:
        print_json([{**asdict(one), "changed": changed.get(one.name, [])} for one in records().values()])
    else:
        show_records(list(records().values()), changed)
    return 1 if changed else 0


def _again(arguments: argparse.Namespace) -> int:
    from regard.lab import registry
    from regard.lab.console import Screen
    from regard.lab.lists import show_reproduction
    from regard.lab.records.reproduce import recorded
    from regard.lab.records.reproduce import reproduce as again

    recorded(arguments.name)
    experiment, _ = registry.find(arguments.name)
    quiet = nullcontext(SimpleNamespace(watch=lambda experiment: lambda event: None))
    with quiet if arguments.json else Screen([experiment]) as screen:
        words = {"seed": arguments.seed, "elsewhere": arguments.set, "watch": screen.watch(experiment)}
        found = again(arguments.name, store(), **words)
    if arguments.json:
        print_json(
            {"name": found.record.name, "run": found.run.id, "agrees": found.agrees,
             "compared": [asdict(one) for one in found.compared]}
        )  # fmt: skip
    else:
        show_reproduction(found)
    return 0 if found.agrees else 1
