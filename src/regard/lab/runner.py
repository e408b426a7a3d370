"""Runs an experiment: seeds, records what it yields, keeps to the budget, and settles its claims."""

import os
import random
import shutil
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from math import inf, isnan
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any

import numpy as np

from regard.claims import Claim, ClaimVerdict
from regard.errors import RegardError, Stopped, Unreachable
from regard.files import write
from regard.lab.book.report import page
from regard.lab.book.style import picture
from regard.lab.events import Event, FigureEvent, Kept, Metric, PairedMetric, ProgressEvent, TextEvent
from regard.lab.experiment import ORIGINAL, Context, Experiment
from regard.lab.settings import check, devices
from regard.lab.statistics import Summary, summarise
from regard.lab.store import fingerprint
from regard.lab.store.environment import environment
from regard.lab.store.job import job, processes
from regard.lab.store.resumption import (
    RESUMABLE,
    TAKEN_UP,
    require_experiment,
    require_unchanged,
    saved,
    since,
)
from regard.lab.store.run import REPORT, TRACEBACK, Run, State
from regard.lab.store.runs import Store
from regard.lab.store.writer import Writer

Watch = Callable[[Event], None]
NO_DATA = "without its data"
BRING = "'regard data NAME' fetches by name, 'regard data' lists what is here"


class StopRequest:
    """Whether a run was asked to stop, and by which signal."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None

    @property
    def reason(self) -> str:
        return f"stopped before its end by {self.signal.name if self.signal else 'nobody'}"


def seed_everything(seed: int) -> None:
    """Start Python's, numpy's and torch's generators from one seed."""
    import torch

    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def run(
    experiment: Experiment,
    settings: Any,
    store: Store,
    *,
    source: Path,
    preset: str,
    changes: Sequence[str] = (),
    seed: int = 0,
    minutes: float = inf,
    words: Sequence[str] = (),
    watch: Watch = lambda event: None,
) -> Run:
    """Run an experiment to its end, or to the end of its budget, and give the run that tells of it.

    `changes` are the words by which `settings` differ from the preset's; such a run answers for no item, but
    where it differs by its device alone. `words` are what follows a verb of its own, to run it again.
    """
    check(settings)
    parts = fingerprint.parts(settings, seed=seed, source=source)
    own = _own(settings, experiment.presets.get(preset))
    request = _request(experiment, own) | {"preset": preset, "changes": list(changes), "source": str(source)}
    request |= {"devices": devices(settings)} | ({"words": list(words)} if words else {})
    writer = store.create(experiment.name, preset, request | parts | {"key": fingerprint.digest(parts)})
    try:
        return _carry_out(experiment, settings, writer, minutes, watch)
    except RegardError:
        # A mistake that is told before anything was measured leaves nothing behind.
        if not Run(writer.path).lines and not (writer.path / TRACEBACK).exists():
            shutil.rmtree(writer.path, ignore_errors=True)
        raise


def resume(
    run: Run,
    experiment: Experiment,
    settings: Any,
    *,
    source: Path,
    accept: Sequence[str] = (),
    minutes: float = inf,
    watch: Watch = lambda event: None,
) -> Run:
    """Take up a run that was cut off: its folder, its log, and whatever its experiment has saved there.

    Experiment, settings, data and code must be those of its beginning; `accept` may hold 'code'.
    """
    if run.problem:
        raise run.problem
    if run.state not in RESUMABLE:
        raise RegardError(
            f"this run is {run.state}", run.id, "take up one that was stopped, or start anew without --resume"
        )
    require_experiment(run, experiment.name)
    changed = since(run, fingerprint.parts(settings, seed=run.request["seed"], source=source))
    require_unchanged(changed, accept)
    # One that saved nothing begins anew, and takes as long as it takes from there.
    before = (run.result["seconds"] or 0.0) if saved(run) else 0.0
    writer = Writer(run.path)
    if changed:
        said = "\n".join(f"{kind}: {told}" for kind, told in changed.items())
        writer.record(TextEvent(TAKEN_UP, said))
    return _carry_out(experiment, settings, writer, minutes, watch, before)


