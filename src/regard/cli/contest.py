"""The verb compare: two layers or settings, seed by seed. Torch is loaded when it is called."""

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from regard.cli.output import print_json
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.lab.compare.sequential import Standing


def compare(arguments: argparse.Namespace) -> int:
    from regard.data import load_text_or_shakespeare, read_text
    from regard.lab.compare.compare import compare
    from regard.lab.compare.contenders import contender

    if arguments.first == arguments.second:
        raise RegardError(
            "these are one and the same", f"'{arguments.first}' twice", "name two layers or two settings"
        )
    for file in dict.fromkeys(word for word in (arguments.first, arguments.second) if ".py" in word):
        print(f"{file.partition(':')[0]} is run here, as your own program would be", file=sys.stderr)
    first, second = contender(arguments.first), contender(arguments.second)
    text = read_text(arguments.text) if arguments.text else load_text_or_shakespeare("tiny-shakespeare")
    budget = {"seconds": 60 * arguments.minutes, "margin": arguments.margin}
    found = []
    for now, reason in compare(first, second, text, **budget):
        found.append((now, reason))
        if not arguments.json:
            print(_line(now), file=sys.stderr)
    standing, reason = found[-1]
    if arguments.json:
        print_json({**asdict(standing), "first": first.name, "second": second.name, "why": reason})
    else:
        print(_said(standing, reason, arguments))
    return 0 if standing.answer != "open" else 1


def _line(now: "Standing") -> str:
    return f"{now.pairs} pairs: second - first {now.mean:+.4f}, from {now.low:+.4f} to {now.high:+.4f}"


def _said(now: "Standing", reason: str, arguments: argparse.Namespace) -> str:
    """The answer in sentences."""
    band = f"{now.mean:+.4f} nats (95 %: {now.low:+.4f} to {now.high:+.4f}) over {now.pairs} pairs of seeds"
    better = {"first": arguments.first, "second": arguments.second}
    head = {
        "alike": f"no difference above {arguments.margin:g}",
        "open": reason,
    }.get(now.answer) or f"{better[now.answer]} is better"
    return (
        f"{head}\n  held-out loss of {arguments.second} minus that of {arguments.first}: {band}\n"
        f"  noise floor: two trainings of one of them with two seeds are {now.floor:.4f} apart (a deviation)"
    )
