import re
from collections.abc import Iterator
from dataclasses import replace
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from regard.errors import RegardError
from regard.theory import library
from regard.theory.mathml import mathml
from regard.theory.reader import parse
from regard.theory.text import told
from regard.theory.theorem import (
    POINTS,
    ProofStep,
    Sweep,
    Theorem,
    Trial,
    TrialOutcome,
    bindings,
    check,
    gap,
    prove,
)
from regard.theory.value import column, defined
from theorem_saboteurs import SABOTEURS, settled, titles, verdicts

EVERY = pytest.mark.parametrize("name", library.names())
RANGE = re.compile(r"_\{[^{}]*\}|_\w|\^\{?N\}?")


def sabotaged(formula: str) -> Iterator[str]:
    """The formula with one sign flipped, one number made larger by one, or one bound turned round; indices stay."""
    spared = {place for found in RANGE.finditer(formula) for place in range(*found.span())}
    for found in re.finditer(r"(?<=[ {(&])[-+](?=[ \\\w(])|\d+|\\le\b|\\ge\b", formula):
        if found.start() in spared:
            continue
        old = found[0]
        new = {"-": "+", "+": "-", "\\le": "\\ge", "\\ge": "\\le"}.get(old) or str(int(old) + 1)
        yield formula[: found.start()] + new + formula[found.end() :]


def survivors(theorem: Theorem) -> Iterator[str]:
    """Each sabotage of a computed step that no step of the theorem shows."""
    for place, step in enumerate(theorem.steps):
        for formula in sabotaged(step.formula) if not step.check else ():
            wrong = replace(step, formula=formula)
            steps = (wrong, *theorem.steps[place + 1 :], *theorem.steps[:place])
            if holds(replace(theorem, steps=steps)):
                yield f"{theorem.name}, step {place + 1}: {formula}"


def holds(theorem: Theorem) -> bool:
    """Whether every step holds at a few points; the first that does not decides."""
    try:
        return all(
            gap(step, known) <= 1.0
            for known in (bindings(theorem, np.random.default_rng([0, place])) for place in range(POINTS))
            for step in theorem.steps
        )
    except (ValueError, np.linalg.LinAlgError, AssertionError, IndexError):
        return False


@pytest.mark.slow
@EVERY
def test_every_text_is_shown_in_both_ways(name: str) -> None:
    theorem = library.find(name)
    texts = [theorem.statement, theorem.meaning, theorem.correction, *theorem.assumptions]
    for text in [*texts, *(step.text for step in theorem.steps)]:
        told(text)
        assert text.count("$") % 2 == 0
        for formula in re.findall(r"\$\$?([^$]+)\$\$?", text):
            fromstring(mathml(formula))
    for step in theorem.steps:
        if step.formula:
            told(f"${step.formula}$"), fromstring(mathml(step.formula))


@pytest.mark.slow
@EVERY
def test_a_theorem_is_whole(name: str) -> None:
    theorem = library.find(name)
    assert theorem.name == name and theorem.assumptions and theorem.trials and theorem.breaks
    assert theorem.items or (theorem.speaks_of and theorem.elsewhere)
    assert sum(step.check is None for step in theorem.steps) >= 0.8 * len(theorem.steps), (
        "computed as written"
    )
    names = [one for step in theorem.steps if step.formula for one in defined(parse(step.formula))]
    assert len(names) == len(set(names)), "no name is defined twice"
    assert all(step.because for step in theorem.steps if step.check)


@EVERY
def test_the_answers_rest_on_all_steps_and_settle_the_items(name: str) -> None:
    theorem = library.find(name)
    assert {place for one in theorem.conclusions for place in one.steps} == set(
        range(1, len(theorem.steps) + 1)
    )
    assert tuple(item for one in theorem.conclusions for item in one.items) == theorem.items
    for one in theorem.conclusions:
        assert one.answer.endswith(".") and one.of[0].lower() == one.of[0]


