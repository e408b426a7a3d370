"""Resuming a run: only where experiment, settings, data and code are those that it was begun with."""

from collections.abc import Mapping, Sequence
from typing import Any

from regard.errors import RegardError
from regard.lab.store.diff import flat
from regard.lab.store.models import VISION_FILE
from regard.lab.store.run import LOCK, LOG, REPORT, REQUEST, RESULT, TRACEBACK, Run
from regard.lab.store.writer import PROGRESS

RESUMABLE = ("interrupted", "out of time", "without data", "stopped", "broken")
"States of a run that may be taken up."
ACCEPTABLE = ("code",)
"What may have changed, if a person says that it may."
DEVICE = "device"
"Where it is computed may change without being asked for twice; the run says so."
TAKEN_UP = "This run was taken up although something had changed"
"The heading under which a run says so."
EVERY = (REQUEST, LOG, RESULT, LOCK, REPORT, TRACEBACK, PROGRESS, "figures")
"What any run has in its folder."


def saved(run: Run) -> list[str]:
    """What its experiment has saved in the run's folder, such as checkpoints: where it can be taken up.

    A model that looks at pictures is what came of a run, and none is taken up from it.
    """
    names = sorted(one.name for one in run.path.iterdir() if not one.name.startswith("."))
    return [one for one in names if one not in EVERY and not (run.path / one / VISION_FILE).exists()]


def require_experiment(run: Run, name: str) -> None:
    """Refuse to take up a run of another experiment."""
    if run.request["name"] != name:
        raise RegardError(
            "this run belongs to another experiment",
            f"{run.id}, to be taken up by {name}",
            _own(run),
        )


def _own(run: Run) -> str:
    name, verb = run.request["name"], run.request.get("verb", "run")
    return f"name its own experiment: {name}" if verb == "run" else f"regard {verb} --resume {run.id}"


def since(run: Run, parts: Mapping[str, Any]) -> dict[str, str]:
    """What is no longer as it was when the run began, in words: settings, device, data, code."""
    request = run.request
    before, now = flat(request["settings"]), flat(parts["settings"])
    differing = [one for one in dict.fromkeys([*before, *now]) if before.get(one) != now.get(one)]
    data = [one for one in differing if one.endswith(".sha256")]
    devices = [one for one in differing if one in request.get("devices", [])]
    settings = [one for one in differing if one not in data and one not in devices]
    code = _changes(request["code"], parts["code"])
    versions = [
        f"{one} {request['versions'].get(one)} is now {version}"
        for one, version in parts["versions"].items()
        if request["versions"].get(one) != version
    ]
    found = {
        "settings": _now(settings, before, now),
        DEVICE: _now(devices, before, now),
        "data": ", ".join(f"the file {before.get(one.removesuffix('sha256') + 'path')}" for one in data),
        "code": ", ".join([*code, *versions]),
    }
    return {kind: told for kind, told in found.items() if told}


def require_unchanged(changed: Mapping[str, str], accept: Sequence[str]) -> None:
    """Refuse to go on with what has changed, unless a person accepts it."""
    refused = {kind: told for kind, told in changed.items() if kind not in (*accept, DEVICE)}
    if refused:
        anyway = ", or go on all the same with --accept code" if list(refused) == ["code"] else ""
        raise RegardError(
            f"this run was begun with other {' and other '.join(refused)}",
            "; ".join(refused.values()),
            f"start anew without --resume{anyway}",
        )


def _now(names: Sequence[str], before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    return ", ".join(f"{one}={before.get(one)} is now {now.get(one)}" for one in names)


def _changes(before: Mapping[str, str], now: Mapping[str, str], most: int = 4) -> list[str]:
    files = [one for one in dict.fromkeys([*before, *now]) if before.get(one) != now.get(one)]
    more = [f"and {len(files) - most} more files"] if len(files) > most else []
    return [*files[:most], *more]
