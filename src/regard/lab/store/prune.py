"""Pruning: which runs nobody needs any more, and why."""

import json
from dataclasses import dataclass
from typing import Any

from regard.lab.store.models import text_models
from regard.lab.store.run import Run
from regard.lab.store.runs import Store


@dataclass(frozen=True)
class Superfluous:
    """A run that may go."""

    run: Run
    reason: str


def superfluous(store: Store) -> list[Superfluous]:
    """Runs that broke or are damaged, and those of which a later one of the same request has finished.

    A training of one's own that keeps a model stays: the same words give other weights each time.
    """
    found: list[Superfluous] = []
    later: set[str] = set()
    for run in reversed(store.runs()):
        if run.state in ("broken", "damaged"):
            found.append(Superfluous(run, run.state))
        elif not run.problem and run.state != "running":
            asked = _asked(run.request)
            if asked in later and not _keeps_a_model(run):
                found.append(Superfluous(run, "superseded by a later run"))
            elif run.state == "finished":
                later.add(asked)
    return found[::-1]


def _keeps_a_model(run: Run) -> bool:
    return run.request.get("verb") == "train" and bool(text_models(run.path))


def _asked(request: dict[str, Any]) -> str:
    parts = [request[one] for one in ("name", "preset", "seed", "settings")]
    return json.dumps(parts, sort_keys=True)
