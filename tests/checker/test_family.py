"""The nearest member names the cause: every program of every mistake is found under its own name, and nothing else is."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from regard.checker.contract import Case, Contract, Steps, WeightMap
from regard.checker.contracts.table import CONTRACTS
from regard.checker.family import TIGHT, Family, distance
from regard.checker.subject import Subject

# The first form of a mistake stands for all; the proof has the last one too, and what lies between is numbers.
PROGRAMS = [
    pytest.param(c, m, i, id=f"{c.name}-{m.slug}-{i}", marks=pytest.mark.proof if i else pytest.mark.slow)
    for c in CONTRACTS
    for m in c.mistakes
    for i in sorted({*range(len(m.forms))[:1], *range(len(m.forms))[-1:]})
]
SAME = (
    {"base-wrong", "exponent-without-two"},  # 10000 ** (-i/d) is 100 ** (-2i/d)
    {"leaky-missing", "leaky-after-softmax"},  # after a softmax nothing is negative
    {"target-term-missing", "leaky-of-parts"},  # a sum of parts loses the node's own in the softmax
    {"source-term-missing", "attention-unused"},  # scores that ignore the neighbour make a plain mean
    {"sum-overwritten", "diagonal-alone"},  # where loops come last, they are what is kept
)
"Mistakes that are the same function; the contract's `decide` tells them apart by the source."
AGREED = [(c, a, i) for c in CONTRACTS for a in c.conventions for i in range(len(a.forms))]


def matched(contract: Contract, puppet: Callable, steps: Steps, needs: tuple[str, ...] = ()):
    subject = puppet(contract.name, steps)
    lend(subject, needs)
    if "turn" in steps and contract.name == "multi-head-attention":
        subject.facts["mask"] = None  # over the wrong axis no mask fits
    if contract.name == "gat-layer" and {"merge", "mix"} & set(steps):
        subject.frames[0].weights["bias"] = np.zeros(1)  # a layer of another width has no bias of this one
    if "share" in steps:
        group(subject)  # with as many key heads as heads there is nothing to share
    if contract.name == "scaled-dot-product" and steps is contract.mistake("scale-value-width").forms[0]:
        subject.facts["shape"] = ((2, 3), 7, 5, 8, 9)
    cases = contract.cases(subject, np.random.default_rng(0))
    if any(m.slug == "mask-by-zero" and steps in m.forms for m in contract.mistakes):
        cases = [nothing_asked(case, subject) for case in cases]
    return Family(contract, subject.frames, cases, [subject.answer(case) for case in cases]).find("float64")


def nothing_asked(case: Case, subject: Subject) -> Case:
    """A first key of zeros, and no bias: its score is exactly 0."""
    weights = subject.frames[0].weights
    if "bk" in weights:
        weights["bk"] = np.zeros_like(weights["bk"])
    inputs = {name: value.copy() for name, value in case.inputs.items()}
    inputs["key"][..., 0, :] = 0.0
    return replace(case, inputs=inputs)


def lend(subject: Subject, needs: tuple[str, ...]) -> None:
    """What a convention needs beside the weights that every layer has: a norm's own, or a graph that is a matrix or a list."""
    rng, frame = np.random.default_rng(8), subject.frames[0]
    width = frame["bias"].size if "bias" in frame.weights else 24
    frame.weights.update({name: rng.uniform(0.5, 1.5, width) for name in needs if name in ("gain", "shift")})
    frame.facts.update(dict.fromkeys(set(needs) & {"dense", "listed"}, True))


def group(subject: Subject) -> None:
    """Six heads that share three key heads."""
    weights, facts = subject.frames[0].weights, subject.frames[0].facts
    for letter in "kv":
        weights[f"w{letter}"], weights[f"b{letter}"] = (
            weights[f"w{letter}"][:, :12],
            weights[f"b{letter}"][:12],
        )
    facts["heads"] = subject.facts["heads"] = 6


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_the_reference_is_correct(contract: Contract, puppet: Callable) -> None:
    match = matched(contract, puppet, {})
    assert match
    assert match.best.mistakes == match.best.conventions == ()


