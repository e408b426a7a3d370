"""Samples of a mixture with whole covariances: the covariance of each component's, and what they were made with instead."""

import numpy as np

from regard.checker.contract import Broken
from regard.checker.contracts.mixture.forms import spread_of
from regard.checker.contracts.mixture.measured import peaks
from regard.checker.contracts.mixture.methods import APART, DRAWS, SURE, ask, restore, sampling, stage
from regard.checker.contracts.mixture.readings import drawn
from regard.checker.subject import Subject

Array = np.ndarray
LEAST = 100
"Samples of a component from which its covariance is told."


def covaried(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Samples of every component have its covariance, beside the diagonal too."""
    name, facts = sampling(subject), subject.facts
    k, d, parts = facts["components"], facts["dimension"], facts.get("parts", ())
    if name is None or d == 1 or not (facts["square"] or parts):
        return None
    like = {role: subject.made.weights[own] for role, own in facts["roles"].items()}
    same = {role: role for role in like}
    numbers = drawn(same, like, facts["form"], facts["shares"], rng, square=facts["square"])["log_variances"]
    spread = spread_of(numbers, k, d)
    assert spread is not None
    staged, _, means, _ = stage(subject, rng, numbers)
    try:
        subject.set({part: rng.uniform(-0.7, 0.7, subject.made.weights[part].shape) for part in parts})
        wanted = peaks(staged, means) if parts else facts["form"].covariances(spread)
        if wanted is None:
            return None
        found = np.asarray(ask(staged, name, [DRAWS]), dtype=np.float64)
    finally:
        restore(subject)
    if found.shape != (DRAWS, d) or not np.isfinite(found).all() or np.abs(found).max() < APART / 2:
        return None
    nearest = np.abs(found[:, None] - means[None]).sum(-1).argmin(1)
    for j in range(k):
        own = found[nearest == j]
        if len(own) < LEAST:
            continue
        off = _off(own, wanted[j])
        if off > SURE:
            words = f"samples of component {j} have the covariance {np.cov(own.T)[1, 0]:.3g} between axes 0 and 1, the mixture's is {wanted[j][1, 0]:.3g}"
            others = {said: value for said, value in instead(wanted[j]).items() if _off(own, value) <= SURE}
            slug = "sample-covariance" if others else ""
            return Broken(number=off, words=words + "".join(f", as if {said}" for said in others), slug=slug)
    return None


def _off(own: Array, wanted: Array) -> float:
    """By how many standard errors the covariance of samples is off, where it is most."""
    variances = np.diag(wanted)
    error = np.sqrt((np.outer(variances, variances) + wanted**2) / len(own))
    return float((np.abs(np.cov(own.T) - wanted) / error).max())


def instead(covariance: Array) -> dict[str, Array]:
    """Other covariances that samples may have, and how they come about.

    >>> [value.round(2).tolist() for value in instead(np.array([[1.0, 0.6], [0.6, 1.0]])).values()][0]
    [[1.36, 0.48], [0.48, 0.64]]
    """
    lower, inner = np.linalg.cholesky(covariance), np.linalg.cholesky(np.linalg.inv(covariance))
    return {
        "noise met the triangular factor from the wrong side, which gives L^T L and not L L^T": lower.T
        @ lower,
        "noise met the factor of the precisions from the wrong side": np.linalg.inv(inner.T @ inner),
        "only the diagonal of the covariance counted": np.diag(np.diag(covariance)),
        "only the diagonal of the triangular factor counted": np.diag(np.diag(lower) ** 2),
        "the covariance itself stood where its root is needed": covariance @ covariance,
        "the precision stood where the covariance is needed": np.linalg.inv(covariance),
    }
