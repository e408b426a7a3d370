"""The steps of EM in a person's mixture: responsibilities, and the weights, means and variances that follow from them."""

import re
from typing import Any

import numpy as np

from regard.checker.contract import Broken, Case, WeightMap
from regard.checker.contracts.mixture.answers import responsibilities
from regard.checker.contracts.mixture.forms import axes_of, spread_of
from regard.checker.contracts.mixture.methods import ask, method, restore
from regard.checker.contracts.mixture.reference import PLAIN, log_softmax
from regard.checker.contracts.mixture.roles import means_of
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, first, listed

POINTS, NEAR = 60, 1e-3
"Points that a step is asked for, and the share by which a number may be off."
FLOOR = 0.1
"The most that is added to every variance, so that none vanishes."
GAIN = 0.5
"What a step of EM may still add to the mean log-likelihood of points that a mixture was fitted to."
OWN = ("RuntimeError", "ValueError", "IndexError", "TypeError")
"Exceptions of a step that was called as its parameters say."
TYPES = re.compile(r"dtype|scalar type|(Float|Double)Tensor|\bfloat(32|64)?\b.*\bdouble\b", re.I)
"Words of exceptions about types of numbers: points that the checker made in another type than the object's own."
SHARES = re.compile(r"^(r|w|z|q|h|gamma\w*|resp\w*|post\w*|tau|assign\w*|weights?|probs?)$", re.I)
"Names of responsibilities."

Parameters = tuple[np.ndarray, np.ndarray, np.ndarray]
"Weights (k), means (k, d), covariances (k, d, d)."


def expected(subject: Subject, x: np.ndarray) -> np.ndarray:
    """The responsibilities (n, k)."""
    with np.errstate(all="ignore"):
        known = PLAIN.run({"x": x, "w": subject.frame}, {})
        return np.exp(log_softmax_rows(known["log weights"] + known["log densities"]))


def log_softmax_rows(terms: np.ndarray) -> np.ndarray:
    """A log-softmax of every row."""
    return np.stack([log_softmax(row) for row in terms])


def maximised(x: np.ndarray, shares: np.ndarray, about: np.ndarray | None = None) -> Parameters:
    """What the second half of EM gives; the spread is taken about the new means, unless others are given."""
    count = shares.sum(0)
    with np.errstate(all="ignore"):  # a component may have no point
        means = shares.T @ x / count[:, None]
        apart = x[:, None] - (means if about is None else about)
        spread = np.einsum("nk,nki,nkj->kij", shares, apart, apart) / count[:, None, None]
    return count / len(x), means, spread


