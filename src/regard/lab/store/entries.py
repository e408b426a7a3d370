"""The runs of a store, each in a line: what `regard list --runs`, the coverage and the book look up."""

from dataclasses import dataclass

from regard.lab.store.run import Run
from regard.lab.store.runs import Store


@dataclass(frozen=True)
class RunEntry:
    """A run in a line."""

    id: str
    name: str
    preset: str
    key: str
    state: str
    started: str
    seconds: float | None
    held: int
    failed: int
    unsettled: int


def entries(store: Store) -> list[RunEntry]:
    """Every run, the oldest first. What cannot be read is listed, and counts for nothing."""
    return [_entry(run) for run in store.runs()]


def finished(store: Store) -> dict[str, RunEntry]:
    """The newest finished run of each key."""
    return {one.key: one for one in entries(store) if one.state == "finished"}


def _entry(run: Run) -> RunEntry:
    if run.problem:
        return RunEntry(run.id, run.name, "", "", run.state, "", None, 0, 0, 0)
    request, states = run.request, [one.state for one in run.verdicts]
    return RunEntry(
        run.id,
        run.name,
        request["preset"] + (" changed" if request["changes"] else ""),
        request["key"],
        run.state,
        request["started"],
        run.result["seconds"],
        *(states.count(state) for state in ("held", "failed", "not settled")),
    )