@pytest.mark.slow
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda c: c.name)
def test_one_mistake_of_each_contract_is_found(contract: Contract, puppet: Callable) -> None:
    mistake = next(m for m in contract.mistakes if m.forms)
    match = matched(contract, puppet, mistake.forms[0])
    assert match
    assert match.slugs == ((mistake.slug,),)


@pytest.mark.parametrize(("contract", "mistake", "form"), PROGRAMS)
def test_every_mistake_is_found_under_its_own_name(
    contract: Contract, mistake, form: int, puppet: Callable
) -> None:
    # Planted mistakes are held to the contract's own choices: what is a mistake there is no convention.
    strict = tuple(c for c in contract.conventions if c.asked("") and not c.mistake)
    match = matched(replace(contract, conventions=strict), puppet, mistake.forms[form])
    assert match
    assert match.slugs == ((mistake.slug,),) or {slug for each in match.slugs for slug in each} in SAME
    assert match.runner > 100 * match.distance


@pytest.mark.slow
@pytest.mark.parametrize(
    ("contract", "agreed", "form"), AGREED, ids=[f"{c.name}-{a.slug}-{i}" for c, a, i in AGREED]
)
def test_a_convention_is_no_mistake(contract: Contract, agreed, form: int, puppet: Callable) -> None:
    match = matched(contract, puppet, agreed.forms[form], agreed.needs)
    assert match
    assert not match.best.mistakes
    assert [c.slug for c in match.best.conventions] == [agreed.slug]


@pytest.mark.slow
def test_two_mistakes_are_both_named(puppet: Callable) -> None:
    contract = next(c for c in CONTRACTS if c.name == "causal-attention")
    steps = contract.mistake("scale-width").forms[0] | contract.mistake("heads-merge-view").forms[0]
    match = matched(contract, puppet, steps)
    assert match
    assert match.slugs == (("heads-merge-view", "scale-width"),)


def test_what_no_member_explains_has_no_name(puppet: Callable) -> None:
    contract = next(c for c in CONTRACTS if c.name == "rms-norm")
    assert (
        matched(contract, puppet, {"divide": lambda above, below, eps: above / (below + eps) ** 0.3}) is None
    )


def test_a_small_error_is_no_match() -> None:
    x = np.arange(1.0, 7.0)
    assert distance(x * (1 + 1e-5), x) > TIGHT["float64"]
    assert distance(x * (1 + 1e-5), x) < TIGHT["float32"]


def test_nan_counts_as_nan_and_nowhere_else() -> None:
    hole = np.array([1.0, np.nan])
    assert distance(hole, hole) == 0.0
    assert distance(hole, np.array([1.0, 2.0])) == np.inf
    assert distance(np.zeros(3), np.zeros(2)) == np.inf
    assert np.isnan(distance(np.full(2, np.nan), np.full(2, np.nan)))


def test_nothing_but_nan_matches_nobody(puppet: Callable) -> None:
    contract = next(c for c in CONTRACTS if c.name == "rms-norm")
    assert matched(contract, puppet, {"finish": lambda y, x, w: y * np.nan}) is None


def test_of_two_readings_that_fit_the_one_that_assumes_less_is_taken(puppet: Callable) -> None:
    contract = next(c for c in CONTRACTS if c.name == "rms-norm")
    subject = puppet(contract.name, {})
    cases = contract.cases(subject, np.random.default_rng(0))
    plain = subject.frames[0]
    assuming = WeightMap(weights=plain.weights, facts=plain.facts, conventions=("eps-value",))
    match = Family(contract, [assuming, plain], cases, [subject.answer(case) for case in cases]).find(
        "float64"
    )
    assert match
    assert match.best.frame is plain


def test_another_reading_counts_only_where_the_reference_itself_fits(puppet: Callable) -> None:
    contract = next(c for c in CONTRACTS if c.name == "rms-norm")
    subject = puppet(contract.name, {})
    cases = contract.cases(subject, np.random.default_rng(0))
    right, wrong = subject.frames[0], WeightMap(weights=subject.frames[0].weights, facts={"eps": 1.0})
    family = Family(contract, [wrong], cases, [subject.answer(case) for case in cases])
    match = family.read_otherwise([wrong, right], "float64")
    assert match
    assert match.best.frame is right
    assert family.read_otherwise([wrong], "float64") is None
