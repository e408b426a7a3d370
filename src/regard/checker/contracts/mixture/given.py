"""Mixtures that are told their parameters: functions of points, weights, means and covariances, and classes made from these."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.contracts.mixture.answers import asked
from regard.checker.contracts.mixture.forms import SpreadForm, forms
from regard.checker.contracts.mixture.readings import drawn, frames
from regard.checker.contracts.mixture.reference import likelihood
from regard.checker.contracts.mixture.roles import told
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.subject import Arguments, Subject
from regard.checker.workbench import Made, Workbench

K, D = 3, 5
WHOLE = r"cov|prec|chol|tril|Sigma|^S$"
"Words in the names of matrices."
NEAR = 1e-6


@dataclass(frozen=True)
class GivenParameters:
    """Values for the parameters of a mixture, and the form of its spread."""

    roles: dict[str, str]
    values: dict[str, np.ndarray]
    form: SpreadForm
    shares: str
    square: bool


def takes_parameters(bench: Workbench) -> bool:
    """Whether it must be told means and a spread, by their names."""
    own = told(bench.member["parameters"])
    return bench.made is None and bench.making is None and set(own) >= {"means", "log_variances"}


def given(bench: Workbench, rng: np.random.Generator, method: str = "", made: Made | None = None) -> Subject:
    """The mixture under the first way to give it its parameters under which it is right; else the first that it takes.

    They are given to the constructor or function, or to every call of a method of what was made.
    """
    error: Raised | None = None
    able: list[Subject] = []
    trial = points(rng, D)
    parameters = made.methods[method] if made else bench.member["parameters"]
    for way in ways(parameters, bench.source.text_of(bench.name), rng):
        try:
            subject = _made(bench, way, trial, method, made)
            answer = subject.answer(trial)
        except Raised as trouble:
            error = error or trouble
            continue
        right = likelihood(trial, subject.frames[0], {})
        able.append(subject)
        if answer.shape == right.shape and np.allclose(answer, right, rtol=NEAR):
            return subject
    if able:
        return next((s for s in able if s.answer(trial).shape == (len(trial["x"]),)), able[0])
    assert error
    bench.doubts.append("parameters of a mixture, in the order of their names")
    raise error


def ways(parameters: list[dict[str, Any]], text: str, rng: np.random.Generator) -> Iterator[GivenParameters]:
    """Spreads as matrices, along the axes, or one for each component; in the forms that their name allows."""
    roles = told(parameters)
    spread = roles["log_variances"]
    shapes: list[tuple[int, ...]] = [(K, D), (K, D, D), (K,), (D, D), (D,)]
    shapes = sorted(shapes, key=lambda shape: (shape[-2:] == (D, D)) is not bool(re.search(WHOLE, spread)))
    weights = roles.get("logits", "")
    shares = "logits" if re.search(r"logit", weights) else "log" if re.search(r"log", weights) else "plain"
    for shape in shapes:
        square = shape[-2:] == (D, D)
        for form in forms(spread, np.ones(shape), text, square=square):
            like = {"logits": np.ones(K), "means": np.ones((K, D)), "log_variances": np.ones(shape)}
            values = drawn({role: role for role in like}, like, form, shares, rng, square=square)
            yield GivenParameters(roles, values, form, shares if weights else "plain", square)


def _made(
    bench: Workbench, way: GivenParameters, trial: Case, method: str = "", held: Made | None = None
) -> Subject:
    """The function with these parameters, or the object that is made from them."""
    values: dict[str, Any] = {name: way.values[role] for role, name in way.roles.items()}
    sizes = {"components": K, "dimension": D}
    for p in bench.member["parameters"] if not held else ():
        meaning = mean(p["name"], list(sizes))
        if p["required"] and p["name"] not in values and meaning:
            values[p["name"]] = sizes[meaning]
    if "logits" not in way.roles:
        way.values["logits"] = np.full(K, 1 / K)
    roles = {role: role for role in ("logits", "means", "log_variances")}
    if bench.member["kind"] == "class" and not held:
        made = bench.tell(values)
        own = {
            role: next((n for n, held in made.weights.items() if _same(held, way.values[role])), "")
            for role in roles
        }
        subject = asked(bench, _knowing(made, way), trial, roles)
        subject.facts["kept as"] = own
    else:
        made = held or bench.build({})
        taken = made.methods[method] if method else made.call
        free = [p["name"] for p in taken if p["name"] not in values]

        def enter(case: Case) -> Arguments:
            return [], values | {free[0]: case["x"]}

        subject = asked(bench, _knowing(made, way), trial, roles, enter, method=method)
    if bench.member["kind"] == "class" and not held and set(way.roles) == set(roles):
        subject.facts["anew"] = lambda held: _knowing(
            bench.tell(values | {way.roles[role]: value for role, value in held.items()}), way
        )
    subject.facts |= {
        "drawn": {},
        "roles": roles,
        "components": K,
        "dimension": D,
        "form": way.form,
        "shares": way.shares,
        "square": way.square,
        "fixed": True,
    }
    subject.frames = frames(roles, way.values, [way.form], way.shares, subject, module=False)
    return subject


def _same(one: np.ndarray, two: np.ndarray) -> bool:
    """Whether numbers are the same, but for a precision that may be lower."""
    return one.shape == two.shape and bool(np.allclose(one, two, rtol=1e-5))


def _knowing(made: Made, way: GivenParameters) -> Made:
    """What was made, with its parameters where weights are read."""
    made.weights = made.weights | way.values
    return made


def points(rng: np.random.Generator, d: int, *, size: float = 1.5) -> Case:
    """A few points."""
    return Case(name="7 points", inputs={"x": rng.standard_normal((7, d)) * size})
