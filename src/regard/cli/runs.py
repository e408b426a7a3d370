"""Verbs about runs: run, show, diff, remove, prune, book. Torch is loaded verb by verb, never by --help."""

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from regard.cli.fanout import fill_on, run_seeds
from regard.cli.output import print_json
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.lab.store.run import Run
    from regard.lab.store.runs import Store

QUICK = "quick"
STOPPED = {"SIGINT": 130, "SIGTERM": 143}
"Exit codes of a run that was asked to stop."


def store() -> "Store":
    """Where the runs are."""
    from regard.lab.store.runs import here

    return here()


@contextmanager
def chosen(word: str, found: "Run") -> Iterator[None]:
    """What fails inside tells which run was taken, where a name chose one of several."""
    try:
        yield
    except RegardError as error:
        named = _named(word, found)
        if named < 2:
            raise
        when = found.request["started"][:16].replace("T", " ")
        got = f"{error.got}; '{word}' is here {found.id} of {when}, one of {named}"
        raise type(error)(error.what, got, error.fix) from error


def _named(word: str, found: "Run") -> int:
    """How many runs a word may mean: those of a name; else this one."""
    runs = store().runs() if word.replace("_", "-") == found.name else [found]
    return sum(one.name == found.name for one in runs)


def run(arguments: argparse.Namespace) -> int:
    from regard.lab import console as terminal
    from regard.lab import registry, settings
    from regard.lab.runner import resume, run
    from regard.lab.store.job import begun
    from regard.lab.store.resumption import RESUMABLE, require_experiment
    from regard.lab.store.runs import Wanted
    from regard.training.parallel import is_main

    _require_sense(arguments)
    if arguments.seeds is not None:
        return run_seeds(arguments, store())
    unfinished = Wanted("can be taken up", lambda run: not is_main() or run.state in RESUMABLE)
    experiment, source = registry.find(arguments.experiment)
    earlier = begun(store()) if arguments.resume is None else store().find(arguments.resume, unfinished)
    if earlier and earlier.state == "finished" and arguments.resume is None:
        return 0
    preset = QUICK if arguments.preset is None else arguments.preset
    asked = earlier.request if earlier else {"preset": preset, "changes": arguments.set}
    if earlier:
        require_experiment(earlier, experiment.name)
    base, changes = settings.choose(experiment.presets, asked["preset"]), asked["changes"]
    if arguments.resume is not None and arguments.set:
        changes = settings.moved(
            changes, arguments.set, settings.devices(base), "a run is taken up as it was"
        )
    chosen = settings.change(base, changes)
    if not is_main():
        return _follow(arguments, experiment, chosen, earlier)
    if earlier and not arguments.json:
        terminal.show_taken_up(earlier)
    with _screen(arguments, [experiment]) as screen:
        words = {"source": source, "minutes": arguments.minutes, "watch": screen.watch(experiment)}
        if earlier:
            done = resume(earlier, experiment, chosen, accept=arguments.accept, **words)
        else:
            words |= {"preset": asked["preset"], "changes": arguments.set, "seed": arguments.seed or 0}
            done = run(experiment, chosen, store(), **words)
    print_json(told(done)) if arguments.json else terminal.show_outcome(done)
    return exit_code(done)


def exit_code(done: "Run") -> int:
    """0, or that of the signal that stopped a run."""
    return STOPPED.get(done.result["error"].rpartition(" ")[2], 130) if done.state == "stopped" else 0


def _require_sense(arguments: argparse.Namespace) -> None:
    """Refuse words that would do nothing beside the others."""
    if arguments.on is not None and arguments.seeds is None:
        raise RegardError(
            "--on spreads the runs of several seeds", f"--on {arguments.on}", "add --seeds, or leave it out"
        )
    if arguments.seeds is not None and arguments.resume is not None:
        raise RegardError(
            "--seeds makes runs of its own",
            f"--resume {arguments.resume}",
            "leave out one of them: --seeds goes on with what is missing by itself",
        )
    if arguments.accept and arguments.resume is None:
        raise RegardError("--accept has no effect without --resume", "--accept code", "leave it out")
    for name in ("preset", "seed"):
        if arguments.resume is not None and getattr(arguments, name) not in (None, []):
            raise RegardError(
                f"--{name} has no effect with --resume",
                f"--resume {arguments.resume}",
                "leave it out: the run has settings and a seed of its own",
            )