@pytest.mark.slow
@EVERY
def test_what_is_predicted_is_measured_and_the_break_is_seen(name: str) -> None:
    assert prove(library.find(name)).failed == []


@pytest.mark.slow
@EVERY
def test_every_step_holds_at_random_points(name: str) -> None:
    theorem = library.find(name)
    assert [place for place, gap in enumerate(check(theorem, seed=1), 1) if not gap <= 1.0] == []


@pytest.mark.slow
@EVERY
def test_a_typo_in_the_mathematics_fails(name: str) -> None:
    theorem = library.find(name)
    tried = sum(1 for step in theorem.steps if not step.check for _ in sabotaged(step.formula))
    alive = [one for one in survivors(theorem) if not any(still in one for still in HARMLESS)]
    assert tried >= 5 and not alive, "\n".join(alive)


HARMLESS = (
    r"\frac{2}{16}",  # a bound twice as large is true too
    r"\sigma_{\min}(I - J)",  # true with either sign of J
    r"\frac{n + 1}{e",  # a larger bound
    r"m_1 \coloneqq \max_{j=1}^{4}",  # a softmax is the same whatever is taken from its scores
)
"What can be changed and stays true."


def outcome(measured: tuple[float, ...], relation: str = "=", broken: bool = False) -> TrialOutcome:
    trial = Trial(
        title="t", knob="k", quantity="q", caption="c", measure=lambda random, count: sweep, relation=relation
    )
    sweep = Sweep(at=(0.0,), predicted=(1.0,), measured=(measured,), broken=(broken,))
    return TrialOutcome(trial, sweep)


@pytest.mark.parametrize(
    ("measured", "relation", "broken", "holds"),
    [
        ((0.9, 1.0, 1.1), "=", False, True),
        ((1.9, 2.0, 2.1), "=", False, False),
        ((1.9, 2.0, 2.1), "=", True, True),
        ((0.9, 1.0, 1.1), "=", True, False),
        ((0.5, 1.0), "≤", False, True),
        ((0.5, 1.1), "≤", False, False),
        ((0.5, 1.1), "≤", True, True),
        ((0.5, 0.9), "≤", True, False),
        ((1.5, 1.0), "≥", False, True),
        ((1.5, 0.9), "≥", False, False),
        ((1.5, -0.9), "≥", False, False),
        ((-0.5, -0.4), "≤", False, True),
    ],
)
def test_a_prediction_stands_or_falls(measured, relation, broken, holds) -> None:
    assert outcome(measured, relation, broken).holds is holds


FACTORS = (1.5, 2.0, -1.0, 0.5)
"What a slip of the pen does to a prediction."
TURNED = {"≤": "≥", "≥": "≤"}


def planted(outcome: TrialOutcome, factor: float) -> TrialOutcome:
    sweep = outcome.sweep
    each = tuple(tuple(factor * one for one in found) for found in sweep.each)
    predicted = tuple(factor * one for one in sweep.predicted)
    return replace(outcome, sweep=replace(sweep, predicted=predicted, each=each))


@EVERY
def test_no_prediction_stands_with_a_factor_too_much(name: str) -> None:
    """A bound may be loose by less than ten. What is predicted to be nothing has no factor; its steps have."""
    for one in prove(library.find(name)).outcomes:
        intact = [p for p, off in zip(one.sweep.predicted, one.broken, strict=True) if not off]
        factors = {"≤": (-1.0, 0.1), "≥": (-1.0, 10.0)}.get(one.trial.relation, FACTORS)
        if any(intact):
            assert [factor for factor in factors if planted(one, factor).intact <= one.trial.limit] == []
        if one.trial.relation in TURNED:
            turned = replace(one.trial, relation=TURNED[one.trial.relation])
            assert TrialOutcome(turned, one.sweep).intact > turned.limit, "a bound of one side alone"


@pytest.mark.parametrize(
    ("name", "saboteur"), [(name, one) for name in library.names() for one in SABOTEURS.get(name, {})]
)
def test_a_trial_that_measures_something_else_fails(name: str, saboteur: str, monkeypatch) -> None:
    planted = SABOTEURS[name][saboteur]
    planted.plant(monkeypatch)
    assert verdicts(library.find(name), planted.fail) == dict.fromkeys(planted.fail, "failed")


