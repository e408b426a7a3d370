"""Argument parser: every verb and what may follow it."""

import argparse
from math import inf
from pathlib import Path
from typing import NoReturn

from regard.cli import check, commands, model_verbs, records, runs
from regard.cli.model_verbs import RUN, Verbs
from regard.cli.numbers import count, minutes, port, seed, vocabulary
from regard.errors import RegardError, nearest

ON = (
    "4 for so many processes of this machine, processes for one on each core, ray for a Ray cluster "
    "(that of RAY_ADDRESS, else one of this machine), ray:4 for at most so many workers there"
)
"What --on takes."


CLAIMS = (
    "A claim says beforehand between which bounds, its band, a measured number will lie; the verdict on it "
    "is held, failed, or, where the run was too small or was cut off, not settled."
)
"What an experiment's claims are."


class Parser(argparse.ArgumentParser):
    """Tells a mistake in three lines, with the nearest word."""

    def error(self, message: str) -> NoReturn:
        raise RegardError("the command cannot be read", message, f"'{self.prog} --help' shows how")


def parser() -> Parser:
    """Every verb with its words."""
    top = Parser(prog="regard", description="Attention: build it, look at it, check it.")
    known = top.add_subparsers(dest="verb", metavar="VERB", parser_class=Parser)
    _list_words(known)
    _run_words(known)
    _book_words(known)
    _show_words(known)
    _reproduce_words(known)
    _diff_words(known)
    _remove_words(known)
    _prune_words(known)
    _bench_words(known)
    _prove_words(known)
    _start_words(known)
    _check_words(known)
    _data_words(known)
    _serve_words(known)
    model_verbs.train_words(known)
    model_verbs.generate_words(known)
    model_verbs.export_words(known)
    model_verbs.attention_words(known)
    model_verbs.compare_words(known)
    return top


def _list_words(known: Verbs) -> None:
    verb = known.add_parser(
        "list", help="what there is to run; what speaks of a word; what was run; what answers a course"
    )
    verb.add_argument(
        "words", nargs="*", metavar="WORD", help="only experiments that speak of this; sqrt finds √"
    )
    verb.add_argument("--runs", action="store_true", help="list runs instead of experiments")
    verb.add_argument(
        "--coverage", action="store_true", help="list what answers the 93 items of five course assignments"
    )
    verb.add_argument(
        "--course", help="the same for one course: duke, berkeley, jerusalem, amsterdam or toronto"
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=commands.list_)


def _run_words(known: Verbs) -> None:
    said = "run an experiment by name, or a file of your own"
    verb = known.add_parser("run", help=said, description=f"{said[0].upper()}{said[1:]}. {CLAIMS}")
    verb.add_argument(
        "experiment", help="a name from 'regard list', or a Python file that defines EXPERIMENT"
    )
    verb.add_argument("--preset", help="quick or full (default: quick)")
    verb.add_argument("--seed", type=seed, help="where everything random starts (default: 0)")
    verb.add_argument(
        "--seeds",
        type=count,
        metavar="N",
        help="make N runs, one for each seed from --seed on, and sum them up: means with 95 %% intervals, "
        "how often each claim held. What is finished already is not made again. (An experiment's own setting "
        "'seeds', as in --set seeds=3, is how often it repeats itself inside one run.)",
    )
    verb.add_argument("--on", metavar="WHERE", help=f"with --seeds: {ON} (default: processes)")
    verb.add_argument(
        "--minutes", type=minutes, default=inf, help="a budget of each run; what it cuts off is not settled"
    )
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a setting; 'regard show EXPERIMENT' lists them",
    )
    verb.add_argument(
        "--resume", metavar="RUN", help="take up a run that was stopped; settings and seed are its own"
    )
    verb.add_argument(
        "--accept",
        action="append",
        default=[],
        choices=["code"],
        help="with --resume: go on although the code has changed; the run says so",
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=runs.run)


