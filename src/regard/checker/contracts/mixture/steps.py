"""The steps of EM in a person's mixture: responsibilities, and the weights, means and variances that follow from them."""

import re
from typing import Any

import numpy as np

from regard.checker.contract import Broken
from regard.checker.contracts.mixture.answers import responsibilities
from regard.checker.contracts.mixture.methods import LOGARITHMS, ask, method, restore
from regard.checker.contracts.mixture.reference import PLAIN, log_softmax
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, listed

POINTS, NEAR = 60, 1e-3
"Points that a step is asked for, and the share by which a number may be off."
FLOOR = 0.1
"The most that is added to every variance, so that none vanishes."
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
    means = shares.T @ x / count[:, None]
    apart = x[:, None] - (means if about is None else about)
    return count / len(x), means, np.einsum("nk,nki,nkj->kij", shares, apart, apart) / count[:, None, None]


def responsible(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Each point's responsibilities are its components' shares of its likelihood."""
    name = responsibilities(subject)
    if name is None or not _takes(subject, name, 1):
        return None
    x = _points(subject, rng)
    found, wanted = np.asarray(ask(subject, name, [x])), expected(subject, x)
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


def stepped(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """After one step of EM, weights, means and variances are those of the responsibilities before it."""
    names = _methods(subject)
    if not names or _balls(subject):
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
        off = _off(got, right) if what != "variances" else _spread(subject, got, right)
        if not off <= NEAR:  # also what is not a number
            old = maximised(x, shares, about=means)[2]
            slug = "em-old-means" if what == "variances" and _spread(subject, got, old) <= NEAR else ""
            words = f"{POINTS} points: after one step the {what} are off by {off:.3g} of their size"
            return Broken(number=off, words=words, slug=slug)
    return None


def _balls(subject: Subject) -> bool:
    """Whether each component has one spread for all axes: what a step gives then is not known here."""
    spread = subject.made.weights[subject.facts["roles"]["log_variances"]]
    return spread.size == subject.facts["components"] and subject.facts["dimension"] > 1


def _points(subject: Subject, rng: np.random.Generator) -> np.ndarray:
    """Points from every component, so that none is empty."""
    means = subject.frame["means"]
    return means[np.arange(POINTS) % len(means)] + rng.standard_normal((POINTS, means.shape[1]))


def _takes(subject: Subject, name: str, count: int) -> bool:
    return sum(p["required"] for p in subject.made.methods[name]) == count


def _methods(subject: Subject) -> list[str]:
    """The method of a whole step, or those of its halves; nothing where it has neither."""
    whole = method(subject, r"^(em|em_?(step|update|iteration)|step_em)$")
    if whole and _takes(subject, whole, 1):
        return [whole]
    first, second = responsibilities(subject), method(subject, r"^(m_?step|maximi[sz]ation(_step)?)$")
    if first and second and _takes(subject, first, 1) and _takes(subject, second, 2):
        return [first, second]
    return []


def _step(subject: Subject, names: list[str], x: np.ndarray) -> None:
    """Take one step, by the method of the whole or by one half after the other."""
    found: Any = ask(subject, names[0], [x])
    if len(names) > 1:
        wanted = [p["name"] for p in subject.made.methods[names[1]] if p["required"]]
        ask(subject, names[1], [found, x] if SHARES.match(wanted[0]) else [x, found])


def _parameters(subject: Subject, held: list[np.ndarray]) -> Parameters | None:
    """Weights, means and covariances as they are, from what is kept."""
    shares, means, spread = held
    k, d = subject.facts["components"], subject.facts["dimension"]
    if spread.size not in (k * d, k * d * d) or shares.size != k or means.size != k * d:
        return None
    whole = spread.size == k * d * d
    plain = shares.reshape(k)
    weights = plain if subject.facts["plain"] else np.exp(log_softmax(plain))
    if not subject.facts["raw"]:
        variances = np.exp(spread * LOGARITHMS[subject.facts["logarithm"]])
    elif whole and subject.facts["power"] == 2.0:
        factor = spread.reshape(k, d, d)
        variances = factor @ factor.swapaxes(-1, -2)
    else:
        variances = spread ** subject.facts["power"]
    return weights, means.reshape(k, d), variances.reshape((k, d, d) if whole else (k, d))


def _off(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def _spread(subject: Subject, found: np.ndarray, wanted: np.ndarray) -> float:
    """How far variances are off, what is added to all of them alike left out."""
    if found.ndim == 2:
        wanted = np.diagonal(wanted, axis1=1, axis2=2)
        more = found - wanted
        eye = 1.0
    else:
        more = np.diagonal(found - wanted, axis1=1, axis2=2)
        eye = np.eye(found.shape[-1])
    added = float(np.median(more))
    return _off(found - (added if 0 < added <= FLOOR else 0.0) * eye, wanted)
