"""Commands: what each verb does. Torch is loaded verb by verb, never by --help."""

import argparse
from dataclasses import asdict

from regard.cli import tokens
from regard.cli.output import print_json as _print_json
from regard.cli.runs import store as _store
from regard.errors import RegardError, nearest


def list_(arguments: argparse.Namespace) -> None:
    from regard.lab import lists, registry
    from regard.lab.book import sources
    from regard.lab.book.coverage import coverage
    from regard.lab.records.record import records
    from regard.lab.store.entries import entries

    if arguments.words:
        return _search(arguments)
    asked = [
        f"--{name}"
        for name in ("course", "coverage", "runs")
        if getattr(arguments, name) not in (None, False)
    ]
    if len(asked) > 1:
        raise RegardError("regard list shows one thing at a time", " ".join(asked), f"give {asked[0]} alone")
    runs = entries(_store())
    if arguments.course is not None:
        source = sources.find(arguments.course)
        items = [one for one in coverage(registry.everything(), runs, records()) if one.source == source.name]
        _print_json([asdict(one) for one in items]) if arguments.json else lists.show_course(source, items)
    elif arguments.coverage:
        items = coverage(registry.everything(), runs, records())
        _print_json([asdict(one) for one in items]) if arguments.json else lists.show_coverage(items)
    elif arguments.runs:
        _print_json([asdict(one) for one in runs]) if arguments.json else lists.show_runs(runs)
    else:
        experiments, full = registry.everything(), lists.full_seconds(runs, records())
        rows = [
            {
                "name": one.name,
                "chapter": one.chapter,
                "question": one.question,
                "items": list(one.answers),
                "seconds": one.seconds,
                "full_seconds": full.get(one.name),
            }
            for one in experiments
        ]
        _print_json(rows) if arguments.json else lists.show_experiments(experiments, full)


def _search(arguments: argparse.Namespace) -> None:
    from regard.lab import lists, registry
    from regard.lab.search import search

    words = " ".join(arguments.words)
    for name in ("course", "coverage", "runs"):
        if getattr(arguments, name) not in (None, False):
            raise RegardError(
                "regard list shows one thing at a time", f"'{words}' and --{name}", "leave out one of them"
            )
    hits = search(words, registry.everything())
    if not arguments.json:
        return lists.show_hits(hits)
    rows = [
        {
            "name": hit.experiment.name,
            "question": hit.experiment.question,
            "found": [asdict(one) for one in hit.passages],
        }
        for hit in hits
    ]
    return _print_json(rows)


def bench(arguments: argparse.Namespace) -> None:
    from regard.lab import console as terminal
    from regard.lab.bench import load, measure

    if not arguments.folder.is_dir():
        raise RegardError(
            "no folder of comparisons",
            f"'{arguments.folder}'",
            "run it in a checkout of the project, or give --folder",
        )
    if arguments.device == "cuda":
        from regard.training import find_device

        find_device("cuda")
    known = load(arguments.folder / "gpu" if arguments.device == "cuda" else arguments.folder)
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
    if arguments.contract == "experiment":
        return _start_experiment(arguments)
    from regard.checker import start

    if arguments.name is not None:
        raise RegardError(
            "a contract's file has its own name",
            f"'{arguments.name}'",
            "leave it out, or: regard start experiment NAME",
        )
    path = start(arguments.contract, arguments.folder)
    if arguments.json:
        return _print_json({"path": str(path)})
    return print(f"{path} was written: fill it in, then: regard check {path}")


def _start_experiment(arguments: argparse.Namespace) -> None:
    from regard.lab.template import ENOUGH, start_experiment

    if arguments.name is None:
        raise RegardError("an experiment needs a name", "none", "regard start experiment NAME")
    path = start_experiment(arguments.name, arguments.folder)
    if arguments.json:
        return _print_json({"path": str(path)})
    print(f"{path} was written. Its claim fails at first: regard run {path}")
    return print(f"and holds with more tosses: regard run {path} --set {ENOUGH}")


def _sort_graph(arguments: argparse.Namespace) -> None:
    from regard.data.formats.csr import open_graph
    from regard.data.formats.external_sort import write_graph

    if arguments.names:
        raise RegardError(
            "regard data does one thing at a time",
            f"--graph and {' '.join(arguments.names)}",
            "leave out one of them",
        )
    for name in ("tokenizer", "vocabulary"):
        if getattr(arguments, name) is not None:
            raise RegardError(f"--{name} has no effect with --graph", f"--{name}", "leave it out")
    if not arguments.graph.is_file():
        fix = "give a file with two columns of node numbers"
        raise RegardError("no such edge list", repr(str(arguments.graph)), fix)
    ways = {name: getattr(arguments, name) for name in ("both_ways", "loops", "merge")}
    out = arguments.out or arguments.graph.with_name(f"{arguments.graph.name}.csr")
    made = open_graph(write_graph(arguments.graph, out, **ways))
    if arguments.json:
        return _print_json({"path": str(made.path), "nodes": made.nodes, "edges": made.count})
    return print(f"{made.path}: {made.nodes:,} nodes, {made.count:,} edges; regard.data.open_graph maps it")


def data(arguments: argparse.Namespace) -> None:
    if arguments.graph is not None:
        return _sort_graph(arguments)
    unused = [f"--{name}" for name in ("both_ways", "loops", "merge") if getattr(arguments, name)]
    if unused:
        raise RegardError(
            f"{unused[0].replace('_', '-')} has no effect without --graph",
            unused[0].replace("_", "-"),
            "leave it out",
        )
    tokens.require_sense(arguments)
    if arguments.names[:1] in (["tokenize"], ["verify"]):
        return (tokens.tokenize if arguments.names[0] == "tokenize" else tokens.verify)(arguments)
    from regard.data.fetch.catalogue import CATALOGUE
    from regard.data.fetch.download import fetch_file, find
    from regard.data.sets.album import ALBUMS

    known = {one.name: (one,) for one in CATALOGUE}
    known |= {album.name: tuple(map(album.entry, album.files())) for album in ALBUMS}
    for name in arguments.names:
        if name not in known:
            raise RegardError(
                "no dataset of that name", f"'{name}'", nearest(name, known, f"there are {', '.join(known)}")
            )
    if arguments.names:
        files = [one for name in arguments.names for one in known[name]]
        if arguments.json:
            return _print_json({one.name: str(fetch_file(one)) for one in files})
        for one in files:
            print(f"{one.name}: {fetch_file(one)}")
        return None
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

    return show_data(rows)


def serve(arguments: argparse.Namespace) -> None:
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise RegardError(
            "the lab in the browser needs an extra",
            f"{' and '.join(missing)} not installed",
            "pip install 'regard[serve]'",
        )
    from regard.web.server import ServerAddress, announce, serve

    def tell(address: ServerAddress) -> None:
        _print_json({"url": address.url, "port": address.port}) if arguments.json else announce(address)

    serve(_store(), port=arguments.port, open_page=not arguments.no_open, tell=tell)
