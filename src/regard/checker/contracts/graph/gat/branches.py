"""A graph attention layer that may put its heads side by side or average them: both ways are tried."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Case, WeightMap
from regard.checker.contracts.graph import reference as graph
from regard.checker.contracts.graph.gat.roles import frames
from regard.checker.contracts.graph.layer import usual
from regard.checker.contracts.graph.reference import listening
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, draw
from regard.checker.workbench import Unfit


def branches(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Made not to put its heads side by side, the layer averages them; a sum is as many times too large."""
    made, bench = subject.made, subject.bench
    word = made.built.meant.get("concat")
    heads = subject.frame.facts.get("heads", 1)
    if word is None or heads < 2 or bench.made is not None or bench.making is not None:
        return None
    probe = usual(subject, rng)
    try:
        other = replace(subject, made=bench.again(made, made.built.named | {word: False}))
        bench.line.ask("cast", other.made.number, subject.kind)
        drawn = draw(other.made, rng, size=1.2)
        other.set(drawn)
        answer = other.answer(probe)
        width = subject.facts["width"]
        found = frames(drawn, other.made.owners, width=width, heads=heads, said=bench.said)
    except (Raised, Unfit):
        return None  # it cannot be made so
    for frame in found:
        mean, total = (_expected(probe, frame, how) for how in (np.mean, np.sum))
        if mean.shape != answer.shape:
            return None  # it does something else with them
        if gap(mean, answer) > MOVES["float32"] and gap(total, answer) <= MOVES["float32"]:
            words = f"made with {word}=False, the output is the sum of the {heads} heads, not their mean"
            return Broken(number=float(heads), words=words, slug="heads-summed")
    return None


def _expected(probe: Case, frame: WeightMap, how: Callable[..., np.ndarray]) -> np.ndarray:
    merge = {"merge": lambda y: how(y, 1)}
    return graph.attention(probe, frame, merge)[0][listening(probe)]
