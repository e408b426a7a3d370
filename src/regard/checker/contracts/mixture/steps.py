"""What a person's mixture is asked: its responsibilities, and one step of EM, by whatever methods take it."""

import re
from typing import Any

import numpy as np

from regard.checker.contract import Broken, Case
from regard.checker.contracts.mixture.answers import responsibilities, telling
from regard.checker.contracts.mixture.em import NEAR, compared, expected, follows
from regard.checker.contracts.mixture.methods import method, restore, unused
from regard.checker.contracts.mixture.reference import PLAIN
from regard.checker.contracts.mixture.roles import told
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, first, listed

POINTS = 60
"Points that a step is asked for."
REMOTE = 150.0
"How far from all means points are at which a density is zero in every precision."
OWN = ("RuntimeError", "ValueError", "IndexError", "TypeError")
"Exceptions of a step that was called as its parameters say."
TYPES = re.compile(r"dtype|scalar type|(Float|Double)Tensor|\bfloat(32|64)?\b.*\bdouble\b", re.I)
"Words of exceptions about types of numbers: points that the checker made in another type than the object's own."
HALF = r"^_*(m_?step|step_m|maximi[sz](e|ation)(_?step)?)$"
"Names of the second half of EM."
SHARES = re.compile(r"^(r|w|z|q|h|gamma\w*|resp\w*|post\w*|tau|assign\w*|weights?|probs?)$", re.I)
"Names of responsibilities."


def mute(subject: Subject) -> bool:
    """Whether its parameters are known, and there is nothing that keeps them and could be asked."""
    return "one more" in subject.facts and not subject.facts.get("kept")


