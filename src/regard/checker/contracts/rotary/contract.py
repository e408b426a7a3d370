"""Rotary positions: pairs of channels turn by an angle that grows with the position."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import (
    Broken,
    Case,
    ComputationStage,
    Contract,
    Convention,
    Law,
    forms,
)
from regard.checker.contracts.rotary.adapt import adapt
from regard.checker.contracts.rotary.forms import HELPER, OFFSET, TOLD, case
from regard.checker.contracts.rotary.heads import WHOLE, alike
from regard.checker.contracts.rotary.heeded import heeded
from regard.checker.contracts.rotary.mistakes import HALF, MISTAKES
from regard.checker.contracts.rotary.reference import ONE, rotary
from regard.checker.gradients import flowing
from regard.checker.reading.arguments import mean
from regard.checker.reading.source import Source
from regard.checker.subject import Subject, larger

STUB = '''"""Rotary positions, to be filled in. Then: regard check rotary.py"""

import torch


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    """x (..., n, d) with every pair of channels turned by an angle that grows with the position.

    Position p = offset, offset + 1, ... turns pair i by p * base ** (-2 i / d): (a, b) becomes
    (a cos - b sin, a sin + b cos). Channels 2i and 2i + 1 are a pair, or i and i + d/2: both are in use.
    """
    raise NotImplementedError("fill me in")
'''


CONVENTIONS = (
    Convention(
        slug="half-split",
        says="channels i and i + d/2 are a pair (half-split), not 2i and 2i + 1",
        harmless=True,
        choice="pairs=half-split",
        forms=forms(HALF),
    ),
    Convention(slug="heads-axis-layout", says="tokens come before heads: (b, n, h, d)", harmless=True),
    Convention(
        slug="base-default",
        says="unless it is told one, its base is another than 10000; it was told 10000 here",
        harmless=True,
    ),
    Convention(
        slug="sequence-first",
        says="tokens come first: (n, b, h, d)",
        choice="axes=sequence-first",
        words=r"[\(\[]\s*seq\w*,|sequence[\s_-]first",
    ),
    Convention(
        slug="clockwise",
        says="the pairs turn clockwise, by minus the angle",
        mistake="direction-reversed",
        choice="direction=clockwise",
        words=r"clockwise",
        forms=forms({"turn": lambda x, partner, cos, sin: x * cos - partner * sin}),
    ),
    Convention(
        slug="positions-from-1",
        says="positions are counted from 1",
        mistake="positions-from-one",
        choice="positions=1",
        words=r"(from|at|start\w*) (1|one)\b",
        forms=forms({"positions": lambda n, offset: offset + 1 + np.arange(n)}),
    ),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A name that speaks of rotary positions, and not a part of them."""
    name = member["name"].lower()
    if (
        not re.search(r"rope|rotary|apply_rot", name)
        or HELPER.search(name)
        or re.search(r"att|block|config|model", name)
    ):
        return 0.0
    if member["kind"] == "function":
        asks = [p["name"] for p in member["parameters"] if p["required"]]
        # What is told nothing but sizes makes tables and turns nothing.
        return 0.0 if len(asks) > 1 and all(mean(name, TOLD) for name in asks) else 0.95
    return 0.9


def decide(source: Source, name: str, slugs: set[str], facts: dict[str, Any]) -> str | None:
    """10000 ** (-i/d) and 100 ** (-2i/d) are the same numbers: the source says which was written."""
    if slugs == {"base-wrong", "exponent-without-two"}:
        return "exponent-without-two" if re.search(r"\b10000\b", source.code()) else "base-wrong"
    return None


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """From position 0, and from a later one where that can be asked."""
    usual_case = usual(subject, rng)
    return [later(subject, rng), usual_case] if subject.facts["offset"] else [usual_case]


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More and more positions."""
    facts = subject.facts
    return [
        case(rng, facts["layout"], facts["width"], two=facts["two"], count=count)
        for count in larger(subject, rng, 12, 270)
    ]


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """A case from position 0."""
    return case(rng, subject.facts["layout"], subject.facts["width"], two=subject.facts["two"])


def later(subject: Subject, rng: np.random.Generator) -> Case:
    """A case from a later position, where that can be asked."""
    offset = OFFSET if subject.facts["offset"] else 0
    facts = subject.facts
    return case(rng, facts["layout"], facts["width"], two=facts["two"], offset=offset)


def length(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Turning keeps lengths."""
    asked = usual(subject, rng)
    before, after = (np.linalg.norm(v, axis=-1) for v in (asked["x"], subject.answer(asked)))
    moved = laws.gap(before, after)
    if moved <= laws.MOVES[subject.kind]:
        return None
    at = np.unravel_index(np.abs(before - after).argmax(), before.shape)
    return Broken(
        number=moved, words=f"a vector of length {before[at]:.7g} comes out with length {after[at]:.7g}"
    )


