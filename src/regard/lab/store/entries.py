"""The runs of a store, each in a line: what `regard list --runs`, the coverage and the book look up."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from regard.claims import ClaimVerdict, State
from regard.lab.experiment import is_of_original
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
    "Without the claims about original data that were not asked of a person's own."
    items: dict[int, State] = field(default_factory=dict)
    "The checklist items that its claims settle, and what came of each."
    claims: dict[str, State] = field(default_factory=dict)
    "What came of each claim."
    told: str = ""
    "What sets it apart from others of its name: changes and seed; of a training its texts, size and loss."


def entries(store: Store) -> list[RunEntry]:
    """Every run, the oldest first. What cannot be read is listed, and counts for nothing."""
    return [_entry(run) for run in store.runs()]


def finished(store: Store) -> dict[str, RunEntry]:
    """The newest finished run of each key."""
    return {one.key: one for one in entries(store) if one.state == "finished"}


def _entry(run: Run) -> RunEntry:
    if run.problem:
        return RunEntry(run.id, run.name, "", "", run.state, "", None, 0, 0, 0)
    request, states = run.request, [one.state for one in run.verdicts if not is_of_original(one)]
    return RunEntry(
        run.id,
        run.name,
        request["preset"] + (" changed" if run.resized else ""),
        request["key"],
        run.state,
        request["started"],
        run.result["seconds"],
        *(states.count(state) for state in ("held", "failed", "not settled")),
        items=settled_items(run.verdicts),
        claims={one.claim.name: one.state for one in run.verdicts},
        told=_told(run),
    )


def _told(run: Run) -> str:
    """What sets a run apart from others of its name."""
    request = run.request
    own = _training(run) if request.get("verb") == "train" else request["changes"]
    seed = [f"seed {request['seed']}"] if request.get("seed") else []
    return ", ".join([*own, *seed])


def _training(run: Run) -> list[str]:
    """By what one training differs from another."""
    settings = run.request["settings"]
    texts, tokenizer = (
        [Path(one["path"] if isinstance(one, dict) else one).name for one in found]
        for found in (settings["texts"], [settings["tokenizer"]])
    )
    if settings.get("start"):
        tokenizer = [f"from {Path(settings['start']).name}"]
    elif tokenizer == ["given"]:
        tokenizer = ["the file's tokenizer"]
    more = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
    model = settings["recipe"]["model"]
    found = [one.value for one in run.measured if one.name == "held-out loss of the best checkpoint"]
    loss = [f"held-out loss {found[0]:.4f}"] if found else []
    size = f"{model['depth']} layer{'' if model['depth'] == 1 else 's'} of width {model['width']}"
    return [texts[0] + more, *tokenizer, size, *loss]


def settled_items(verdicts: Iterable[ClaimVerdict]) -> dict[int, State]:
    """An item is held when all its claims are held, failed when one failed, not settled otherwise."""
    states: dict[int, set[State]] = {}
    for one in verdicts:
        for item in one.claim.items:
            states.setdefault(item, set()).add(one.state)
    return {
        item: "failed" if "failed" in found else "held" if found == {"held"} else "not settled"
        for item, found in states.items()
    }