@EVERY
def test_every_trial_and_every_break_has_a_saboteur_and_holds_without(name: str) -> None:
    theorem = library.find(name)
    assert set().union(*(one.fail for one in SABOTEURS.get(name, {}).values())) == titles(theorem)
    assert verdicts(theorem, titles(theorem)) == dict.fromkeys(titles(theorem), "held")


@EVERY
def test_every_conclusion_falls_with_a_typo_in_its_steps(name: str) -> None:
    theorem = replace(library.find(name), trials=(), breaks=())
    assert set(settled(theorem).values()) == {"held"}
    for one in theorem.conclusions:
        wrong = (replace(theorem, steps=steps) for steps in misprinted(theorem, one.steps))
        assert any(falls(theorem, f"{one.of}: steps that do not hold") for theorem in wrong), one.of


def misprinted(theorem: Theorem, places: tuple[int, ...]) -> Iterator[tuple[ProofStep, ...]]:
    """The steps of a theorem with one typo in one of these, or with one of its sides doubled, all in turn."""
    for place in places:
        step = theorem.steps[place - 1]
        doubled = step.formula.replace(" = ", " = 2 ", 1)
        for formula in (*sabotaged(step.formula), doubled) if not step.check else ():
            yield (*theorem.steps[: place - 1], replace(step, formula=formula), *theorem.steps[place:])


def falls(theorem: Theorem, claim: str) -> bool:
    """Whether a claim fails; a formula that can no longer be computed says nothing about it."""
    try:
        return settled(theorem)[claim] == "failed"
    except (ValueError, np.linalg.LinAlgError, AssertionError, IndexError, RegardError):
        return False


def test_an_exact_prediction_is_held_to_every_instance() -> None:
    """A spread between instances excuses nothing: one of them off by a millionth is enough."""
    trial = Trial(title="t", knob="k", quantity="q", caption="c", measure=lambda r, n: None, relation="≡")
    each = ((1.0, 100.0, 1000.0),)
    fine = Sweep(at=(0.0,), predicted=(367.0,), each=each, measured=each)
    assert TrialOutcome(trial, fine).holds
    off = replace(fine, measured=((1.0, 100.0 + 2e-4, 1000.0),))
    assert not TrialOutcome(trial, off).holds and TrialOutcome(trial, off).gaps()[0][1] == pytest.approx(2e-6)
    assert not TrialOutcome(trial, replace(fine, each=())).holds, "the mean is no prediction for each"


@pytest.mark.slow
def test_a_wrong_step_and_a_wrong_prediction_are_named() -> None:
    theorem = library.find("input-noise")
    wrong = replace(theorem.steps[1], formula=theorem.steps[1].formula.replace("2 r_i", "3 r_i"))
    steps = (theorem.steps[0], wrong, *theorem.steps[2:])
    doubled = replace(
        theorem.trials[0],
        measure=lambda random, count: Sweep(at=(0.0,), predicted=(2.0,), measured=((1.0, 1.1, 0.9),)),
    )
    proof = prove(replace(theorem, steps=steps, trials=(doubled,)))
    assert proof.failed == ["step 2", "what the noise adds"]
    assert proof.plain()["failed"] == proof.failed and proof.plain()["steps"] == 7


def test_a_step_may_be_checked_by_a_function_and_nan_is_no_pass() -> None:
    known = {"a": 1.0}
    assert (
        gap(ProofStep(text="", formula="a = 2", check=lambda known: known["a"] / 2, because="shown"), known)
        == 0.5
    )
    assert gap(ProofStep(text="", check=lambda known: float("nan"), because="shown"), known) == np.inf
    assert gap(ProofStep(text="no formula"), known) == 0.0
    assert gap(ProofStep(text="", formula="x = y"), {"x": column(1, 2), "y": column(1, 2, 3)}) == np.inf
