"""Mixtures that can be asked nothing: followed while they fit, each turn of the loop must be one step of EM."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from regard.checker.contract import Broken
from regard.checker.contracts.mixture.clouds import COMPONENTS, DIMENSION, FITS, cloud
from regard.checker.contracts.mixture.em import (
    NEAR,
    Parameters,
    compared,
    expected,
    maximised,
    offsets,
    parameters,
)
from regard.checker.contracts.mixture.fits import ReturnedMixture, call_of, stepping
from regard.checker.contracts.mixture.forms import spread_of
from regard.checker.contracts.mixture.roles import MEANS, OTHER, SPREAD, WEIGHTS, word
from regard.checker.contracts.mixture.roles import told as told_roles
from regard.checker.contracts.mixture.steps import stepwise
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, apart, listed
from regard.checker.workbench import Made, Unfit, Workbench

Held = dict[str, np.ndarray]
Pair = tuple[Held, Held]

MOST = 60
"Ways to read the arrays of one turn that are tried."
KNOWN = 1e-6
"How near to one numbers add up that are weights."
CHANGED = 1e-9
"What counts as a change between two turns."
EXACT, FARTHER = 1e-9, 100.0
"How far off a spread must be to be wrong that another explains, and by how much that one must be nearer."
MATRICES = re.compile(r"\bdet\(|\binv\(|multivariate|cholesky|\bouter\(|\beye\(")
"What stands in code that takes points of several axes."
NEARBY = 1.2
"How far the places lie apart around which points lie that must be shared by components."
GRADIENTS = re.compile(r"backward\(|optim\.|\.grad\b")
"What stands in code that learns by gradients."
ASIDE = r"pred|plot|draw|show|print|sampl|score|save|load|pdf|prob|lik|get|set_"
"Words in the names of methods that fit nothing."
CENTRES = r"cent(er|re|roid)|clusters?$|init|start|mu"
"Names of places where components start."


def read_turns(
    bench: Workbench, made: Made, seen: list[tuple[int, Held]], x: np.ndarray
) -> ReturnedMixture | None:
    """The mixture at some turn, with its next turn beside it: one that takes a step of EM, else one that nearly does."""
    once: ReturnedMixture | None = None
    nearest: ReturnedMixture | None = None
    for line, turns in _loops(seen):
        for own in _points(seen, line, x):
            for roles in _readings(turns, own):
                found = _taken(bench, made, roles, turns, own)
                if found is None:
                    continue
                if found.facts["changes"] == 1:
                    once = once or (None if found.facts["missed"] else found)
                elif not found.facts["missed"]:
                    return found
                elif nearest is None or len(found.facts["missed"]) < len(nearest.facts["missed"]):
                    nearest = found
    return nearest or once  # a single step from equal weights shows little


def _points(seen: list[tuple[int, Held]], line: int, x: np.ndarray) -> list[np.ndarray]:
    """The points that are fitted, and those that were made of them on the way, scaled or moved."""
    first = next(held for where, held in seen if where == line)
    scaled = [
        v for v in first.values() if v.shape == x.shape and np.isfinite(v).all() and not np.allclose(v, x)
    ]
    return [x, *scaled[:2]]


def _loops(seen: list[tuple[int, Held]]) -> list[tuple[int, list[Pair]]]:
    """Turns of each loop with the turns that follow them."""
    lines: dict[int, list[Held]] = {}
    for line, held in seen:
        lines.setdefault(line, []).append(held)
    return [(line, list(pairwise(turns))) for line, turns in lines.items() if len(turns) > 1]


def _every(held: Held) -> Held:
    """Arrays, those of a list as one, and numbers whose names differ by a digit alone."""
    groups: dict[str, list[np.ndarray]] = {}
    for name, value in held.items():
        if value.ndim == 0 and name[-1:].isdigit():
            groups.setdefault(name.rstrip("0123456789"), []).append(value)
    ones = {name: np.stack(values) for name, values in groups.items() if len(values) > 1}
    lists = listed(held, list(held))
    return {name: v for name, v in (held | lists | ones).items() if v.size > 1}


def _readings(turns: list[Pair], x: np.ndarray) -> list[dict[str, str]]:
    """Which arrays may be weights, means and spread: by their shapes, those whose names say so first."""
    one, two = (_every(held) for held in turns[-1])  # the first may not be what they will be
    both = {n: v for n, v in one.items() if n in two and two[n].shape == v.shape and len(x) not in v.shape}
    both = {n: v for n, v in both.items() if np.isfinite(v).all() and np.isfinite(two[n]).all()}
    found = list(_by_shape(both, two, x.shape[1]))
    said = {"logits": WEIGHTS, "means": MEANS, "log_variances": SPREAD}

    def strange(roles: dict[str, str]) -> int:
        own = [word(name) for name in roles.values()]
        return sum(not said[role].search(word(name)) for role, name in roles.items()) + sum(
            bool(re.search(r"old|prev|last|init|best", name, re.I)) or bool(OTHER.search(name))
            for name in own
        )

    return sorted(found, key=strange)[:MOST]


def _by_shape(one: Held, two: Held, d: int) -> Iterator[dict[str, str]]:
    shares = [n for n, v in one.items() if _shares(v) and _shares(two[n])]
    named = [
        n for n, v in one.items() if max(v.shape) == v.size and (v > 0).all() and WEIGHTS.search(word(n))
    ]
    for logits in shares or [n for n in named if not MEANS.search(word(n)) and not SPREAD.search(word(n))]:
        k = one[logits].size
        means = [n for n, v in one.items() if n != logits and _places(v, k, d)]
        for mean in means:
            for name, value in one.items():
                if name in (logits, mean) or spread_of(value, k, d) is None:
                    continue
                if value.size in (k * d, k * d * d) or SPREAD.search(word(name)):
                    yield {"logits": logits, "means": mean, "log_variances": name}


def _shares(value: np.ndarray) -> bool:
    """Whether numbers are weights or their logarithms."""
    if max(value.shape) != value.size:
        return False
    plain = bool((value >= 0).all()) and abs(float(value.sum()) - 1) < KNOWN
    return plain or (bool((value <= 0).all()) and abs(float(np.exp(value).sum()) - 1) < KNOWN)


def _places(value: np.ndarray, k: int, d: int) -> bool:
    shape = tuple(n for n in value.shape if n > 1)
    return shape in ((k, d), (d, k)) if d > 1 else shape == (k,)


def _taken(
    bench: Workbench, made: Made, roles: dict[str, str], turns: list[Pair], x: np.ndarray
) -> ReturnedMixture | None:
    """The mixture as it is read, and what of it is no step of EM at its turns."""
    missed: list[str] = []
    first: ReturnedMixture | None = None
    names = list(roles.values())
    both = [(_every(one), _every(two)) for one, two in turns]
    moving = [pair for pair in both if _moves(*pair, names)]
    for one, two in moving[1:3] or moving:  # the first step may start from anything
        subject = stepping(bench, replace(made, weights=dict(made.weights)), roles, (one, two), x)
        held = [two[roles[role]] for role in ("logits", "means", "log_variances")]
        found = parameters(subject, held)
        if found is None:
            return None
        wanted = maximised(x, expected(subject, x))
        offs = offsets(subject, found, wanted, held[2].size)
        off = [w for w, o in zip(("weights", "means", "variances"), offs, strict=True) if not o <= NEAR]
        if not off and _about_old_means(subject, found, wanted, x):
            off, subject.facts["about old means"] = ["variances"], True
        if first is None or len(off) > len(missed):
            first, missed = subject, off
            subject.facts["changes"] = len(moving)
    if first is None:
        return None
    first.facts["missed"] = missed
    return first


def _moves(one: Held, two: Held, names: list[str]) -> bool:
    """Whether arrays are there at two turns, are numbers, and are not what they were."""
    if any(name not in held or not np.isfinite(held[name]).all() for held in (one, two) for name in names):
        return False
    if any(one[name].shape != two[name].shape for name in names):
        return False
    return not all(np.allclose(one[name], two[name], rtol=CHANGED, atol=0) for name in names)


def _about_old_means(subject: Subject, found: Parameters, wanted: Parameters, x: np.ndarray) -> bool:
    """Whether a spread that is nearly right, because the means hardly move, is exactly that about the old means."""
    if not subject.facts["square"]:
        return False
    old = maximised(x, expected(subject, x), about=subject.frame["means"])[2]
    new, before = (float(np.abs(found[2] - each).max() / np.abs(each).max()) for each in (wanted[2], old))
    return new > EXACT and before * FARTHER < new


def follow(bench: Workbench) -> Subject | None:
    """The mixture that is found while it fits points; nothing where no loop holds one."""
    nearest: Subject | None = None
    errors: list[Raised] = []
    wide, plane = cloud(DIMENSION, NEARBY), cloud(2, NEARBY)
    each = [wide, plane, plane / 8 + 0.5]
    if not MATRICES.search(bench.source.text):
        each += [wide[:, 0], wide[:, :1]]
    for x in each:
        for subject in _followed(bench, x, errors):
            if not subject.facts["missed"]:
                return subject
            nearest = nearest or subject
    unbound = next((error for error in errors if error.kind == "NameError"), None)
    if unbound and not nearest:
        raise unbound  # whatever it is told
    return nearest


def turned(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Where no method makes a step, the turns of the loop that fits are steps of EM, as far as they nearly are."""
    bench = subject.bench
    text = bench.source.text_of(bench.name)
    if (
        "one more" in subject.facts
        or stepwise(subject)
        or bench.member["kind"] != "class"
        or GRADIENTS.search(text)
    ):
        return None
    found = follow(bench) if bench.making is None and bench.made is None else None
    if found is None or len(found.facts["missed"]) not in (1, 2):
        return None  # it learns in another way
    return compared(found, *found.facts["one more"])


