"""Laws of attention as a function: each holds for the reference and fails on a planted fault."""

from collections.abc import Callable

import numpy as np
import pytest

from regard.checker.contracts.attention.function_probes import (
    LAYOUTS,
    asked,
    cases,
    hidden,
    laid,
    ones,
    order,
    room,
)
from regard.checker.process.session import Raised

RNG = np.random.default_rng


@pytest.mark.parametrize(
    ("law", "slug", "form"),
    [
        (ones, "softmax-unnormalised", 0),
        (order, "keys-reshaped", 0),
        (hidden, "mask-ignored", 0),
        (hidden, "mask-inverted", 1),
    ],
)
def test_each_law_fails_on_a_planted_fault(law: Callable, slug: str, form: int, puppet: Callable) -> None:
    right = puppet("scaled-dot-product", {})
    assert law(right, RNG(1)) is None
    known = {m.slug: m for m in right.contract.mistakes}
    assert slug in known, sorted(known)
    broken = law(puppet("scaled-dot-product", known[slug].forms[form]), RNG(1))
    assert broken and broken.number > 1e-3


def test_sizes_that_were_refused_are_said(puppet: Callable) -> None:
    subject = puppet("scaled-dot-product", {})
    assert room(subject, RNG(0)) is None
    subject.facts["refused"] = Raised("RuntimeError", "sizes differ\nmore", None, "")
    broken = room(subject, RNG(0))
    assert broken
    assert broken.words.endswith("values of width 11: RuntimeError: sizes differ")


def test_every_query_of_a_masked_case_sees_a_key_and_not_all(puppet: Callable) -> None:
    mask = asked(RNG(3), ((2, 3), 7, 5, 8, 9), masked=True)["mask"]
    assert mask.any(1).all()
    assert not mask.all(1).all()
    lengths = asked(RNG(3), ((2,), 7, 5, 8, 9), masked=True, layout="b n")["mask"][0]
    assert (np.diff(lengths.astype(int), axis=1) <= 0).all()


def test_a_function_without_a_mask_is_asked_without(puppet: Callable) -> None:
    subject = puppet("scaled-dot-product", {})
    assert [case.facts["masked"] for case in cases(subject, RNG(0))] == [True, False, False]
    subject.facts["mask"] = None
    assert [case.facts["masked"] for case in cases(subject, RNG(0))] == [False, False]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_mask_differs_along_the_axes_of_its_layout_and_no_others(layout: str) -> None:
    lead, sizes = (2, 3), {"b": 2, "h": 3, "n": 7, "m": 5, "1": 1}
    case = asked(RNG(1), (lead, 7, 5, 8, 9), masked=True, layout=layout)
    whole = np.broadcast_to(case["mask"], (*lead, 7, 5))
    assert whole.any(-1).all()
    for axis, name in enumerate("bhn"):
        first = np.take(whole, [0], axis=axis)
        assert (whole == first).all() == (name not in layout.split())
    assert laid(case["mask"], layout).shape == tuple(sizes[axis] for axis in layout.split())
