"""A name is confirmed on fresh inputs and sizes: what holds only where it was chosen is not said."""

from functools import partial

import numpy as np
import pytest

from regard.checker.contract import Steps
from regard.checker.contracts.table import named
from regard.checker.family import TIGHT, Family, computed, distance
from regard.checker.grammar.confirm import Confirmation


class Fixed(Confirmation):
    """One whose subject cannot be made anew with other sizes."""

    wider = []  # noqa: RUF012


def confirmation(puppet, steps: Steps, name: str = "scaled-dot-product") -> Confirmation:
    subject, contract = puppet(name, steps), named(name)
    return Fixed(contract, subject, {}, partial(computed, contract), distance, TIGHT["float64"])


def found(puppet, name: str, steps: Steps):
    subject, contract = puppet(name, steps), named(name)
    cases = contract.cases(subject, np.random.default_rng(0))
    answers = [subject.answer(case) for case in cases]
    family = Family(contract, subject.frames, cases, answers, confirmation(puppet, steps, name))
    return family.find("float64")


def test_what_is_the_same_function_holds_and_what_differs_does_not(puppet) -> None:
    double = {"normalise": lambda s: s * 2}
    confirm = confirmation(puppet, double)
    assert confirm.holds(confirm.subject.frames[0], double)
    assert not confirm.holds(confirm.subject.frames[0], {})


def test_small_inputs_tell_scales_apart_that_a_saturated_softmax_hides(puppet) -> None:
    confirm = confirmation(puppet, {"scale": lambda size: 400.0})
    assert any(case.name.endswith("small") for case, _, _ in confirm.larger)
    assert not confirm.holds(confirm.subject.frames[0], {"scale": lambda size: 800.0})


@pytest.mark.parametrize(
    ("name", "steps", "says"),
    [
        ("scaled-dot-product", {"scale": lambda size: size.d**-2.0}, "the scale of the scores is one over the square of the number of channels of a head"),
        ("scaled-dot-product", {"scale": lambda size: 0.3}, "the scale of the scores is 0.3"),
        ("causal-attention", {"normalise": lambda s: 1 / (1 + np.exp(-s))}, "a sigmoid stands in place of the softmax"),
        ("rms-norm", {"finish": lambda y, x, w: y / w["gain"]}, "the gain divides and does not multiply"),
        ("gcn-layer", {"finish": lambda y, a, w: y - w["bias"]}, "the bias is taken off and not added"),
    ],
)  # fmt: skip
def test_a_mistake_without_an_entry_is_named(puppet, name: str, steps: Steps, says: str) -> None:
    with np.errstate(all="ignore"):
        match = found(puppet, name, steps)
    assert match and match.best.mistakes[0].cause == says


@pytest.mark.slow
def test_what_no_edit_explains_stays_unknown(puppet) -> None:
    odd = {"hide": lambda s, seen: np.where(seen, s + 0.1 * np.sin(3 * s), -np.inf)}
    assert found(puppet, "scaled-dot-product", odd) is None
