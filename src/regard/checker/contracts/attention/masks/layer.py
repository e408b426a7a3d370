"""Masks of an attention layer: which arguments hide keys, in what shape and with what meaning."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.contracts.attention.calls import COUNTED, MASK, OTHER, SLUGS, MaskForm, meanings, told
from regard.checker.contracts.attention.layer import SEQUENCE
from regard.checker.contracts.attention.masks.probes import (
    asked,
    hidden,
    layouts,
    shaped,
    unread,
    varied,
)
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit


def settle(subject: Subject, rng: np.random.Generator) -> None:
    """Layout and meaning of the mask: the first under which hidden keys do not matter, else the first that runs."""
    running, facts = [], subject.facts
    for meaning, layout in product(meanings(subject.bench, facts["mask"]), layouts(facts)):
        facts |= {"layout": layout, "meaning": meaning}
        try:
            trial = asked(subject, rng, masked=True)
            if subject.answer(trial).shape[:-1] != trial["query"].shape[:-1]:
                continue
            running.append((layout, meaning))
            if hidden(subject, rng) is None and np.isfinite(subject.answer(trial)).all():
                break
        except Raised as error:
            facts.setdefault("mask error", error)
    else:
        if not running:
            facts["mask"] = None
            return
        facts["layout"], facts["meaning"] = running[0]
        facts["unread"] = unread(subject, asked(subject, rng, masked=True))
    slug = "valid-lengths" if facts["lengths"] else SLUGS.get(facts["meaning"])
    if slug:
        subject.frames = [replace(f, conventions=(*f.conventions, slug)) for f in subject.frames]
    subject.notes.append(f"mask passed as ({facts['layout']})")


def others(call: list[dict[str, Any]], mask: str) -> list[str]:
    """Further arguments that hide keys and can be left out: an `attn_mask` beside a `key_padding_mask`."""
    return [
        p["name"]
        for p in call
        if MASK.search(p["name"])
        and p["name"] != mask
        and not (p["required"] or p["star"] or p["default"] is not None)
        and not (OTHER.search(p["name"]) or COUNTED.search(p["name"]))
    ]


def elsewhere(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """A case for every other shape of mask that runs, and for every other mask: they hide what they say as well.

    Of another mask the meaning is the first under which what it hides does not matter.
    """
    facts, found, both = subject.facts, [], []
    if not facts["mask"] or facts.get("lengths") or facts.get("single"):
        return []
    shapes = [layout for layout in layouts(facts) if not _taken(layout, facts["layout"])]
    own = [MaskForm(facts["mask"], layout, facts.get("meaning", "seen")) for layout in shapes]
    for name in others(subject.made.call, facts["mask"]):
        possible = [MaskForm(name, x, y) for y, x in product(meanings(subject.bench, name), layouts(facts))]
        ran = [form for form in possible if _answers(subject, varied(subject, rng, form))]
        heeded = [form for form in ran if hidden(subject, rng, form) is None]
        own += [form for form in heeded or ran[:1] if form.meaning == (heeded or ran)[0].meaning]
        both += [_together(subject, rng, form) for form in heeded[:1]]
    for form in own:
        # Over as many keys as queries, the axes of a mask may be taken for each other.
        square = facts["keys"] != SEQUENCE and "n" in form.layout.split()
        for keys in (0, SEQUENCE) if square else (0,):
            case = varied(subject, rng, form, keys)
            if _answers(subject, case):
                found.append(case)
    return [*found, *(case for case in both if _answers(subject, case))]


def _together(subject: Subject, rng: np.random.Generator, form: MaskForm) -> Case:
    """A case with the usual mask and another one at once: a key is seen where both show it."""
    facts = subject.facts
    usual = MaskForm(facts["mask"], facts["layout"], facts.get("meaning", "seen"))
    one, two = varied(subject, rng, usual), varied(subject, rng, form)
    masks = [case["mask"].copy() for case in (one, two)]
    for mask in masks:
        mask[..., 0] = True
    given = {
        each.name: told(shaped(mask, each.layout, one["query"].shape[1]), each.meaning)
        for each, mask in zip((usual, form), masks, strict=True)
    }
    return replace(
        one,
        name=f"{one.name} and {form.name} as ({form.layout}) together",
        inputs=one.inputs | {"mask": masks[0] & masks[1]},
        facts=one.facts | {"named": given, "breaks": ""},
    )


def _taken(one: str, other: str) -> bool:
    """Whether a mask of one shape has the axes of the other by other names: no layer can tell which is meant.

    >>> _taken("n m", "b m"), _taken("b 1 1 m", "b 1 n m"), _taken("b m", "b 1 m")
    (True, False, False)
    """
    axes = list(zip(one.split(), other.split(), strict=False))
    return len(one.split()) == len(other.split()) and any(a != b and "1" not in (a, b) for a, b in axes)


def _answers(subject: Subject, case: Case) -> bool:
    try:
        return subject.answer(case).shape[:-1] == case["query"].shape[:-1]
    except (Raised, Unfit):
        return False
