"""The verb compare: two layers or settings, seed by seed. Torch is loaded when it is called."""

import argparse
import sys
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING

from regard.cli.output import print_json
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.lab.compare.sequential import Standing

EVEN = "settings of the model around a layer stand after it, as in mine.py,position=none"
"How the two sides of a comparison get the same model."


def compare(arguments: argparse.Namespace) -> int:
    from regard.checker.reading.place import place
    from regard.data import load_text_or_shakespeare, read_text
    from regard.lab.compare.compare import compare
    from regard.lab.compare.contenders import contender, unlike

    if arguments.first == arguments.second:
        raise RegardError(
            "these are one and the same", f"'{arguments.first}' twice", "name two layers or two settings"
        )
    for file in dict.fromkeys(word for word in (arguments.first, arguments.second) if ".py" in word):
        place(named := file.partition(",")[0], "compare", (".py",))
        print(f"{named.partition(':')[0]} is run here, as your own program would be", file=sys.stderr)
    first, second = contender(arguments.first), contender(arguments.second)
    apart = unlike(first, second)
    if apart:
        print(f"{_apart(apart)}\n  {EVEN}", file=sys.stderr)
    text = read_text(arguments.text) if arguments.text else load_text_or_shakespeare("tiny-shakespeare")
    sizes = [one.model(len(set(text.characters)), 0).size for one in (first, second)]
    if sizes[0] != sizes[1]:
        print(f"they have {_sizes(sizes)}", file=sys.stderr)
    budget = {"seconds": 60 * arguments.minutes, "margin": arguments.margin, "steps": arguments.steps}
    found = []
    for now, reason in compare(first, second, text, **budget):
        found.append((now, reason))
        if not arguments.json:
            print(_line(now), file=sys.stderr)
    standing, reason = found[-1]
    if arguments.json:
        print_json(
            {**asdict(standing), "first": first.name, "second": second.name, "why": reason, "unlike": apart}
        )
    else:
        print(_said(standing, reason, arguments))
        if apart:
            print(f"  {_apart(apart)}")
        print(_scope(text.name, arguments.steps, sizes))
    return 0 if standing.answer != "open" else 1


def _apart(apart: list[str]) -> str:
    """In what else the two sides differ."""
    return f"not the layer alone differs: {'; '.join(apart)}"


def _scope(text: str, steps: int, sizes: list[int]) -> str:
    """What was measured, so that nobody takes it for more."""
    longer = "longer trainings may say otherwise (--steps)"
    return f"  measured after {steps:,} steps of a small GPT on {text}, with {_sizes(sizes)}; {longer}"


def _sizes(sizes: list[int]) -> str:
    one, other = (f"{size:,}" for size in sizes)
    return f"{one} parameters each" if one == other else f"{one} and {other} parameters"


def _line(now: "Standing") -> str:
    return f"{_pairs(now)}: second - first {now.mean:+.4f}{_interval(now, ', {} to {}')}"


def _pairs(now: "Standing") -> str:
    return f"{now.pairs} pair{'s' if now.pairs > 1 else ''}"


def _interval(now: "Standing", form: str) -> str:
    """The interval, where there are pairs enough for one."""
    return form.format(f"{now.low:+.4f}", f"{now.high:+.4f}") if isfinite(now.low) else ""


def _said(now: "Standing", reason: str, arguments: argparse.Namespace) -> str:
    """The answer in sentences."""
    band = f"{now.mean:+.4f} nats{_interval(now, ' (95 %: {} to {})')} over {_pairs(now)} of seeds"
    better = {"first": arguments.first, "second": arguments.second}
    after = f"after {arguments.steps:,} step{'' if arguments.steps == 1 else 's'}"
    head = {
        "alike": f"no difference above {arguments.margin:g} {after}",
        "open": reason,
    }.get(now.answer) or f"{better[now.answer]} is {'ahead' if now.may_turn else 'better'} {after}"
    lines = [head]
    if now.may_turn:
        late = (arguments.first, arguments.second)[now.behind]
        lines.append(
            f"  {late}, which is behind, is still learning: the second half of the steps lowered its loss by "
            f"{now.learning[now.behind]:.4f}, more than they are apart; which is better later is open "
            f"(--steps {4 * arguments.steps})"
        )
    one, other = (f"{loss:.4f}" for loss in now.losses)
    lines.append(f"  held-out loss: {arguments.first} {one}, {arguments.second} {other}")
    lines.append(f"  held-out loss of {arguments.second} minus that of {arguments.first}: {band}")
    if isfinite(now.floor):
        again = "the same training with another seed gives a loss that much away"
        lines.append(f"  noise: {now.floor:.4f} (a standard deviation: {again})")
    return "\n".join(lines)
