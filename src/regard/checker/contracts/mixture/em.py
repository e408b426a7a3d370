"""One step of EM as it is: responsibilities, what follows from them, and by how much a person's step is off."""

import numpy as np

from regard.checker.contract import Broken, WeightMap
from regard.checker.contracts.mixture.forms import spread_of
from regard.checker.contracts.mixture.reference import PLAIN, log_softmax
from regard.checker.contracts.mixture.roles import means_of
from regard.checker.subject import Subject

NEAR = 1e-3
"The share by which a number may be off."
FLOOR = 0.1
"The most that is added to every variance, so that none vanishes."
Parameters = tuple[np.ndarray, np.ndarray, np.ndarray]
"Weights (k), means (k, d), covariances (k, d, d)."


def expected(subject: Subject, x: np.ndarray, frame: WeightMap | None = None) -> np.ndarray:
    """The responsibilities (n, k), by the reading of the weights that was found or another."""
    with np.errstate(all="ignore"):
        known = PLAIN.run({"x": x, "w": frame or subject.frame}, {})
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


def compared(subject: Subject, x: np.ndarray, held: list[np.ndarray]) -> Broken | None:
    """Whether weights, means and spread are those of one step of EM on some points."""
    if subject.facts.get("about old means"):
        words = f"{len(x)} points: after one step the variances are those about the means before it"
        return Broken(number=NEAR, words=words, slug="em-old-means")
    return follows(subject, x, held, expected(subject, x))


def follows(subject: Subject, x: np.ndarray, held: list[np.ndarray], shares: np.ndarray) -> Broken | None:
    """Whether weights, means and spread are those that follow from responsibilities."""
    means = subject.frame["means"]
    found, wanted = parameters(subject, held), maximised(x, shares)
    if found is None:
        return Broken(number=np.inf, words="one step leaves weights of another shape")
    offs = offsets(subject, found, wanted, held[2].size)
    for what, got, off in zip(("weights", "means", "variances"), found, offs, strict=True):
        if not off <= NEAR:  # also what is not a number
            old = maximised(x, shares, about=means)[2]
            slug = (
                "em-old-means"
                if what == "variances" and _spread(subject, got, old, wanted[0], held[2].size) <= NEAR
                else ""
            )
            words = f"{len(x)} points: after one step the {what} are off by {off:.3g} of their size"
            told = "" if slug else _explained(subject, x, found, shares, held[2].size)
            return Broken(number=off, words=words + told, slug=slug or ("em-step" if told else ""))
    return None


def _explained(subject: Subject, x: np.ndarray, found: Parameters, shares: np.ndarray, size: int) -> str:
    """What another step than that of EM gives exactly this; `size` is that of the spread that is kept."""
    with np.errstate(all="ignore"):
        known = PLAIN.run({"x": x, "w": subject.frame}, {})
        bare = np.exp(log_softmax_rows(known["log densities"]))
        densities = np.exp(known["log weights"] + known["log densities"])
    hard = np.eye(shares.shape[1])[shares.argmax(1)]
    count = shares.sum(0)
    right = maximised(x, shares)
    others = {
        "the responsibilities leave the mixing weights out": maximised(x, bare),
        "every point is given whole to its likeliest component": maximised(x, hard),
        "the joint densities are not divided by their sum": maximised(x, densities),
        "the variances are divided by the number of points, not by the sum of the responsibilities": (
            *right[:2],
            right[2] * (count / len(x))[:, None, None],
        ),
        "the variances are divided by one less than the sum of the responsibilities": (
            *right[:2],
            right[2] * (count / (count - 1))[:, None, None],
        ),
        "the variances are not divided by the sum of the responsibilities": (
            *right[:2],
            right[2] * count[:, None, None],
        ),
        "the means are divided by the number of points, not by the sum of the responsibilities": (
            right[0],
            right[1] * right[0][:, None],
            maximised(x, shares, about=right[1] * right[0][:, None])[2],
        ),
        "the mixing weights stay as they were": (np.exp(log_softmax(subject.frame["logits"])), *right[1:]),
        "the variances stay as they were": (*right[:2], _kept(subject)),
    }
    with np.errstate(all="ignore"):
        fits = [words for words, other in others.items() if max(offsets(subject, found, other, size)) <= NEAR]
    return f", as if {fits[0]}" if fits else ""


def _kept(subject: Subject) -> np.ndarray:
    """The covariances before a step."""
    variances = np.exp(subject.frame["log_variances"])
    d = variances.shape[1]
    axes = subject.frame.weights.get("axes", np.broadcast_to(np.eye(d), (len(variances), d, d)))
    return np.einsum("kij,kj,klj->kil", axes, variances, axes)


def parameters(subject: Subject, held: list[np.ndarray]) -> Parameters | None:
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


def offsets(subject: Subject, found: Parameters, wanted: Parameters, size: int) -> tuple[float, float, float]:
    """By how much of their size weights, means and spread, of which so many numbers are kept, are off."""
    return (
        _off(found[0], wanted[0]),
        _off(found[1], wanted[1]),
        _spread(subject, found[2], wanted[2], wanted[0], size),
    )


def _off(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def _spread(subject: Subject, found: np.ndarray, wanted: np.ndarray, shares: np.ndarray, size: int) -> float:
    """How far covariances are off, in what is kept of them; what is added to all of them alike is left out."""
    k, d = found.shape[:2]
    if size in (d, d * d, 1) and size not in (k * d, k):
        wanted = np.broadcast_to(np.einsum("k,kij->ij", shares, wanted), wanted.shape)
    whole = subject.facts["square"] and not _along_axes(found)
    if not whole:
        found, wanted = (np.diagonal(each, axis1=1, axis2=2) for each in (found, wanted))
        if size in (k, 1) and d > 1:
            wanted = np.broadcast_to(wanted.mean(-1, keepdims=True), wanted.shape)
    eye = np.eye(d) if whole else 1.0
    more = found - wanted
    added = float(np.median(np.diagonal(more, axis1=1, axis2=2) if more.ndim == 3 else more))
    return _off(found - (added if 0 < added <= FLOOR else 0.0) * eye, wanted)


def _along_axes(covariances: np.ndarray) -> bool:
    """Whether matrices hold exact zeros beside their diagonals: of variances along the axes alone.

    >>> _along_axes(np.stack([np.diag([1.0, 2.0])] * 3)), _along_axes(np.ones((3, 2, 2)))
    (True, False)
    """
    d = covariances.shape[-1]
    return d > 1 and not covariances[:, ~np.eye(d, dtype=bool)].any()