def _book_words(known: Verbs) -> None:
    verb = known.add_parser(
        "book", help="run every experiment whose answer is not there yet, and write the lab book"
    )
    verb.add_argument("--preset", default="quick", help="quick or full (default: quick)")
    verb.add_argument("--seed", type=seed, default=0, help="where everything random starts (default: 0)")
    verb.add_argument("--on", metavar="WHERE", help=f"make several runs at a time: {ON}")
    verb.add_argument("--out", type=Path, default=Path("book"), help="the folder to write to (default: book)")
    verb.add_argument("--single", action="store_true", help="one file, to mail or to print, not a site")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("experiments", nargs="*", help="only these")
    verb.set_defaults(do=runs.book)


def _show_words(known: Verbs) -> None:
    said = "an experiment with its claims and settings, or a run with its numbers"
    verb = known.add_parser("show", help=said, description=f"Show {said}. {CLAIMS}")
    verb.add_argument("name", help=f"an experiment, or {RUN}; of an experiment that was run, the newest run")
    verb.add_argument("--preset", help="whose settings to show (default: quick)")
    verb.add_argument("--settings", action="store_true", help="the experiment's settings, even if it was run")
    form = verb.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print every measurement of the run as CSV")
    form.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=runs.show)


def _reproduce_words(known: Verbs) -> None:
    verb = known.add_parser(
        "reproduce",
        help="run a recorded full run again: do its intervals agree? Or list the records",
    )
    verb.add_argument("name", nargs="?", help="an experiment that has a record (default: list them all)")
    verb.add_argument("--seed", type=seed, help="another seed than the record's (default: the same)")
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="DEVICE=NAME",
        help="another device than the record's, such as device=cpu; every other setting is the record's",
    )
    verb.add_argument("--keep", metavar="RUN", help="record a finished run, in place of the one that is kept")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=records.reproduce)


def _diff_words(known: Verbs) -> None:
    verb = known.add_parser("diff", help="what differs between two runs")
    verb.add_argument("first", help=RUN)
    verb.add_argument("second", help="another")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=runs.diff)


def _remove_words(known: Verbs) -> None:
    verb = known.add_parser("remove", help="remove runs for good; asks first")
    verb.add_argument("runs", nargs="+", metavar="RUN", help=RUN)
    verb.add_argument("--yes", action="store_true", help="do not ask")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=runs.remove)


def _prune_words(known: Verbs) -> None:
    said = "remove runs that broke, are damaged, or were made again; a training that keeps a model stays"
    verb = known.add_parser(
        "prune",
        help=f"{said}; asks first",
        description=f"{said[0].upper()}{said[1:]}, since the same words give other weights each time. "
        "It lists them and asks first; 'regard remove RUN' removes any one.",
    )
    verb.add_argument("--yes", action="store_true", help="do not ask")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=runs.prune)


def _bench_words(known: Verbs) -> None:
    verb = known.add_parser("bench", help="speed and memory beside named peers")
    verb.add_argument("comparisons", nargs="*", help="only these (default: all)")
    verb.add_argument(
        "--folder", type=Path, default=Path("bench"), help="where the comparisons are (default: bench)"
    )
    verb.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="cuda: those of a GPU, in the folder's gpu"
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=commands.bench)


def _prove_words(known: Verbs) -> None:
    verb = known.add_parser("prove", help="the theorems: check every step, hold every prediction to the test")
    verb.add_argument("theorems", nargs="*", help="only these, with their derivation (default: all)")
    verb.add_argument("--seed", type=seed, default=0, help="where everything random starts (default: 0)")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=commands.prove)


def _start_words(known: Verbs) -> None:
    verb = known.add_parser(
        "start", help="write a file to fill in: a stub with its contract, or an experiment of your own"
    )
    verb.add_argument(
        "contract", help="such as causal-attention, a wrong name gets the list; or the word 'experiment'"
    )
    verb.add_argument("name", nargs="?", help="what your experiment is called")
    verb.add_argument("--folder", type=Path, default=Path(), help="where to write it (default: here)")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=commands.start)


