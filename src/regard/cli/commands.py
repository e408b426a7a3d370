"""What each verb does: it takes the words, calls, prints. Torch is loaded verb by verb, never by --help."""

import argparse
import csv
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from regard.errors import RegardError, nearest

RUNS = "REGARD_RUNS"
STOPPED = {"SIGINT": 130, "SIGTERM": 143}
"Exit codes of a run that was asked to stop."


def _store():
    from regard.lab.store.runs import Store

    return Store(Path(os.environ.get(RUNS, "runs")))


def _settings(experiment, preset: str):
    if preset not in experiment.presets:
        raise RegardError(
            "no preset of that name",
            f"'{preset}'",
            nearest(preset, experiment.presets, f"the presets are {', '.join(experiment.presets)}"),
        )
    return experiment.presets[preset]


def list_(arguments: argparse.Namespace) -> None:
    from regard.lab import console as terminal
    from regard.lab import registry
    from regard.lab.book.coverage import coverage
    from regard.lab.store.index import RunIndex

    index = RunIndex(_store())
    if arguments.coverage:
        items = coverage(registry.everything(), index)
        _print_json([asdict(one) for one in items]) if arguments.json else terminal.show_coverage(items)
    elif arguments.runs:
        entries = index.entries()
        _print_json([asdict(one) for one in entries]) if arguments.json else terminal.show_runs(entries)
    else:
        experiments = registry.everything()
        rows = [
            {"name": one.name, "question": one.question, "items": list(one.answers), "seconds": one.seconds}
            for one in experiments
        ]
        _print_json(rows) if arguments.json else terminal.show_experiments(experiments)


def run(arguments: argparse.Namespace) -> int:
    from regard.lab import console as terminal
    from regard.lab import registry, settings
    from regard.lab.experiment import Context
    from regard.lab.runner import follow, resume, run
    from regard.training.parallel import is_main

    experiment, source = registry.find(arguments.experiment)
    earlier = _store().find(arguments.resume) if arguments.resume else None
    preset, changes = (
        (earlier.request["preset"], earlier.request["changes"])
        if earlier
        else (arguments.preset, arguments.set)
    )
    chosen = settings.change(_settings(experiment, preset), changes)
    if not arguments.minutes > 0:
        raise RegardError(
            "a budget is a positive number of minutes",
            f"{arguments.minutes:g}",
            "give more than 0, or leave it out",
        )
    if not is_main():
        with tempfile.TemporaryDirectory() as folder:
            seed = earlier.request["seed"] if earlier else arguments.seed
            place = earlier.path if earlier else Path(folder)
            follow(
                experiment,
                chosen,
                Context(folder=place, seed=seed, deadline=time.monotonic() + 60 * arguments.minutes),
            )
        return 0
    with terminal.Screen([experiment]) as screen:
        watch = screen.watch(experiment)
        if earlier:
            done = resume(earlier, experiment, chosen, minutes=arguments.minutes, watch=watch)
        else:
            done = run(
                experiment,
                chosen,
                _store(),
                source=source,
                preset=preset,
                changes=changes,
                seed=arguments.seed,
                minutes=arguments.minutes,
                watch=watch,
            )
    terminal.show_outcome(done)
    return STOPPED.get(done.result["error"].rpartition(" ")[2], 130) if done.state == "stopped" else 0


def book(arguments: argparse.Namespace) -> int:
    from regard.lab import console as terminal
    from regard.lab import registry
    from regard.lab.book.book import bind, fill, plan

    store = _store()
    plans = plan(
        arguments.experiments or registry.names(), store, preset=arguments.preset, seed=arguments.seed
    )
    missing = [one.experiment for one in plans if not one.done]
    seconds = sum(one.seconds for one in missing)
    terminal.console.print(
        f"{len(missing)} to run (about {seconds:.0f} s), {len(plans) - len(missing)} unchanged"
    )
    with terminal.Screen(missing) as screen:
        runs, problems = fill(plans, store, preset=arguments.preset, seed=arguments.seed, watch=screen.watch)
    place = bind(runs, problems, store, preset=arguments.preset, place=arguments.out)
    for problem in problems:
        terminal.console.print(f"[red]missing[/] {problem}")
    terminal.console.print(f"the book is {place}")
    return 1 if problems else 0


def show(arguments: argparse.Namespace) -> None:
    from regard.lab import console as terminal
    from regard.lab import registry

    store = _store()
    runs = {run.name for run in store.runs()} | {run.id for run in store.runs()}
    if (
        arguments.name.endswith(".py")
        or arguments.settings
        or (arguments.name not in runs and arguments.name.replace("_", "-") in registry.names())
    ):
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
    from regard.lab import console as terminal
    from regard.lab.store.diff import changes

    first, second = (_store().find(word) for word in (arguments.first, arguments.second))
    found = changes(first, second)
    _print_json([asdict(one) for one in found]) if arguments.json else terminal.show_changes(
        first, second, found
    )


def bench(arguments: argparse.Namespace) -> None:
    from regard.lab import console as terminal
    from regard.lab.bench import load, measure

    if not arguments.folder.is_dir():
        raise RegardError(
            "no folder of comparisons",
            f"'{arguments.folder}'",
            "run it in a checkout of the project, or give --folder",
        )
    known = load(arguments.folder)
    for name in arguments.comparisons:
        if name not in known:
            raise RegardError(
                "no comparison of that name",
                f"'{name}'",
                nearest(name, known, f"there are {', '.join(known)}"),
            )
    results = [one for name in arguments.comparisons or known for one in measure(known[name])]
    _print_json([asdict(one) for one in results]) if arguments.json else terminal.show_results(results)