def _followed(bench: Workbench, x: np.ndarray, errors: list[Raised]) -> Iterator[Subject]:
    """What is found by each way to let it fit some points."""
    points = x.reshape(len(x), -1)
    try:
        made = bench.build({"components": COMPONENTS, "dimension": points.shape[1], "data": x})
    except (Raised, Unfit):
        return
    own = made.call if bench.member["kind"] == "function" else []
    calls = [("", own)] if own else [(name, (made.methods | made.hidden)[name]) for name in _able(made)]
    for name, asks in calls:
        for values, named in _arguments(asks, x):
            asked = {"named": named, "method": name, "kind": "float64", "seed": 0}
            try:
                told = bench.line.ask("follow", made.number, values, **asked)
            except Raised as error:
                errors.append(error)
                continue
            with np.errstate(all="ignore"):  # many readings are no mixture
                found = read_turns(bench, made, [(line, held) for line, held in told], points)
            if found:
                found.notes.append(f"followed while it fits {len(x)} points")
                _plant(bench, found)
                yield found
                break


def _able(made: Made) -> list[str]:
    """Methods that may fit it, those first whose names say so."""
    hidden = {n: asks for n, asks in made.hidden.items() if re.search(FITS, n.strip("_"), re.I)}
    every = made.methods | hidden
    few = [n for n, asks in every.items() if not re.search(ASIDE, n, re.I) and len(_needed(asks)) <= 3]
    few += [
        n for n in made.methods if re.fullmatch(r"predict|fit_predict|cluster|segment", n) and n not in few
    ]
    return sorted(few, key=lambda n: not re.search(FITS, n, re.I))


