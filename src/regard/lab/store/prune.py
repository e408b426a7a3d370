"""Pruning: which runs nobody needs any more, and why."""

import json
from dataclasses import dataclass
from typing import Any

from regard.lab.store.run import Run
from regard.lab.store.runs import Store


@dataclass(frozen=True)
class Superfluous:
    """A run that may go."""

    run: Run
    reason: str


def superfluous(store: Store) -> list[Superfluous]:
    """Runs that broke or are damaged, and those of which a later one of the same request has finished."""
    found: list[Superfluous] = []
    later: set[str] = set()
    for run in reversed(store.runs()):
        if run.state in ("broken", "damaged"):
            found.append(Superfluous(run, run.state))
        elif not run.problem and run.state != "running":
            asked = _asked(run.request)
            if asked in later:
                found.append(Superfluous(run, "superseded by a later run"))
            elif run.state == "finished":
                later.add(asked)
    return found[::-1]


def _asked(request: dict[str, Any]) -> str:
    parts = [request[one] for one in ("name", "preset", "seed", "settings")]
    return json.dumps(parts, sort_keys=True)