def tokens_axis(subject: Subject, asked: Case) -> int:
    """The axis of the tokens in a case, whose first axis counts the arrays."""
    axis = subject.frame.facts["axis"]
    return axis + 1 if axis >= 0 else asked["x"].ndim + axis


def origin(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Position 0 is not turned."""
    asked = usual(subject, rng)
    axis = tokens_axis(subject, asked)
    before, after = (np.take(v, 0, axis=axis) for v in (asked["x"], subject.answer(asked)))
    moved = laws.gap(before, after)
    if moved <= laws.MOVES[subject.kind] or (
        not subject.bench.strict and "positions-from-1" in subject.facts.get("agreed", ())
    ):
        return None
    return Broken(number=moved, words=f"the token at position 0 comes out changed by {moved:.3g} of its size")


def relative(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The product of two turned vectors depends on how far apart they are, and on nothing else."""
    asked = usual(subject, rng)
    axis = tokens_axis(subject, asked)
    width = subject.facts["width"]
    one, two = rng.standard_normal((2, width))
    shape = [1] * asked["x"].ndim
    shape[-1] = width
    turned = [
        np.moveaxis(
            subject.answer(
                Case(
                    name="",
                    inputs={"x": np.broadcast_to(v.reshape(shape), asked["x"].shape).copy()},
                    facts=asked.facts,
                )
            ),
            axis,
            -2,
        )
        for v in (one, two)
    ]
    q, k = (t[i].reshape(-1, t.shape[-2], width)[0] for t, i in zip(turned, (0, -1), strict=True))
    first, later = q[1] @ k[0], q[2] @ k[1]
    if abs(first - later) <= 1e-6 * np.linalg.norm(one) * np.linalg.norm(two) * (
        1 if subject.kind == "float64" else 1e3
    ):
        return None
    return Broken(
        number=abs(first - later),
        words=f"q at 1 times k at 0 is {first:.4g}, q at 2 times k at 1 is {later:.4g}",
    )


def samples(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Every sample is turned by the positions that it is told, not by those of another."""
    if not subject.facts["each"]:
        return None
    asked = later(subject, rng)
    axis = 2 if subject.facts["layout"] == "n b h d" else 1
    count = asked["x"].shape[axis]

    def answer(starts: np.ndarray) -> np.ndarray:
        return subject.answer(replace(asked, facts=asked.facts | {"starts": starts[:, None]}))

    found = answer(np.arange(count))
    for sample in range(count):
        alike = answer(np.full(count, sample))
        moved = laws.gap(np.take(alike, sample, axis=axis), np.take(found, sample, axis=axis))
        if moved > laws.MOVES[subject.kind]:
            words = f"sample {sample} comes out otherwise where other samples are told other positions: by {moved:.3g} of its size"
            return Broken(number=moved, words=words, slug="positions-of-one-sample")
    return None


CONTRACT = Contract(
    name="rotary",
    title="rotary positions",
    file="rotary.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    by_methods=True,
    cases=cases,
    growing=growing,
    stages=(
        ComputationStage(
            where="at position 0, which is not turned",
            case=lambda s, rng: case(rng, s.facts["layout"], s.facts["width"], two=s.facts["two"], count=1),
        ),
        ComputationStage(where="at later positions", case=usual),
    ),
    reference=rotary,
    program=ONE,
    mistakes=(*MISTAKES, WHOLE, *conduct.USED),
    decide=decide,
    conventions=CONVENTIONS,
    laws=(
        laws.afresh(later),
        laws.steady(usual),
        Law(
            name="length",
            says="turning keeps the length of every vector",
            test=length,
            look="concatenate trigonometry",
        ),
        Law(name="origin", says="position 0 is not turned", test=origin, look="frequency trigonometry"),
        Law(
            name="relative",
            says="q·k depends on the distance of their positions alone",
            test=relative,
            look="frequency concatenate",
        ),
        Law(
            name="samples", says="each sample is turned by its own positions", test=samples, look="frequency"
        ),
        Law(name="base", says="a base that is given changes the angles", test=heeded, look="power frequency"),
        Law(name="heads", says="every head turns as one alone", test=alike, look="power frequency"),
        laws.untouched(usual),
        flowing(usual, ("x",)),
        *conduct.modes(usual),
    ),
)