@contextmanager
def _under_way() -> Iterator[None]:
    """Ctrl-C in here leaves a run that is kept."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise Stopped from stop


@_under_way()
def _carry_out(
    experiment: Experiment,
    settings: Any,
    writer: Writer,
    minutes: float,
    watch: Watch,
    before: float = 0.0,
) -> Run:
    """Run an experiment, or the rest of it, to its verdicts; `before`: the seconds it has taken already."""
    began = time.monotonic()
    request = Run(writer.path).request
    context = Context(folder=writer.path, seed=request["seed"], deadline=began + 60 * minutes)
    state: State = "broken"
    reason = notice = ""
    try:
        seed_everything(context.seed)
        with _stopping(watch) as stop:
            state, reason = _drive(experiment.run(settings, context), context, writer, watch, stop)
    except Unreachable as error:
        # The notice tells it whole, once; a claim says no more than that there was no data.
        state, reason = "without data", NO_DATA
        notice = str(Unreachable(error.what, error.got, f"{error.fix}; {BRING}"))
    except RegardError as error:
        reason = error.what
        raise
    except KeyboardInterrupt:
        state, reason = "stopped", "stopped before its end"
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise _broken(error, writer.path) from error
    finally:
        missing = "" if minutes == inf else "not measured within the budget"
        verdicts = settle(
            experiment.claims,
            Run(writer.path).events,
            preset=request["preset"],
            cut=reason,
            missing=missing,
            own=_own(settings, experiment.presets.get(request["preset"])),
        )
        with closing(writer):
            seconds = before + time.monotonic() - began
            writer.finish(state, verdicts, seconds=seconds, error=notice or reason)
    run = Run(writer.path)
    write(run.path / REPORT, page(run))
    return run


def follow(experiment: Experiment, settings: Any, context: Context) -> None:
    """Run an experiment and keep nothing: under torchrun, what all ranks but the first do."""
    seed_everything(context.seed)
    with _stopping(lambda event: None) as stop:
        for _ in experiment.run(settings, context):
            if stop.signal or context.left() <= 0:
                return


def _drive(
    events: Iterator[Event], context: Context, writer: Writer, watch: Watch, stop: StopRequest
) -> tuple[State, str]:
    """Record what comes until it ends, the budget ends, or a person stops it; say which."""
    try:
        for event in events:
            if isinstance(event, FigureEvent):
                writer.draw(event.name, picture(event.figure), event.caption)
            elif isinstance(event, ProgressEvent):
                writer.progress(event)
            else:
                writer.record(event)
            watch(event)
            if stop.signal:
                return "stopped", stop.reason
            if context.left() <= 0:
                return "out of time", "the budget ended first"
        return "finished", ""
    finally:
        # An experiment that is cut off saves what it has before the run is settled.
        getattr(events, "close", lambda: None)()


def settle(
    claims: Sequence[Claim],
    events: Sequence[Kept],
    *,
    preset: str,
    cut: str = "",
    missing: str = "",
    own: Mapping[str, Any] = MappingProxyType({}),
) -> list[ClaimVerdict]:
    """A verdict on each claim. What was cut off, or is too small a run, settles nothing.

    `own` are the settings that differ from the preset's: of data that a person brings, a claim about the
    original data says nothing, however long the run is.
    """
    return [
        claim.settle(None, reason=f"{ORIGINAL}; this run has {claim.data}={own[claim.data]}")
        if claim.data in own and cut != NO_DATA
        else _verdict(claim, events, preset, cut, missing)
        for claim in claims
    ]


def _own(settings: Any, preset: Any) -> dict[str, Any]:
    """The settings that are not those of the preset."""
    if not (is_dataclass(settings) and is_dataclass(preset)):
        return {}
    pairs = {
        one.name: (getattr(settings, one.name), getattr(preset, one.name, None)) for one in fields(settings)
    }
    return {name: value for name, (value, before) in pairs.items() if value != before}


def _verdict(claim: Claim, events: Sequence[Kept], preset: str, cut: str, missing: str) -> ClaimVerdict:
    if cut:
        return claim.settle(None, reason=cut)
    if claim.preset == "full" and preset != "full":
        return claim.settle(None, reason="only the full preset settles it")
    for event in events:
        if isinstance(event, PairedMetric) and event.name == claim.name:
            return _paired(claim, event)
    found = [
        event for event in events if isinstance(event, Metric) and event.name == claim.name and not event.at
    ]
    if not found:
        return claim.settle(None, reason=missing)
    if found[0].seed is None:
        return claim.settle(found[0].value, reason=_no_number([found[0].value]))
    return _settled(claim, summarise([one.value for one in found]), _no_number([one.value for one in found]))


def _paired(claim: Claim, event: PairedMetric) -> ClaimVerdict:
    return _settled(claim, event.difference, _no_number([*event.first.values(), *event.second.values()]))


def _settled(claim: Claim, mean: Summary, reason: str) -> ClaimVerdict:
    """A mean over seeds is settled by its interval; without one, in words."""
    if mean.count < 2 and not reason:
        return ClaimVerdict(claim, "not settled", mean.mean, "one seed has no interval: it needs two or more")
    return claim.settle(mean.mean, interval=(mean.low, mean.high), reason=reason)


def _no_number(values: Sequence[float]) -> str:
    lost = sum(isnan(value) for value in values)
    return (
        f"{lost} of {len(values)} measured values {'is' if lost == 1 else 'are'} not a number" if lost else ""
    )


@contextmanager
def _stopping(watch: Watch) -> Iterator[StopRequest]:
    """The first Ctrl-C or SIGTERM asks the run to stop at its next step; the second stops it at once."""
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.signal:
            raise KeyboardInterrupt
        stop.signal = signal.Signals(number)
        watch(ProgressEvent("stopping at the next step; Ctrl-C again stops at once", -1.0))

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _broken(error: Exception, folder: Path) -> RegardError:
    write(folder / TRACEBACK, "".join(traceback.format_exception(error)))
    place = traceback.extract_tb(error.__traceback__)[-1]
    return RegardError(
        "the experiment stopped with an error",
        f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})",
        f"the whole story is in {folder / TRACEBACK}",
    )


def _request(experiment: Experiment, own: Mapping[str, Any]) -> dict[str, Any]:
    """All that the report needs of the experiment, so that a run can be read when its file is gone."""
    words = experiment.own if experiment.own and experiment.own.data in own else None
    return (
        {
            "name": experiment.name,
            "verb": experiment.verb,
            "started": datetime.now().astimezone().isoformat(timespec="microseconds"),
            "process": os.getpid(),
            "environment": environment(),
            "title": words.question if words else experiment.title,
            "question": words.question if words else experiment.question,
            "method": (words and words.method) or experiment.method,
            "see": (words and words.see) or experiment.see,
            "correction": experiment.correction,
            "chapter": experiment.chapter,
            "answers": list(experiment.answers),
            "opens_with": list(experiment.opens_with),
            "claims": [claim.plain() for claim in experiment.claims],
        }
        | ({"job": job(), "torchrun": processes()} if job() else {})
        | ({"own": words.data, "idea": words.idea} if words else {})
    )