def _screen(arguments: argparse.Namespace, experiments: Sequence[Any]) -> Any:
    """Progress, unless what is printed is for a program."""
    from regard.lab.console import Screen

    if arguments.json:
        return nullcontext(SimpleNamespace(watch=lambda experiment: lambda event: None))
    return Screen(experiments)


def _follow(arguments: argparse.Namespace, experiment: Any, chosen: Any, earlier: "Run | None") -> int:
    """Under torchrun, what all ranks but the first do."""
    from regard.lab.experiment import Context
    from regard.lab.runner import follow

    with tempfile.TemporaryDirectory() as folder:
        seed = earlier.request["seed"] if earlier else arguments.seed or 0
        deadline = time.monotonic() + 60 * arguments.minutes
        follow(experiment, chosen, Context(folder=Path(folder), seed=seed, deadline=deadline))
    return 0


def book(arguments: argparse.Namespace) -> int:
    from regard.lab import console as terminal
    from regard.lab import registry
    from regard.lab.book.book import bind, fill, gather, plan
    from regard.lab.book.site.output import COVER, require_place
    from regard.lab.book.site.pages import files, paths, single
    from regard.lab.store.job import leave_job

    if not leave_job():
        return 0
    require_place(arguments.out)
    words = {"preset": arguments.preset, "seed": arguments.seed}
    plans = plan(arguments.experiments or registry.names(), store(), **words)
    names = [one.experiment.name for one in plans]
    require_place(arguments.out, [COVER] if arguments.single else paths(names))
    missing = [one.experiment for one in plans if not one.done]
    seconds = sum(one.seconds for one in missing)
    if not arguments.json:
        terminal.console.print(
            f"{len(missing)} to run (about {seconds:.0f} s), {len(plans) - len(missing)} unchanged"
        )
    if arguments.on is not None:
        runs, problems = fill_on(arguments, plans, store())
    else:
        with _screen(arguments, missing) as screen:
            runs, problems = fill(plans, store(), **words, watch=screen.watch)
    contents = gather(plans, runs, problems, store(), preset=arguments.preset)
    place = bind(contents, arguments.out, as_files=single if arguments.single else files)
    if arguments.json:
        print_json({"book": str(place), "runs": [told(one) for one in runs], "missing": problems})
    else:
        for problem in problems:
            terminal.console.print(f"[red]missing[/] {problem}")
        terminal.console.print(f"the book is {place}")
    return 1 if problems else 0


def show(arguments: argparse.Namespace) -> None:
    from regard.lab import console as terminal
    from regard.lab import registry
    from regard.lab.store.runs import ANYTHING, Wanted

    name = arguments.name.replace("_", "-")
    # A run that is damaged has no numbers, and says so where they are asked for.
    ran = any(one.name == name and (arguments.csv or not one.problem) for one in store().runs())
    if arguments.name.endswith(".py") or arguments.settings or (name in registry.names() and not ran):
        return _show_experiment(arguments)
    if arguments.preset is not None:
        raise RegardError(
            "--preset has no effect on a run", arguments.name, "leave it out, or add --settings"
        )
    measured = Wanted("has measured anything", lambda run: bool(run.metrics()))
    found = store().find(arguments.name, measured if arguments.csv else ANYTHING)
    if arguments.json:
        return print_json(told(found))
    if arguments.csv:
        return _print_csv(found)
    return terminal.show_run(found)


