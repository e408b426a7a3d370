"""The verbs: `regard VERB …` parses, calls, prints."""

import argparse
import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import NoReturn

from regard.errors import RegardError, nearest

RUNS = "REGARD_RUNS"


class Parser(argparse.ArgumentParser):
    """Tells a mistake in three lines, with the nearest word."""

    def error(self, message: str) -> NoReturn:
        raise RegardError("the command cannot be read", message, f"'{self.prog} --help' shows how")



def parser() -> Parser:
    """Every verb with its words."""
    top = Parser(prog="regard", description="Attention: build it, look at it, check it.")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", parser_class=Parser)

    verb = verbs.add_parser("list", help="what there is to run; what was run; which checklist items are covered")
    verb.add_argument("--runs", action="store_true", help="list runs instead of experiments")
    verb.add_argument("--coverage", action="store_true", help="list the 93 checklist items with owner and state")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=list_)

    verb = verbs.add_parser("run", help="run an experiment by name, or a file of your own")
    verb.add_argument("experiment", help="a name from 'regard list', or a Python file that defines EXPERIMENT")
    verb.add_argument("--preset", default="quick", help="quick or full (default: quick)")
    verb.add_argument("--seed", type=int, default=0, help="where everything random starts (default: 0)")
    verb.add_argument("--minutes", type=float, default=inf, help="a budget; what it cuts off is not settled")
    verb.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="change a setting; 'regard show EXPERIMENT' lists them")
    verb.add_argument("--resume", metavar="RUN", help="take up a run that was stopped; settings and seed are its own")
    verb.set_defaults(do=run)

    verb = verbs.add_parser("book", help="run every experiment whose answer is not there yet, and write the lab book")
    verb.add_argument("--preset", default="quick", help="quick or full (default: quick)")
    verb.add_argument("--seed", type=int, default=0, help="where everything random starts (default: 0)")
    verb.add_argument("--out", type=Path, default=Path("book"), help="the folder to write to (default: book)")
    verb.add_argument("experiments", nargs="*", help="only these")
    verb.set_defaults(do=book)

    verb = verbs.add_parser("show", help="an experiment with its claims and settings, or a run with its numbers")
    verb.add_argument("name", help="an experiment or a run; of an experiment that was run, the newest run")
    verb.add_argument("--preset", default="quick", help="whose settings to show (default: quick)")
    verb.add_argument("--settings", action="store_true", help="the experiment's settings, even if it was run")
    verb.add_argument("--csv", action="store_true", help="print every measurement of the run as CSV")
    verb.set_defaults(do=show)

    verb = verbs.add_parser("diff", help="what differs between two runs")
    verb.add_argument("first")
    verb.add_argument("second")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=diff)

    verb = verbs.add_parser("bench", help="speed and memory beside named peers")
    verb.add_argument("comparisons", nargs="*", help="only these (default: all)")
    verb.add_argument("--folder", type=Path, default=Path("bench"), help="where the comparisons are (default: bench)")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=bench)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Do what the words say; 0 when done, 2 for a mistake told in three lines, 130 when stopped."""
    top = parser()
    try:
        arguments = top.parse_args(_known(top, list(sys.argv[1:] if words is None else words)))
        if not arguments.verb:
            top.print_help()
            return 0
        return arguments.do(arguments) or 0
    except RegardError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; what was measured is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _known(top: Parser, words: list[str]) -> list[str]:
    verbs = next(action.choices for action in top._actions if isinstance(action, argparse._SubParsersAction))
    if words and not words[0].startswith("-") and words[0] not in verbs:
        raise RegardError("no verb of that name", f"'{words[0]}'", nearest(words[0], verbs, f"the verbs are {', '.join(verbs)}"))
    return words


def _store():
    from regard.lab.store import Store

    return Store(Path(os.environ.get(RUNS, "runs")))


def _settings(experiment, preset: str):
    if preset not in experiment.presets:
        raise RegardError("no preset of that name", f"'{preset}'", nearest(preset, experiment.presets, f"the presets are {', '.join(experiment.presets)}"))
    return experiment.presets[preset]


def list_(arguments: argparse.Namespace) -> None:
    from regard.lab import registry, terminal
    from regard.lab.coverage import coverage
    from regard.lab.index import Index

    index = Index(_store())
    if arguments.coverage:
        items = coverage(registry.everything(), index)
        _print_json([asdict(one) for one in items]) if arguments.json else terminal.show_coverage(items)
    elif arguments.runs:
        entries = index.entries()
        _print_json([asdict(one) for one in entries]) if arguments.json else terminal.show_runs(entries)
    else:
        experiments = registry.everything()
        rows = [{"name": one.name, "question": one.question, "items": list(one.answers), "seconds": one.seconds} for one in experiments]
        _print_json(rows) if arguments.json else terminal.show_experiments(experiments)


def run(arguments: argparse.Namespace) -> int:
    from regard.lab import registry, settings, terminal
    from regard.lab.experiment import Session
    from regard.lab.runner import conduct, follow, go_on
    from regard.training.parallel import leads

    experiment, source = registry.find(arguments.experiment)
    earlier = _store().find(arguments.resume) if arguments.resume else None
    preset, changes = (earlier.asked["preset"], earlier.asked["changes"]) if earlier else (arguments.preset, arguments.set)
    chosen = settings.change(_settings(experiment, preset), changes)
    if not arguments.minutes > 0:
        raise RegardError("a budget is a positive number of minutes", f"{arguments.minutes:g}", "give more than 0, or leave it out")
    if not leads():
        with tempfile.TemporaryDirectory() as folder:
            seed = earlier.asked["seed"] if earlier else arguments.seed
            place = earlier.path if earlier else Path(folder)
            follow(experiment, chosen, Session(folder=place, seed=seed, deadline=time.monotonic() + 60 * arguments.minutes))
        return 0
    with terminal.Screen([experiment]) as screen:
        watch = screen.watch(experiment)
        if earlier:
            done = go_on(earlier, experiment, chosen, minutes=arguments.minutes, watch=watch)
        else:
            done = conduct(
                experiment, chosen, _store(), source=source, preset=preset, changes=changes, seed=arguments.seed,
                minutes=arguments.minutes, watch=watch,
            )  # fmt: skip
    terminal.show_outcome(done)
    return 130 if done.state == "stopped" else 0


def book(arguments: argparse.Namespace) -> int:
    from regard.lab import registry, terminal
    from regard.lab.book import bind, fill, plan

    store = _store()
    plans = plan(arguments.experiments or registry.names(), store, preset=arguments.preset, seed=arguments.seed)
    missing = [one.experiment for one in plans if not one.done]
    seconds = sum(one.seconds for one in missing)
    terminal.console.print(f"{len(missing)} to run (about {seconds:.0f} s), {len(plans) - len(missing)} unchanged")
    with terminal.Screen(missing) as screen:
        runs, problems = fill(plans, store, preset=arguments.preset, seed=arguments.seed, watch=screen.watch)
    place = bind(runs, problems, store, preset=arguments.preset, place=arguments.out)
    for problem in problems:
        terminal.console.print(f"[red]missing[/] {problem}")
    terminal.console.print(f"the book is {place}")
    return 1 if problems else 0


def show(arguments: argparse.Namespace) -> None:
    from regard.lab import registry, terminal

    store = _store()
    runs = {run.name for run in store.runs()} | {run.id for run in store.runs()}
    if arguments.name.endswith(".py") or arguments.settings or (arguments.name not in runs and arguments.name.replace("_", "-") in registry.names()):
        experiment, _ = registry.find(arguments.name)
        _settings(experiment, arguments.preset)
        return terminal.show_experiment(experiment, arguments.preset)
    found = store.find(arguments.name)
    if arguments.csv:
        rows = found.metrics()
        names = list(dict.fromkeys(name for row in rows for name in row))
        table = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        return None
    return terminal.show_run(found)


def diff(arguments: argparse.Namespace) -> None:
    from regard.lab import terminal
    from regard.lab.comparison import changes

    first, second = (_store().find(word) for word in (arguments.first, arguments.second))
    found = changes(first, second)
    _print_json([asdict(one) for one in found]) if arguments.json else terminal.show_changes(first, second, found)


def bench(arguments: argparse.Namespace) -> None:
    from regard.lab import terminal
    from regard.lab.bench import load, measure

    if not arguments.folder.is_dir():
        raise RegardError("no folder of comparisons", f"'{arguments.folder}'", "run it in a checkout of the project, or give --folder")
    known = load(arguments.folder)
    for name in arguments.comparisons:
        if name not in known:
            raise RegardError("no comparison of that name", f"'{name}'", nearest(name, known, f"there are {', '.join(known)}"))
    results = [one for name in arguments.comparisons or known for one in measure(known[name])]
    _print_json([asdict(one) for one in results]) if arguments.json else terminal.show_results(results)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1))
