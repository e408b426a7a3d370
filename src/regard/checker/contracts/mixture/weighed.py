"""Samples and labels of a mixture whose parameters cannot be chosen: held to its own components by their responsibilities."""

from typing import Any

import numpy as np

from regard.checker.contract import Broken
from regard.checker.contracts.mixture.covariances import covaried
from regard.checker.contracts.mixture.em import expected
from regard.checker.contracts.mixture.methods import DRAWS, ask, method, sampling, still, whole
from regard.checker.contracts.mixture.reference import PLAIN, log_softmax
from regard.checker.contracts.mixture.roles import OTHER
from regard.checker.contracts.mixture.steps import mute
from regard.checker.process.session import Raised
from regard.checker.subject import Subject

SURE, PART, MANY = 8.0, 0.15, 300
"Standard errors and the share by which samples must be off to be wrong, and how many of them a component needs."
CLEAR = 0.05
"By how much the share of one component is ahead of the others' where a point belongs to it."
BETWEEN = 2000
"Points between means among which those are looked for that the weights decide."
LABELS = r"^_?(predict(_labels?|_cluster\w*)?|assign\w*|cluster\w*|classif\w*|labels?|hard_\w+|prever|predecir|predizer|pr[eé]dire|vorhersag\w*|zuordn\w*|etiquet\w*)$"
"Names of what gives every point its component."


def sampled(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Samples have the weights, means and deviations of the mixture; where these stand still, weighed by responsibilities."""
    name = sampling(subject)
    if mute(subject) or "frame" not in subject.facts:
        return None
    if name is None or not still(subject):
        return whole(subject, rng) or (None if name is None else covaried(subject, rng))
    if subject.facts.get("parts") and (broken := covaried(subject, rng)):
        return broken
    try:
        x = np.asarray(ask(subject, name, [DRAWS]), dtype=np.float64)
    except (Raised, TypeError, ValueError):
        return None
    d = subject.frame["means"].shape[1]
    if x.shape != (DRAWS, d) or not np.isfinite(x).all():
        return None
    each, shares = expected(subject, x), np.exp(log_softmax(subject.frame["logits"]))
    variances = np.exp(subject.frame["log_variances"])
    axes = subject.frame.weights.get("axes", np.broadcast_to(np.eye(d), (len(shares), d, d)))
    for k in np.flatnonzero(shares * DRAWS >= MANY):
        apart = (x - subject.frame["means"][k]) @ axes[k] / np.sqrt(variances[k])
        share = each[:, k : k + 1]
        for what, found in (
            ("weight", share / shares[k] - 1),
            ("mean", share * apart / shares[k]),
            ("variance", share * (apart**2 - 1) / shares[k]),
        ):
            off = np.abs(found.mean(0))
            error = found.std(0) / np.sqrt(DRAWS)
            if (off > np.maximum(SURE * error, PART)).any():
                words = f"{DRAWS} samples, weighed by their responsibilities: the {what} of component {k} is off by {off.max():.2g} of its size"
                return Broken(number=float(off.max()), words=words)
    return None


def labelled(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """A point's label is the component with the largest responsibility for it."""
    name = method(subject, LABELS)
    if (
        name is None
        or mute(subject)
        or sum(p["required"] for p in subject.made.methods.get(name, [{"required": 2}])) != 1
    ):
        return None
    if any(OTHER.search(p["name"]) for p in subject.made.methods[name] if p["required"]):
        return None  # it takes responsibilities, not points
    means = subject.frame["means"]
    x = means[np.arange(60) % len(means)] + rng.standard_normal((60, means.shape[1]))
    x = np.concatenate([x, contested(subject, rng)])
    try:
        found: Any = np.asarray(ask(subject, name, [x]))
    except (Raised, TypeError, ValueError):
        return None
    each = expected(subject, x)
    clear = _ahead(each) > CLEAR
    if found.dtype.kind not in "iu" or found.shape != (len(x),) or not clear.any():
        return None
    wrong = (found != each.argmax(1))[clear]
    if not wrong.any() or (found - 1 == each.argmax(1))[clear].all():
        return None
    bare = _densities(subject, x).argmax(1)
    slug = "labels-by-density" if (found == bare).all() or (found - 1 == bare).all() else ""
    words = f"{len(x)} points: {name} gives {int(wrong.sum())} of {int(clear.sum())} a component that has not the largest share of them"
    return Broken(number=float(wrong.mean()), words=words, slug=slug)


def contested(subject: Subject, rng: np.random.Generator) -> np.ndarray:
    """Points between means whose likeliest component is not that with the largest share of them, if there are any."""
    means = subject.frame["means"]
    one, two = (means[rng.integers(len(means), size=BETWEEN)] for _ in range(2))
    x = one + rng.uniform(0, 1, (BETWEEN, 1)) * (two - one) + 0.1 * rng.standard_normal(one.shape)
    each = expected(subject, x)
    differ = (each.argmax(1) != _densities(subject, x).argmax(1)) & (_ahead(each) > CLEAR)
    return x[differ][:20]


def _densities(subject: Subject, x: np.ndarray) -> np.ndarray:
    """The logarithms of the components' densities (n, k), without their weights."""
    with np.errstate(all="ignore"):
        return PLAIN.run({"x": x, "w": subject.frame}, {})["log densities"]


def _ahead(shares: np.ndarray) -> np.ndarray:
    """How far the largest share of each point is ahead of the next.

    >>> _ahead(np.array([[0.5, 0.2, 0.3]])), _ahead(np.ones((2, 1)))
    (array([0.2]), array([1., 1.]))
    """
    ordered = np.sort(np.concatenate([shares, np.zeros((len(shares), 1))], axis=1), axis=1)
    return ordered[:, -1] - ordered[:, -2]