def _show_experiment(arguments: argparse.Namespace) -> None:
    from regard.lab import console as terminal
    from regard.lab import registry
    from regard.lab.settings import choose, listing

    if arguments.csv:
        raise RegardError(
            "an experiment has no measurements", f"'{arguments.name}'", "run it, then name the run"
        )
    experiment, _ = registry.find(arguments.name)
    preset = QUICK if arguments.preset is None else arguments.preset
    settings = choose(experiment.presets, preset)
    if not arguments.json:
        # A file is run by its path.
        called = arguments.name if arguments.name.endswith(".py") else experiment.name
        return terminal.show_experiment(replace(experiment, name=called), preset)
    return print_json(
        {
            "name": experiment.name,
            "question": experiment.question,
            "method": experiment.method,
            "claims": [one.plain() | {"band": one.band} for one in experiment.claims],
            "preset": preset,
            "settings": {name: {"value": value, "what": said} for name, value, said in listing(settings)},
        }
    )


def _print_csv(run: "Run") -> None:
    rows = run.metrics()
    if not rows:
        raise RegardError("this run has measured nothing", f"{run.id} is {run.state}", "name another run")
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = csv.DictWriter(sys.stdout, names, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)


def diff(arguments: argparse.Namespace) -> None:
    from regard.lab import console as terminal
    from regard.lab.store.diff import changes

    first, second = (store().find(word) for word in (arguments.first, arguments.second))
    found = changes(first, second)
    if arguments.json:
        return print_json([asdict(one) for one in found])
    return terminal.show_changes(first, second, found)


def remove(arguments: argparse.Namespace) -> None:
    found = [(store().meant(word), word) for word in arguments.runs]
    _remove(arguments, list({run.path: (run, _state(word, run)) for run, word in found}.values()))


def _state(word: str, run: "Run") -> str:
    """A run's state; where a name chose it, of how many."""
    named = _named(word, run)
    rest = f"one of {named} runs of {run.name}; 'regard list --runs' shows the others"
    return run.state if named < 2 else f"{run.state}, {rest}"


def prune(arguments: argparse.Namespace) -> None:
    from regard.lab.store.prune import superfluous

    found = [(one.run, one.reason) for one in superfluous(store())]
    if found or arguments.json:
        return _remove(arguments, found)
    return print("nothing to prune: no run is broken, damaged or superseded")


def _remove(arguments: argparse.Namespace, runs: "list[tuple[Run, str]]") -> None:
    """Remove runs; without --yes, ask a person first."""
    rows = [{"run": run.id, "path": str(run.path), "reason": reason} for run, reason in runs]
    if not arguments.json:
        for row in rows:
            print(f"{row['run']}  ({row['reason']})")
    if not arguments.yes and rows and not _agreed(len(rows)):
        return print("nothing was removed")
    for run, _ in runs:
        store().remove(run)
    return print_json(rows) if arguments.json else print(f"removed {len(rows)}")


def _agreed(count: int) -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        raise RegardError(
            "removing asks first, and an answer counts from a terminal alone",
            f"{count} to remove",
            "add --yes to go on",
        )
    print(f"remove {'this' if count == 1 else f'these {count}'} for good? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def told(run: "Run") -> dict[str, Any]:
    """A run as JSON has it."""
    from regard.lab.answer import opening
    from regard.lab.book.report import numbers
    from regard.lab.store.run import REPORT

    request, result = run.request, run.result
    claims = [
        {
            **one.claim.plain(),
            "band": one.claim.band,
            "state": one.state,
            "value": one.value,
            "reason": one.reason,
        }
        for one in run.verdicts
    ]
    asked = {name: request[name] for name in ("name", "preset", "changes", "seed", "started", "settings")}
    return {
        "id": run.id,
        "path": str(run.path),
        **asked,
        "state": run.state,
        "seconds": result["seconds"],
        "error": result["error"],
        "answer": opening(run),
        "claims": claims,
        "numbers": [{"name": one.name, "what": one.what, **asdict(one.summary)} for one in numbers(run)],
        "report": str(run.path / REPORT),
    }
