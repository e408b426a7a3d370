"""Fan-out on the command line: `run --seeds N --on WHERE` and `book --on WHERE`."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regard.cli.output import print_json

if TYPE_CHECKING:
    from regard.lab.book.book import BookEntry
    from regard.lab.fanout.dispatcher import Tally, Task
    from regard.lab.store.run import Run
    from regard.lab.store.runs import Store

PROCESSES = "processes"


def run_seeds(arguments: argparse.Namespace, store: "Store") -> int:
    """Make the runs that are missing and sum all up; 1 where a seed has no finished run."""
    from regard.lab import registry, settings
    from regard.lab.fanout.screen import show_seeds
    from regard.lab.fanout.seeds import SeedPlan
    from regard.lab.store.job import leave_job

    if not leave_job():
        return 0
    experiment, source = registry.find(arguments.experiment)
    preset, first = arguments.preset or "quick", arguments.seed or 0
    plan = SeedPlan(
        experiment=experiment,
        source=source,
        settings=settings.change(settings.choose(experiment.presets, preset), arguments.set),
        preset=preset,
        changes=arguments.set,
        seeds=range(first, first + arguments.seeds),
        minutes=arguments.minutes,
    )
    tally = _spread(arguments, plan.missing(store), store, arguments.seeds)
    summary = plan.merged(store, tally.problems)
    if arguments.json:
        print_json(summary.plain() | {"workers_lost": tally.lost, "answers_not_kept": tally.again})
    else:
        show_seeds(summary)
    return 1 if summary.missing else 0


def fill_on(
    arguments: argparse.Namespace, plans: "Sequence[BookEntry]", store: "Store"
) -> "tuple[list[Run], list[str]]":
    """What `fill` does, several runs at a time: the runs of a book, and a sentence for each missing one."""
    from regard.lab.fanout.order import make_task
    from regard.lab.fanout.spread import runs_of

    words: dict[str, Any] = {"preset": arguments.preset, "changes": [], "seed": arguments.seed}
    tasks = [make_task(one.experiment, one.source, key=one.key, **words) for one in plans if not one.done]
    tally = _spread(arguments, tasks, store, len(plans))
    found = runs_of(store, [one.key for one in plans])
    problems = [
        f"{one.experiment.name}: {tally.problems[one.key]}" for one in plans if one.key in tally.problems
    ]
    return [found[one.key] for one in plans if one.key in found and one.key not in tally.problems], problems


def _spread(arguments: argparse.Namespace, tasks: "Sequence[Task]", store: "Store", asked: int) -> "Tally":
    from regard.lab.console import console
    from regard.lab.fanout.places import parse
    from regard.lab.fanout.screen import FanoutScreen
    from regard.lab.fanout.spread import spread

    on = arguments.on or PROCESSES
    parse(on)
    if arguments.json:
        return spread(tasks, store, on, _nothing)
    console.print(f"{len(tasks)} to run on {on}, {asked - len(tasks)} finished before", soft_wrap=True)
    with FanoutScreen(len(tasks)) as screen:
        return spread(tasks, store, on, screen.see)


def _nothing(dispatcher: Any) -> None:
    """What a program sees of the view."""
