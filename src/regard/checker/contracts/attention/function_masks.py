"""A second mask of an attention function: it hides what it says, alone and beside the first."""

from dataclasses import replace
from itertools import product

import numpy as np

from regard.checker import laws
from regard.checker.contract import Case
from regard.checker.contracts.attention.calls import meanings, told
from regard.checker.contracts.attention.function_probes import LAYOUTS, asked, laid
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit


def second(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """For every further mask a case by it alone and one by both, under the first meaning and shape that are heeded."""
    found = []
    for name in subject.facts["others"] if subject.facts["mask"] and subject.facts["shape"][0] else ():
        ran = []
        for meaning, layout in product(meanings(subject.bench, name), LAYOUTS):
            try:
                if moved := _moved(subject, rng, name, meaning, layout):
                    ran.append((moved > laws.MOVES[subject.kind], meaning, layout))
            except (Raised, Unfit):
                continue
        if ran:
            _, meaning, layout = min(ran, key=lambda form: form[0])
            found += _cases(subject, rng, name, meaning, layout)
    return found


def _moved(subject: Subject, rng: np.random.Generator, name: str, meaning: str, layout: str) -> float:
    """By how much a key that nobody may see moves the outputs; a little more than nothing where it does not."""
    case = asked(rng, subject.facts["shape"], masked=True, layout=layout)
    mask = np.ones_like(case["mask"])
    mask[..., 0] = False
    case = replace(case, facts=case.facts | {"named": {name: told(laid(mask, layout), meaning)}})
    key, value = case["key"].copy(), case["value"].copy()
    key[..., 0, :], value[..., 0, :] = rng.standard_normal(key.shape[-1]), 3.0
    other = replace(case, inputs=case.inputs | {"key": key, "value": value})
    before, after = subject.answer(case), subject.answer(other)
    if before.shape != (*case["query"].shape[:-1], value.shape[-1]):
        return 0.0
    return laws.gap(before, after) + 1e-30


def _cases(subject: Subject, rng: np.random.Generator, name: str, meaning: str, layout: str) -> list[Case]:
    facts = subject.facts
    one, two = (asked(rng, facts["shape"], masked=True, layout=each) for each in (facts["layout"], layout))
    masks = [case["mask"].copy() for case in (one, two)]
    for mask in masks:
        mask[..., 0] = True
    given = told(laid(masks[1], layout), meaning)
    usual = told(laid(masks[0], facts["layout"]), facts["meaning"])
    alone = replace(
        two,
        name=f"{two.name} by {name} as ({layout})",
        inputs=two.inputs | {"mask": masks[1]},
        facts=two.facts | {"named": {name: given}, "breaks": "mask-shape"},
    )
    together = replace(
        one,
        name=f"{one.name} by {facts['mask']} and {name} together",
        inputs=one.inputs | {"mask": masks[0] & masks[1]},
        facts=one.facts | {"named": {facts["mask"]: usual, name: given}, "breaks": ""},
    )
    return [alone, together]