def prove(arguments: argparse.Namespace) -> int:
    from regard.lab import console as terminal
    from regard.theory import library
    from regard.theory.theorem import prove

    chosen = [library.find(name) for name in arguments.theorems] or library.everything()
    proofs = [prove(one, seed=arguments.seed) for one in chosen]
    if arguments.json:
        _print_json([one.plain() for one in proofs])
    elif arguments.theorems:
        for one in proofs:
            terminal.show_proof(one)
    else:
        terminal.show_proofs(proofs)
    return 1 if any(one.failed for one in proofs) else 0


def start(arguments: argparse.Namespace) -> None:
    from regard.checker import start

    path = start(arguments.contract, arguments.folder)
    print(f"{path} is there: fill it in, then: regard check {path}")


def _progress(seconds: float = 10.0) -> Callable[[str], None]:
    """Says how far something is: in a terminal one line, written over; elsewhere a line now and then."""
    last = time.monotonic()

    def tell(words: str) -> None:
        nonlocal last
        if sys.stderr.isatty():
            print(f"\r\x1b[2K{words}", end="", file=sys.stderr, flush=True)
        elif words and time.monotonic() - last >= seconds:
            print(words, file=sys.stderr, flush=True)
            last = time.monotonic()

    return tell


def check(arguments: argparse.Namespace) -> int:
    from regard.checker import check, mapping, page, selftest

    if arguments.page:
        print(page(arguments.page))
        return 0
    if arguments.selftest:
        jobs = (os.cpu_count() or 1) if arguments.jobs is None else arguments.jobs
        tell = _progress()
        figures = selftest(Path(arguments.target or "tests/checker"), jobs=jobs, tell=tell)
        tell("")
        _print_json(figures.plain()) if arguments.json else print(*figures.lines(), sep="\n")
        return 0 if all(one.right for one in figures.outcomes) else 1
    if arguments.target is None:
        raise RegardError("there is nothing to check", "no file", "regard check FILE.py, or FILE.py:Name")
    wishes = {
        "level": arguments.level,
        "map": mapping(arguments.map),
        "strict": arguments.strict,
        "conventions": tuple(arguments.convention),
        "make": arguments.make,
        "call": arguments.call,
    }
    if Path(arguments.target).is_dir():
        return _check_folder(arguments, wishes)
    report = check(arguments.target, contract=arguments.contract, **wishes)
    _print_json(report.plain()) if arguments.json else print(report)
    return report.code


def _check_folder(arguments: argparse.Namespace, wishes: dict[str, Any]) -> int:
    from regard.checker import check, survey

    wanted = [one for one in survey(Path(arguments.target)) if arguments.contract in (None, one.contract)]
    if not arguments.json:
        print(f"{len(wanted)} that could be one of the contracts, by their syntax:")
        print(*(f"  {one.path}:{one.name} as {one.contract}" for one in wanted), sep="\n")
    reports = []
    for one in wanted:
        reports.append(check(f"{one.path}:{one.name}", contract=one.contract, **wishes))
        if not arguments.json:
            print(reports[-1])
    if arguments.json:
        _print_json([report.plain() for report in reports])
    codes = [report.code for report in reports]
    return 1 if 1 in codes else 3 if 3 in codes or not codes else 0


def data(arguments: argparse.Namespace) -> None:
    from regard.data.fetch.catalogue import CATALOGUE, entry
    from regard.data.fetch.download import fetch_file, find
    from regard.data.sets.album import ALBUMS

    known = {one.name: (one,) for one in CATALOGUE}
    known |= {album.name: tuple(map(album.entry, album.files())) for album in ALBUMS}
    for name in arguments.names:
        for one in known.get(name) or (entry(name),):
            print(f"{one.name}: {fetch_file(one)}")
    if arguments.names:
        return
    rows = [
        {
            "name": name,
            "what": files[0].what,
            "licence": files[0].licence,
            "bytes": sum(one.file.size for one in files),
            "origins": [origin.said for origin in files[0].origins],
            "here": all(find(one) is not None for one in files),
        }
        for name, files in known.items()
    ]
    if arguments.json:
        return _print_json(rows)
    from regard.lab.console import show_data

    show_data(rows)


def generate(arguments: argparse.Namespace) -> None:
    from regard.generation.sampling import Sampler
    from regard.lab import samples
    from regard.lab.text_model import load_text_model

    sampler = Sampler(
        temperature=arguments.temperature,
        top_k=arguments.top_k,
        top_p=arguments.top_p,
        min_p=arguments.min_p,
        penalty=arguments.penalty,
    )
    if arguments.samples < 1:
        raise RegardError("there is nothing to generate", f"--samples {arguments.samples}", "give at least 1")
    model = load_text_model(_store().find(arguments.run).path, arguments.model)
    ids = model.prompt(arguments.prompt)
    if cut := model.cut(ids):
        print(cut, file=sys.stderr)
    words = {"steps": arguments.steps, "stop": arguments.stop, "beyond": arguments.beyond}
    if arguments.beam is not None:
        beams = model.search(ids, width=arguments.beam, penalty=arguments.length_penalty, **words)
        return samples.show_beams(model, arguments.prompt, beams)
    seeds = [arguments.seed + row for row in range(arguments.samples)]
    tokens = model.speak(ids, sampler=sampler, seeds=seeds, **words)
    if arguments.probabilities:
        return samples.show_chances(model, tokens, seeds, count=4)
    if len(seeds) == 1:
        return samples.show_stream(model, arguments.prompt, tokens)
    return samples.show_side_by_side(model, arguments.prompt, tokens, seeds)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1))