def responsible(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Each point's responsibilities are its components' shares of its likelihood."""
    name = responsibilities(subject)
    subject, x = unused(subject), _points(subject, rng)
    if mute(subject):
        return None
    if name is None or _free(subject, name) != 1:
        return _beside(subject, x) or _unnamed(subject, x)
    x = _taken(subject, name, x)
    try:
        found, wanted = np.asarray(_shares(subject, name, x)), expected(subject, x)
    finally:
        restore(subject)  # it may keep what it found
    if found.shape == wanted.T.shape:
        found = found.T
    if found.shape != wanted.shape:
        return None  # something else of that name
    if (found <= 0).all():
        found = np.exp(found)
    off = float(np.abs(found - wanted).max())
    if off <= NEAR:
        return _remote(subject, name)
    return Broken(number=off, words=f"{POINTS} points: {name} is off by up to {off:.3g}")


def _taken(subject: Subject, name: str, x: np.ndarray) -> np.ndarray:
    """Points that a step takes: where it keeps something for each of those that it was fitted to, these."""
    fitted = subject.facts.get("fitted")
    if fitted is None or not re.search(r"step|expect", name, re.I):
        return x
    try:
        _shares(subject, name, x)
    except Raised:
        return fitted
    finally:
        restore(subject)
    return x


def _remote(subject: Subject, name: str) -> Broken | None:
    """Far from all means responsibilities are shares as well."""
    x = np.random.default_rng(3).choice([-REMOTE, REMOTE], (5, subject.facts["dimension"]))
    try:
        found = np.asarray(_shares(subject, name, x))
    except Raised:
        return None
    finally:
        restore(subject)
    if np.isfinite(found).all():
        return None
    words = f"{name} of points {REMOTE:g} away from the means are not finite"
    return Broken(number=np.inf, words=words, slug="shares-underflow")


def _beside(subject: Subject, x: np.ndarray) -> Broken | None:
    """Shares that come beside the log-likelihoods are the responsibilities, or densities."""
    if "one more" in subject.facts:
        return None
    answer = subject.raw(*subject.enter(Case(name="", inputs={"x": x})))
    known = PLAIN.run({"x": x, "w": subject.frame}, {})
    shares = expected(subject, x)
    beside = (
        [part for part in answer[1:] if np.shape(part) == shares.shape] if isinstance(answer, list) else []
    )
    for part in beside:
        if not ((part >= 0) & (part <= 1)).all():
            continue
        joint = known["log weights"] + known["log densities"]
        allowed = (shares, np.exp(joint), np.exp(known["log densities"]))
        off = min(float(np.abs(part - each).max()) for each in allowed)
        if off > NEAR:
            return Broken(
                number=off, words=f"{POINTS} points: shares beside the answer are off by up to {off:.3g}"
            )
    return None


def _unnamed(subject: Subject, x: np.ndarray) -> Broken | None:
    """What a method of any name gives of each component for each point, so that they sum to one, are the responsibilities."""
    right = expected(subject, x)
    for name in subject.made.methods if not subject.made.module else ():
        if _free(subject, name) != 1 or re.search(r"fit|step|sampl|updat|train", name, re.I):
            continue
        try:
            found = _answer(subject, name, [x])
        except Raised:
            continue
        finally:
            restore(subject)
        if isinstance(found, np.ndarray) and found.shape == right.T.shape:
            found = found.T
        if not isinstance(found, np.ndarray) or found.shape != right.shape or found.dtype.kind != "f":
            continue
        hard = np.eye(right.shape[1])[right.argmax(1)]
        off = min(float(np.abs(found - each).max()) for each in (right, hard))
        if np.allclose(found.sum(1), 1) and (found >= 0).all() and off > NEAR:
            words = f"{len(x)} points: the shares that {name} gives are off by up to {off:.3g}"
            return Broken(number=off, words=words)
    return None


def stepped(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """After one step of EM, weights, means and variances are those of the responsibilities before it."""
    if "one more" in subject.facts:
        return compared(subject, *subject.facts["one more"])
    names = stepwise(subject)
    if not names:
        return _function(subject, _points(subject, rng))
    own = subject.facts.get("own points")
    x = (
        own
        if own is not None and not _free(subject, names[-1])
        else _taken(subject, names[0], _points(subject, rng))
    )
    answer: Any = None
    restore(subject)
    subject, roles = unused(subject), subject.facts.get("kept as", subject.facts["roles"])
    try:
        answer = _step(subject, names, x)
        about = subject.bench.line.ask("about", subject.made.number)["weights"]
        about |= listed(about, subject.made.learned)
        held = [about[roles[role]].copy() for role in ("logits", "means", "log_variances")]
    except Raised as error:
        if error.kind not in OWN or TYPES.search(error.words):
            subject.facts["skipped"] = {*subject.facts.get("skipped", ()), "em step"}
            return None  # it needs something else first
        words = f"{POINTS} points: one step ends in {error.kind}: {error.words.splitlines()[0][:120]}"
        return Broken(number=np.inf, words=words)
    except KeyError:
        if not subject.facts["fixed"]:
            return None  # it keeps its weights elsewhere
        held = []
    finally:
        restore(subject)
    kept = subject.facts["drawn"] | listed(subject.facts["drawn"], list(subject.facts["drawn"]))
    kept = kept or subject.made.weights  # as they were told
    before = [kept.get(subject.facts["roles"][r]) for r in ("logits", "means", "log_variances")]
    if all(_unmoved(one, two) for one, two in zip(held, before, strict=False)):
        held = _given_back(answer, subject)  # what it found is given back, not kept
    return follows(subject, x, held, expected(subject, x)) if held else None


def _unmoved(after: np.ndarray, before: np.ndarray | None) -> bool:
    """Whether what is kept is what it was, but for a precision that may be lower."""
    return before is not None and after.shape == before.shape and np.allclose(after, before, rtol=1e-6)


def _function(subject: Subject, x: np.ndarray) -> Broken | None:
    """The same of a function that stands beside the one that gives responsibilities or likelihoods."""
    bench = subject.bench
    named = (m for m in bench.members if m["kind"] == "function" and re.search(HALF, m["name"], re.I))
    half = next(named, None) if bench.member["kind"] == "function" else None
    asks = [p["name"] for p in half["parameters"] if p["required"]] if half else []
    if not half or len(asks) != 2:
        return None
    number, shares = bench.build({}, half["name"]).number, expected(subject, x)
    found: list[Broken | None] = []
    for each in (shares, shares.T):  # responsibilities may have the components first
        values = [each, x] if SHARES.match(asks[0]) else [x, each]
        try:
            asked = {"named": {}, "method": "", "kind": subject.kind, "seed": 0}
            answer = bench.line.ask("call", number, values, **asked)["answer"]
        except Raised:
            continue
        held = _given_back(answer, subject)
        found += [follows(subject, x, held, shares)] if held else []
    return None if None in found else next(iter(found), None)


def _given_back(answer: Any, subject: Subject) -> list[np.ndarray]:
    """Weights, means and spread among what a step answers, told apart by their shapes; nothing where one is missing."""
    k, d = subject.facts["components"], subject.facts["dimension"]
    parts = list(answer.values()) if isinstance(answer, dict) else answer if isinstance(answer, list) else []
    stacked = [np.stack(p) if isinstance(p, list) and _alike(p) else p for p in parts]
    arrays = [p for p in stacked if isinstance(p, np.ndarray) and p.dtype.kind == "f"]
    wanted = [(k,), (k, d), (k, d, d) if subject.facts["square"] else (k, d)]
    found: list[np.ndarray] = []
    for shape in wanted:
        fitting = [p for p in arrays if p.shape == shape and not any(p is one for one in found)]
        found += fitting[:1]
    return found if len(found) == len(wanted) and len(arrays) == len(wanted) else []


def _alike(parts: list[Any]) -> bool:
    """Whether a list holds arrays of one shape."""
    return bool(parts) and len({np.shape(part) if np.size(part) else None for part in parts}) == 1


def _points(subject: Subject, rng: np.random.Generator) -> np.ndarray:
    """Points from every component, so that none is empty."""
    means = subject.frame["means"]
    return means[np.arange(POINTS) % len(means)] + rng.standard_normal((POINTS, means.shape[1]))


def _free(subject: Subject, name: str) -> int:
    """How many arguments a method needs beside the parameters of the mixture, of which those that it keeps are told."""
    parameters = _parameters_of(subject, name)
    own = told(parameters)
    more = len(own) if {"means", "log_variances"} <= set(own) else 0
    return sum(p["required"] for p in parameters) - more


def _parameters_of(subject: Subject, name: str) -> list[dict[str, Any]]:
    return (subject.made.methods | subject.made.hidden)[name]


def stepwise(subject: Subject) -> list[str]:
    """The method of a whole step, or those of its halves; nothing where it has neither. What keeps its points needs none."""
    least = 0 if "own points" in subject.facts else 1
    whole = method(subject, r"^_?(em|em_?(step|update|iteration|iter)|step_em)$")
    if whole and least <= _free(subject, whole) <= 1:
        return [whole]
    one = method(subject, r"^_?(e_?step|step_e|expect(ation)?(_?step)?)$") or responsibilities(subject)
    two = method(subject, HALF)
    if one and two and least <= _free(subject, one) <= 1 and least <= _free(subject, two) <= 2:
        return [one, two]
    return []


def _step(subject: Subject, names: list[str], x: np.ndarray) -> Any:
    """Take one step, by the method of the whole or by one half after the other: what the last of them answers."""
    found: Any = _shares(subject, names[0], x)
    if len(names) == 1:
        return found
    wanted = [p["name"] for p in _parameters_of(subject, names[1]) if p["required"]]
    if any(re.search(r"log", name) for name in wanted) and np.min(found) >= 0:
        found = np.log(found)
    both = [found, x] if wanted and SHARES.match(wanted[0]) else [x, found]
    one = [[found] if SHARES.match(name) else [x] for name in wanted[:1]]
    return _answer(subject, names[1], both if len(wanted) == 2 else one[0] if one else [])


def _answer(subject: Subject, name: str, values: list[Any], named: dict[str, Any] | None = None) -> Any:
    asked = {"named": named or {}, "method": name, "kind": subject.kind, "seed": 0}
    return subject.bench.line.ask("call", subject.made.number, values, **asked)["answer"]


def _shares(subject: Subject, name: str, x: np.ndarray) -> Any:
    """What a method gives for each point and component; else the first that it gives."""
    enter = telling(subject, name, subject.facts["roles"])
    values, named = enter(Case(name="", inputs={"x": x}))
    answer = _answer(subject, name, values if _free(subject, name) else [], named)
    parts = answer if isinstance(answer, list) else [answer]
    both = {(len(x), subject.facts["components"]), (subject.facts["components"], len(x))}
    plain = (tuple(n for n in np.shape(part) if n > 1) for part in parts)
    return next((part for part, shape in zip(parts, plain, strict=True) if shape in both), first(answer))
