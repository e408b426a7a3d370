"""One experiment under many seeds: a run of its own for each, and their merged summary.

The seed of a run is `Context.seed`; an experiment that repeats itself inside a run (`--set seeds=3`) derives
those repeats from it, so that two runs share none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from regard.claims import Claim, State
from regard.lab.book.report import ReportedNumber, numbers
from regard.lab.experiment import Experiment, is_of_original
from regard.lab.fanout.dispatcher import Task
from regard.lab.fanout.order import make_task
from regard.lab.fanout.spread import runs_of
from regard.lab.settings import check
from regard.lab.statistics import summarise
from regard.lab.store import fingerprint
from regard.lab.store.run import Run
from regard.lab.store.runs import Store


@dataclass(frozen=True)
class ClaimCount:
    """How often a claim held, failed, or was not settled."""

    claim: Claim
    counts: Mapping[State, int]


@dataclass(frozen=True)
class SeedSummary:
    """What many runs of one experiment say together; only runs that finished count."""

    experiment: Experiment
    runs: Mapping[int, Run]
    "By seed."
    missing: Mapping[int, str]
    "By seed: why there is no finished run."
    numbers: Sequence[ReportedNumber]
    "Over the runs: mean, spread and 95 % interval of each run's own mean."
    claims: Sequence[ClaimCount]

    @property
    def seedless(self) -> bool:
        """Whether several runs measured the same to the last digit."""
        return len(self.runs) > 1 and all(one.summary.low == one.summary.high for one in self.numbers)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "name": self.experiment.name,
            "seeds": {str(seed): run.id for seed, run in self.runs.items()},
            "missing": {str(seed): why for seed, why in self.missing.items()},
            "numbers": [{"name": one.name, "what": one.what, **asdict(one.summary)} for one in self.numbers],
            "claims": [
                {**one.claim.plain(), "band": one.claim.band, "counts": dict(one.counts)}
                for one in self.claims
            ],
        }


@dataclass(frozen=True, kw_only=True)
class SeedPlan:
    """What is asked: an experiment with its settings, under these seeds."""

    experiment: Experiment
    source: Path
    settings: Any
    preset: str
    changes: Sequence[str]
    seeds: Sequence[int]
    minutes: float = inf

    @cached_property
    def keys(self) -> dict[int, str]:
        """The key of each seed's run, as settings, code and data were when it was first asked for."""
        check(self.settings)
        parts = fingerprint.parts(self.settings, seed=0, source=self.source)
        return {seed: fingerprint.digest(parts | {"seed": seed}) for seed in self.seeds}

    def missing(self, store: Store) -> list[Task]:
        """A task for each seed that has no finished run."""
        runs = runs_of(store, self.keys.values())
        done = {key for key, run in runs.items() if run.state == "finished"}
        words: dict[str, Any] = {
            "preset": self.preset, "changes": list(self.changes), "minutes": self.minutes,
        }  # fmt: skip
        return [
            make_task(self.experiment, self.source, key=key, seed=seed, **words)
            for seed, key in self.keys.items()
            if key not in done
        ]

    def merged(self, store: Store, problems: Mapping[str, str]) -> SeedSummary:
        """The summary of the runs that are there; `problems` says by key why others are not."""
        found = runs_of(store, self.keys.values())
        runs = {seed: found[key] for seed, key in self.keys.items() if _finished(found.get(key))}
        missing = {
            seed: problems.get(key) or (found[key].state if key in found else "not run")
            for seed, key in self.keys.items()
            if seed not in runs
        }
        return SeedSummary(self.experiment, runs, missing, _numbers(runs), _claims(self.experiment, runs))


def _finished(run: Run | None) -> bool:
    return run is not None and run.state == "finished"


def _numbers(runs: Mapping[int, Run]) -> list[ReportedNumber]:
    """Each measured number over the runs: of a run that measured it several times, its mean."""
    values: dict[str, list[float]] = {}
    inside: dict[str, str] = {}
    for run in runs.values():
        for one in numbers(run):
            values.setdefault(one.name, []).append(one.summary.mean)
            inside[one.name] = one.what
    return [
        ReportedNumber(name, summarise(found), f"over {len(found)} runs, in each {inside[name]}")
        for name, found in values.items()
    ]


def _claims(experiment: Experiment, runs: Mapping[int, Run]) -> list[ClaimCount]:
    """What came of each claim that was asked: of a person's own data, those about the original are not."""
    states: dict[str, list[State]] = {claim.name: [] for claim in experiment.claims}
    for run in runs.values():
        for one in run.verdicts:
            if is_of_original(one):
                states.pop(one.claim.name, None)
            else:
                states[one.claim.name].append(one.state)
    every: tuple[State, ...] = ("held", "failed", "not settled")
    return [
        ClaimCount(claim, {state: states[claim.name].count(state) for state in every})
        for claim in experiment.claims
        if claim.name in states
    ]