def _check_words(known: Verbs) -> None:
    verb = known.add_parser("check", help="run your own implementation and name what is wrong with it")
    verb.add_argument("target", nargs="?", help="FILE.py, FILE.py:Name, NOTEBOOK.ipynb:Name, or a folder")
    verb.add_argument("--as", dest="contract", help="the contract to hold it to, where it cannot be guessed")
    level = verb.add_mutually_exclusive_group()
    level.add_argument(
        "--hint",
        dest="level",
        action="store_const",
        const="hint",
        default="default",
        help="only which law breaks",
    )
    level.add_argument(
        "--explain",
        dest="level",
        action="store_const",
        const="explain",
        help="with the picture: expected and actual",
    )
    verb.add_argument(
        "--fix",
        action="store_true",
        help="show the smallest change of your own lines that makes the check pass; the file stays as it is",
    )
    verb.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="ROLE=NAME",
        help="which weight plays which role, such as q=my_query",
    )
    verb.add_argument(
        "--strict",
        action="store_true",
        default=None,
        help="hold it to the contract's own choices: another convention is then a mistake",
    )
    verb.add_argument(
        "--convention",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what an assignment wants, such as mask=hidden",
    )
    verb.add_argument("--make", metavar="CALL", help="how it is made, such as 'Attention(dim=24, heads=3)'")
    verb.add_argument("--call", metavar="CALL", help="how it is called, such as 'f(q, k, v, d_k=8)'")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument(
        "--page", metavar="CONTRACT", help="the page that explains a contract, or CONTRACT#mistake"
    )
    verb.add_argument(
        "--selftest",
        action="store_true",
        help="how often the checker itself is right, over the known files of a checkout",
    )
    verb.add_argument(
        "--jobs", type=count, metavar="N", help="with --selftest: files at once (default: as many as cores)"
    )
    verb.set_defaults(do=check.check)


def _data_words(known: Verbs) -> None:
    verb = known.add_parser(
        "data", help="what data there is, where it comes from, its licence; fetch it by name"
    )
    verb.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="fetch these; or 'tokenize FILE…', texts of any length into a token file for train; "
        "or 'verify FILE…', token files",
    )
    verb.add_argument("--tokenizer", help="with tokenize: character, bytes, bpe, or the file of one")
    verb.add_argument("--vocabulary", type=vocabulary, help="with tokenize: pieces of --tokenizer bpe")
    verb.add_argument(
        "--graph",
        type=Path,
        metavar="FILE",
        help="sort an edge list (two columns of node numbers, also .gz, or .npy) into a file for training on "
        "graphs larger than the memory",
    )
    verb.add_argument("--out", type=Path, metavar="FILE", help="with tokenize or --graph: the file to write")
    verb.add_argument("--both-ways", action="store_true", help="with --graph: take every edge both ways")
    verb.add_argument("--loops", action="store_true", help="with --graph: give every node one loop")
    verb.add_argument("--merge", action="store_true", help="with --graph: keep one of equal edges")
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=commands.data)


def _serve_words(known: Verbs) -> None:
    verb = known.add_parser("serve", help="the lab in the browser, on this machine alone")
    verb.add_argument(
        "--port", type=port, help="where it listens; 0 takes any that is free (default: 8765 or after)"
    )
    verb.add_argument("--no-open", action="store_true", help="print the address, and open no browser")
    verb.add_argument("--json", action="store_true", help="print the address as JSON")
    verb.set_defaults(do=commands.serve)


def checked(top: Parser, words: list[str]) -> list[str]:
    """The words, unless the first is a verb that is not known."""
    known = next(action.choices for action in top._actions if isinstance(action, argparse._SubParsersAction))
    if words and not words[0].startswith("-") and words[0] not in known:
        raise RegardError(
            "no verb of that name",
            f"'{words[0]}'",
            nearest(words[0], known, f"the verbs are {', '.join(known)}"),
        )
    return words
