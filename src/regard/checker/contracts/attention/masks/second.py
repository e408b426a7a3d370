"""A second mask of an attention function: it hides what it says, alone and beside the first."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from regard.checker import laws
from regard.checker.contract import Case
from regard.checker.contracts.attention.calls import MaskForm, meanings, told
from regard.checker.contracts.attention.function_probes import LAYOUTS, asked, laid
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit


def second(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """For every further mask a case by it alone and one by both, under the first meaning and shape that are heeded."""
    found, (lead, n, *_, d, c) = [], subject.facts["shape"]
    for name in subject.facts.get("others", []) if subject.facts["mask"] and lead else ():
        for shape in (subject.facts["shape"], (lead, n, n, d, c)):
            if ran := list(_running(subject, rng, name, shape)):
                _, meaning, layout = min(ran, key=lambda form: form[0])
                found += _cases(subject, rng, shape, MaskForm(name, layout, meaning))
                break
    return found


def _running(
    subject: Subject, rng: np.random.Generator, name: str, shape: tuple
) -> Iterator[tuple[bool, str, str]]:
    """Meanings and layouts that run, and whether what they hide matters."""
    for meaning, layout in product(meanings(subject.bench, name), LAYOUTS):
        try:
            if moved := _moved(subject, rng, shape, MaskForm(name, layout, meaning)):
                yield moved > laws.MOVES[subject.kind], meaning, layout
        except (Raised, Unfit):
            continue


def _moved(subject: Subject, rng: np.random.Generator, shape: tuple, form: MaskForm) -> float:
    """By how much a key that nobody may see moves the outputs; a little more than nothing where it does not."""
    case = asked(rng, shape, masked=True, layout=form.layout)
    mask = np.ones_like(case["mask"])
    mask[..., 0] = False
    case = replace(
        case, facts=case.facts | {"named": {form.name: told(laid(mask, form.layout), form.meaning)}}
    )
    key, value = case["key"].copy(), case["value"].copy()
    key[..., 0, :], value[..., 0, :] = rng.standard_normal(key.shape[-1]), 3.0
    other = replace(case, inputs=case.inputs | {"key": key, "value": value})
    before, after = subject.answer(case), subject.answer(other)
    if before.shape != (*case["query"].shape[:-1], value.shape[-1]):
        return 0.0
    return laws.gap(before, after) + 1e-30


def _cases(subject: Subject, rng: np.random.Generator, shape: tuple, form: MaskForm) -> list[Case]:
    facts, name, layout = subject.facts, form.name, form.layout
    one, two = (asked(rng, shape, masked=True, layout=each) for each in (facts["layout"], layout))
    masks = [case["mask"].copy() for case in (one, two)]
    for mask in masks:
        mask[..., 0] = True
    given = told(laid(masks[1], layout), form.meaning)
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