def responsible(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Each point's responsibilities are its components' shares of its likelihood."""
    name = responsibilities(subject)
    x = _points(subject, rng)
    if name is None or not _takes(subject, name, 1):
        return _beside(subject, x)
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
        return None
    return Broken(number=off, words=f"{POINTS} points: {name} is off by up to {off:.3g}")


def _beside(subject: Subject, x: np.ndarray) -> Broken | None:
    """Shares that come beside the log-likelihoods are the responsibilities, or densities."""
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


def stepped(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """After one step of EM, weights, means and variances are those of the responsibilities before it."""
    names = _methods(subject)
    if not names:
        return None
    x = _points(subject, rng)
    restore(subject)
    try:
        _step(subject, names, x)
        about = subject.bench.line.ask("about", subject.made.number)["weights"]
        about |= listed(about, subject.made.learned)
        held = [about[subject.facts["roles"][role]].copy() for role in ("logits", "means", "log_variances")]
    except Raised as error:
        if error.kind not in OWN or TYPES.search(error.words):
            subject.facts["skipped"] = {*subject.facts.get("skipped", ()), "em step"}
            return None  # it needs something else first
        words = f"{POINTS} points: one step ends in {error.kind}: {error.words.splitlines()[0][:120]}"
        return Broken(number=np.inf, words=words)
    except KeyError:
        return None  # it keeps its weights elsewhere
    finally:
        restore(subject)
    before = [subject.facts["drawn"][subject.facts["roles"][r]] for r in ("logits", "means", "log_variances")]
    if all(np.array_equal(one, two) for one, two in zip(held, before, strict=True)):
        return None  # what it found is given back, not kept
    shares, means = expected(subject, x), subject.frame["means"]
    found, wanted = _parameters(subject, held), maximised(x, shares)
    if found is None:
        return Broken(number=np.inf, words="one step leaves weights of another shape")
    for what, got, right in zip(("weights", "means", "variances"), found, wanted, strict=True):
        off = _off(got, right) if what != "variances" else _spread(subject, got, right, wanted[0])
        if not off <= NEAR:  # also what is not a number
            old = maximised(x, shares, about=means)[2]
            slug = (
                "em-old-means"
                if what == "variances" and _spread(subject, got, old, wanted[0]) <= NEAR
                else ""
            )
            words = f"{POINTS} points: after one step the {what} are off by {off:.3g} of their size"
            return Broken(number=off, words=words, slug=slug)
    return None


def settled(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Of what was fitted, one more step of EM on its own points makes them hardly more likely."""
    x = subject.facts.get("fitted")
    if x is None or subject.facts["square"] is False or subject.facts["dimension"] != x.shape[1]:
        return None
    known, each = PLAIN.run({"x": x, "w": subject.frame}, {}), expected(subject, x)
    each = each[:, each.sum(0) > x.shape[1]]  # a component with too few points has no covariance
    if not each.size or not np.isfinite(each).all():
        return None
    shares, means, covariances = maximised(x, each)
    logs, axes = axes_of(covariances + 1e-6 * np.eye(x.shape[1]))
    weights = {"logits": np.log(shares), "means": means, "log_variances": logs}
    weights |= {} if axes is None else {"axes": axes}
    after = PLAIN.run({"x": x, "w": WeightMap(weights=weights)}, {})["output"]
    before = known["output"]
    gained = float((after - before).mean())
    if not gained > GAIN:
        return None
    words = f"{len(x)} points: after it was fitted, one step of EM raises their mean log-likelihood by {gained:.2g}"
    return Broken(number=gained, words=words)


def _points(subject: Subject, rng: np.random.Generator) -> np.ndarray:
    """Points from every component, so that none is empty."""
    means = subject.frame["means"]
    return means[np.arange(POINTS) % len(means)] + rng.standard_normal((POINTS, means.shape[1]))


def _takes(subject: Subject, name: str, count: int) -> bool:
    return sum(p["required"] for p in _parameters_of(subject, name)) == count


def _parameters_of(subject: Subject, name: str) -> list[dict[str, Any]]:
    return (subject.made.methods | subject.made.hidden)[name]


def _methods(subject: Subject) -> list[str]:
    """The method of a whole step, or those of its halves; nothing where it has neither."""
    whole = method(subject, r"^_?(em|em_?(step|update|iteration)|step_em)$")
    if whole and _takes(subject, whole, 1):
        return [whole]
    one = method(subject, r"^_?(e_?step|expectation(_step)?)$") or responsibilities(subject)
    two = method(subject, r"^_?(m_?step|maximi[sz]ation(_step)?)$")
    if one and two and _takes(subject, one, 1):
        return [one, two] if _takes(subject, two, 1) or _takes(subject, two, 2) else []
    return []


def _step(subject: Subject, names: list[str], x: np.ndarray) -> None:
    """Take one step, by the method of the whole or by one half after the other."""
    found: Any = _shares(subject, names[0], x)
    if len(names) > 1:
        wanted = [p["name"] for p in _parameters_of(subject, names[1]) if p["required"]]
        if any(re.search(r"log", name) for name in wanted) and np.min(found) >= 0:
            found = np.log(found)
        both = [found, x] if SHARES.match(wanted[0]) else [x, found]
        ask(subject, names[1], both if len(wanted) == 2 else [found] if SHARES.match(wanted[0]) else [x])


def _shares(subject: Subject, name: str, x: np.ndarray) -> Any:
    """What a method gives for each point and component; else the first that it gives."""
    asked = {"named": {}, "method": name, "kind": subject.kind, "seed": 0}
    answer = subject.bench.line.ask("call", subject.made.number, [x], **asked)["answer"]
    parts = answer if isinstance(answer, list) else [answer]
    both = {(len(x), subject.facts["components"]), (subject.facts["components"], len(x))}
    return next((part for part in parts if np.shape(part) in both), first(answer))


def _parameters(subject: Subject, held: list[np.ndarray]) -> Parameters | None:
    """Weights, means and covariances as they are, from what is kept."""
    shares, means, spread = held
    k, d = subject.facts["components"], subject.facts["dimension"]
    numbers = spread_of(spread, k, d) if spread.size else None
    if numbers is None or shares.size != k or means.size != k * d:
        return None
    plain = shares.reshape(k)
    kept = {"plain": plain, "log": np.exp(plain)}
    weights = kept.get(subject.facts["shares"], np.exp(log_softmax(plain)))
    # A component without points may be left with what is no covariance.
    with np.errstate(all="ignore"):
        return weights, means_of(means, k, d), subject.facts["form"].covariances(numbers)


def _off(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def _spread(subject: Subject, found: np.ndarray, wanted: np.ndarray, shares: np.ndarray) -> float:
    """How far covariances are off, in what is kept of them; what is added to all of them alike is left out."""
    k, d = found.shape[:2]
    size = subject.made.weights[subject.facts["roles"]["log_variances"]].size
    if size in (d, d * d, 1) and size not in (k * d, k):
        wanted = np.broadcast_to(np.einsum("k,kij->ij", shares, wanted), wanted.shape)
    if not subject.facts["square"]:
        found, wanted = (np.diagonal(each, axis1=1, axis2=2) for each in (found, wanted))
        if size in (k, 1) and d > 1:
            wanted = np.broadcast_to(wanted.mean(-1, keepdims=True), wanted.shape)
    eye = np.eye(d) if subject.facts["square"] else 1.0
    more = found - wanted
    added = float(np.median(np.diagonal(more, axis1=1, axis2=2) if more.ndim == 3 else more))
    return _off(found - (added if 0 < added <= FLOOR else 0.0) * eye, wanted)
