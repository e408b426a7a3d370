"""What masked attention is asked."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from regard.checker.contracts.attention.masks.layer import MaskForm
from regard.checker.contracts.attention.masks.probes import (
    LAYOUTS,
    asked,
    growing,
    hidden,
    order,
    shaped,
    unread,
    varied,
)
from regard.checker.process.session import Raised
from regard.checker.subject import Subject


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if "b" in layout])
def test_every_layout_hides_the_same_keys(layout: str) -> None:
    mask = np.array([[True, False, True], [False, True, True]]).reshape(2, 1, 1, 3)
    found = shaped(mask, layout, 5)
    rows = np.broadcast_to(found.reshape(2, -1, 3), (2, found.size // 6, 3))
    assert (rows == mask.reshape(2, 1, 3)).all()


@pytest.mark.parametrize(("layout", "axes"), [("n m b", (2, 0, 1)), ("n m b 1", (2, 0, 1))])
def test_where_tokens_come_first_queries_may_see_different_keys(layout: str, axes: tuple[int, ...]) -> None:
    mask = np.random.default_rng(1).random((2, 1, 5, 3)) < 0.5
    found = shaped(mask, layout, 5)
    assert (found.reshape(5, 3, 2).transpose(axes) == mask[:, 0]).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_varied_mask_differs_along_the_axes_of_its_layout(layout: str, puppet: Callable) -> None:
    form = MaskForm("mask", layout, "seen")
    case = varied(puppet("multi-head-attention", {}), np.random.default_rng(2), form)
    whole = np.broadcast_to(case["mask"], (2, 3, 7, 7))
    assert whole.any(-1).all()
    for axis, name in enumerate("bhn"):
        assert (whole == np.take(whole, [0], axis=axis)).all() == (name not in layout.split())


def test_the_reference_keeps_what_is_hidden_hidden_and_any_order(puppet: Callable) -> None:
    rng = np.random.default_rng(0)
    subject = puppet("multi-head-attention", {})
    assert hidden(subject, rng) is None
    assert order(subject, rng) is None


def test_a_mask_that_is_ignored_moves_what_is_seen(puppet: Callable) -> None:
    subject = puppet("multi-head-attention", {"see": lambda seen, size: np.ones((1,) * seen.ndim, bool)})
    broken = hidden(subject, np.random.default_rng(0))
    assert broken
    assert broken.words.startswith("changing key 1 of sample 0, which is hidden")


class Reads:
    """A line to something that looks at its mask, or does not."""

    def __init__(self, *, looks: bool) -> None:
        self.looks = looks

    def ask(self, verb: str, *values: object, named: dict, **others: object) -> dict:
        if self.looks and named["mask"].shape != (2, 7):
            raise Raised("RuntimeError", "sizes do not match", None, "")
        return {"answer": np.ones((2, 7, 24)), "changed": []}


@pytest.mark.parametrize("looks", [True, False])
def test_an_impossible_mask_is_taken_only_where_nobody_looks(looks: bool, puppet: Callable) -> None:
    subject = puppet("multi-head-attention", {})
    bench = replace(subject.bench, line=Reads(looks=looks))
    real = Subject(
        bench, subject.made, lambda case: ([], {"mask": case["mask"][:, 0, 0]}), facts=subject.facts
    )
    case = asked(subject, np.random.default_rng(0), masked=True)
    assert unread(real, case) is not looks


def test_the_last_sample_alone_may_have_something_to_hide(puppet: Callable) -> None:
    subject = puppet("multi-head-attention", {})
    name = "one hidden in the last sample alone"
    found = [case for case in growing(subject, np.random.default_rng(0)) if name in case.name]
    assert [case["mask"].all((1, 2, 3)).tolist() for case in found] == [[True, False]]
    subject.facts["layout"] = "n m"
    assert not [case for case in growing(subject, np.random.default_rng(0)) if name in case.name]
