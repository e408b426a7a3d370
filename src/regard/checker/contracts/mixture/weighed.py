"""Samples and labels of a mixture whose parameters cannot be chosen: held to its own components by their responsibilities."""

from typing import Any

import numpy as np

from regard.checker.contract import Broken
from regard.checker.contracts.mixture.em import expected
from regard.checker.contracts.mixture.methods import DRAWS, ask, method, sampling, still, whole
from regard.checker.contracts.mixture.reference import log_softmax
from regard.checker.contracts.mixture.roles import OTHER
from regard.checker.contracts.mixture.steps import mute
from regard.checker.process.session import Raised
from regard.checker.subject import Subject

SURE, PART, MANY = 8.0, 0.15, 300
"Standard errors and the share by which samples must be off to be wrong, and how many of them a component needs."
CLEAR = 0.6
"A responsibility by which a point belongs to one component."
LABELS = r"^_?(predict(_labels?|_cluster\w*)?|assign\w*|cluster\w*|classif\w*|labels?|hard_\w+|prever|predecir|predizer|pr[eé]dire|vorhersag\w*|zuordn\w*|etiquet\w*)$"
"Names of what gives every point its component."


def sampled(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Samples have the weights, means and deviations of the mixture; where these stand still, weighed by responsibilities."""
    name = sampling(subject)
    if mute(subject):
        return None
    if name is None or not still(subject):
        return whole(subject, rng)
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
    try:
        found: Any = np.asarray(ask(subject, name, [x]))
    except (Raised, TypeError, ValueError):
        return None
    each = expected(subject, x)
    clear = each.max(1) > CLEAR
    if found.dtype.kind not in "iu" or found.shape != (len(x),) or not clear.any():
        return None
    wrong = (found != each.argmax(1))[clear]
    if not wrong.any() or (found - 1 == each.argmax(1))[clear].all():
        return None
    words = f"{len(x)} points: {name} gives {int(wrong.sum())} of {int(clear.sum())} a component that has not the largest share of them"
    return Broken(number=float(wrong.mean()), words=words)