def _needed(parameters: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [p for p in parameters if p["required"] and not p["star"]]


def _arguments(parameters: list[dict[str, Any]], x: np.ndarray) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """What a fit may be told: points first, then how often, how many, or where it starts."""
    needed = _needed(parameters)
    values, more = call_of(parameters, x)
    if not any(p["name"] not in more for p in needed[1:]):
        yield values, more
        if x.ndim > 1 and values:
            yield [x.T], more
        return
    points = x.reshape(len(x), -1)
    places = points[[0, 3, 6]]
    roles = told_roles(needed[1:])
    d = points.shape[1]
    for spread in (np.repeat(np.eye(d)[None], COMPONENTS, axis=0), np.ones((COMPONENTS, d))):
        starts = {"logits": np.full(COMPONENTS, 1 / COMPONENTS), "means": places, "log_variances": spread}
        named = more | {name: starts[role] for role, name in roles.items()}
        named |= {
            p["name"]: places
            for p in needed[1:]
            if p["name"] not in named and re.search(CENTRES, p["name"], re.I)
        }
        yield [x], named
        if x.ndim > 1:  # points, and what stands for each component, may be columns
            columns = {name: np.moveaxis(named[name], 0, -1) for name in named if np.ndim(named[name]) > 1}
            yield [x.T], named | columns


def _plant(bench: Workbench, subject: Subject) -> None:
    """Where the object keeps its parameters once it is fitted, it gets those of the turn: then its methods can be asked."""
    about = bench.line.ask("about", subject.made.number)
    every = about["weights"] | listed(about["weights"], list(about["weights"]))
    roles = {role: name.removeprefix("self.") for role, name in subject.facts["roles"].items()}
    if not all(
        n in every and every[n].size == subject.made.weights[subject.facts["roles"][r]].size
        for r, n in roles.items()
    ):
        return
    held = {
        n: subject.made.weights[subject.facts["roles"][r]].reshape(every[n].shape) for r, n in roles.items()
    }
    subject.made.weights |= every | held
    subject.facts |= {"roles": roles, "drawn": apart(held), "kept": True}
    subject.set(subject.facts["drawn"])
