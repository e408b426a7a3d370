"""Masks that a causal layer can be given besides: what they hide moves nothing that is seen."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from regard.checker.contract import Broken, Case, Law, Mistake
from regard.checker.contracts.attention.calls import COUNTED, MASK, OTHER, meanings, told
from regard.checker.contracts.attention.masks.probes import shaped
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.subject import Arguments, Subject
from regard.checker.workbench import Unfit

LAYOUTS = ("b m", "b 1 m", "b 1 1 m")
"Shapes of a mask that says once for each sample which tokens are seen."

JOINED = Mistake(
    slug="masks-joined-by-or",
    cause="where a mask is given besides, tokens see those after them: it is joined to the causal mask by 'or', not by 'and'",
    remedy="seen = causal & mask: a key must be seen by both",
    look="mask masked",
)


def padded(usual: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """Where a causal layer may be given a mask of its own, hiding the first token leaves the others as if it were any."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        case = usual(subject, rng)
        names = [
            p["name"]
            for p in subject.made.call
            if _free(p) and p["name"] not in subject.facts.get("masks", ())
        ]
        return next((found for name in names if (found := _moved(subject, case, name, rng))), None)

    return Law(
        name="padding", says="what a mask hides moves nothing that is seen", test=test, look="mask masked"
    )


def _free(parameter: dict[str, Any]) -> bool:
    """Whether an argument is a mask of tokens that nobody has to give."""
    name, left = parameter["name"], not (parameter["required"] or parameter["star"])
    return (
        left
        and parameter["default"] is None
        and bool(MASK.search(name))
        and not (OTHER.search(name) or COUNTED.search(name))
    )


def _moved(subject: Subject, case: Case, name: str, rng: np.random.Generator) -> Broken | None:
    """By how much a hidden token moves the others, if it does so under every meaning and shape that runs."""
    b, n, _ = case["query"].shape
    seen = np.ones((b, 1, 1, n), bool)
    seen[0, ..., 0] = False
    x = case["query"].copy()
    x[0, 0] = rng.standard_normal(x[0, 0].shape)
    other = replace(case, inputs={"query": x, "key": x, "value": x})
    plain, least, ahead = subject.answer(case), np.inf, False
    for meaning, layout in product(meanings(subject.bench, name), LAYOUTS):
        mask = told(shaped(seen, layout, n), meaning)

        def enter(case: Case, mask: np.ndarray = mask) -> Arguments:
            values, named = subject.enter(case)
            return values, named | {name: mask}

        hiding = replace(subject, enter=enter)
        try:
            before, after = hiding.answer(case), hiding.answer(other)
        except (Raised, Unfit):
            continue
        unread = gap(plain, before) <= MOVES[subject.kind]
        if before.shape == after.shape == plain.shape and not (unread and not subject.bench.strict):
            least = min(least, gap(before[0, 1:], after[0, 1:]))
            ahead = ahead or _ahead(subject, hiding, case, rng)
    if least <= MOVES[subject.kind] or not np.isfinite(least):
        return None
    return Broken(
        number=least,
        words=f"with {name} hiding token 0 of a sample, changing it moves the other outputs by {least:.3g} of their size",
        slug="masks-joined-by-or" if ahead else "",
    )


def _ahead(plain: Subject, hiding: Subject, case: Case, rng: np.random.Generator) -> bool:
    """Whether the last token moves the outputs before it where a mask is given, and not where none is."""
    x = case["query"].copy()
    x[:, -1] = rng.standard_normal(x[:, -1].shape)
    other = replace(case, inputs={"query": x, "key": x, "value": x})
    moved = [gap(*(one.answer(c)[:, :-1] for c in (case, other))) for one in (plain, hiding)]
    return moved[0] <= MOVES[plain.kind] < moved[1]
