"""Weights and covariances of a mixture, measured: far from each other, components show their own height and curvature."""

import numpy as np

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.mixture.forms import spread_of
from regard.checker.contracts.mixture.methods import placed
from regard.checker.contracts.mixture.reference import log_softmax
from regard.checker.subject import Subject, listed

APART, STEP, SURE = 200.0, 0.5, 1e-6
"The distance between components, the step of the differences, and how near numbers are that are the same."


def measured(subject: Subject, means: np.ndarray) -> list[WeightMap]:
    """The reading of a density that is a mixture of Gaussians about its means, however its covariances are kept; else none."""
    roles, drawn = subject.facts["roles"], subject.facts["drawn"]
    k, d = means.shape
    far = (np.arange(k)[:, None] + 1) * APART + np.arange(d)[None] * 17.0
    subject.set({roles["means"]: placed(far, subject.made.weights[roles["means"]].shape)})
    try:
        found = [_peak(subject, place) for place in far]
    finally:
        subject.set({roles["means"]: drawn[roles["means"]]})
    if any(one is None for one in found):
        return []
    logs, variances, axes = (np.stack([one[i] for one in found if one]) for i in range(3))
    if not _heeded(subject, variances, axes):
        return []
    own = {"means": means, "log_variances": np.log(variances), "axes": axes}
    return [
        WeightMap(
            weights=own | {"logits": each["logits"]},
            notes=each.notes,
            conventions=("own-form",),
            facts=each.facts,
        )
        for each in subject.frames
        if np.allclose(log_softmax(each["logits"]), logs, atol=SURE)
    ]


def peaks(subject: Subject, means: np.ndarray) -> np.ndarray | None:
    """The covariances (k, d, d) that a density shows about means that are far from each other, if it is Gaussian there."""
    found = [peak for place in means if (peak := _peak(subject, place))]
    if len(found) < len(means):
        return None
    return np.stack([axes * variances @ axes.T for _, variances, axes in found])


def _heeded(subject: Subject, variances: np.ndarray, axes: np.ndarray) -> bool:
    """Whether the spread that is kept tells the covariances: a larger number always gives a larger one, or a smaller one."""
    k, d = variances.shape
    held = subject.facts["drawn"]
    kept = spread_of((held | listed(held, list(held)))[subject.facts["roles"]["log_variances"]], k, d)
    if kept is None or kept.ndim == 3 or subject.facts.get("parts"):
        whole = kept is None or _turned(variances, axes)
        return whole and float(np.ptp(np.log(variances))) > SURE
    along = np.log(np.einsum("kij,kj,kij->ki", axes, variances, axes)).ravel()[np.argsort(kept.ravel())]
    steps = np.diff(along)
    return float(np.ptp(along)) > SURE and bool((steps > -SURE).all() or (steps < SURE).all())


def _turned(variances: np.ndarray, axes: np.ndarray) -> bool:
    """Whether covariances have numbers beside their diagonals, as whole matrices that are heeded do."""
    whole = np.einsum("kij,kj,klj->kil", axes, variances, axes)
    return float(np.abs(whole * (1 - np.eye(whole.shape[-1]))).max()) > SURE


def _peak(subject: Subject, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Of one component: the logarithm of its weight, its variances and their axes; None where it is no peak of a Gaussian."""
    d = len(place)
    moves = [np.zeros(d), *np.eye(d), *-np.eye(d)]
    moves += [np.eye(d)[i] + np.eye(d)[j] for i in range(d) for j in range(i)]
    found = subject.answer(Case(name="peaks", inputs={"x": place + STEP * np.array(moves)}))
    if found.shape != (len(moves),) or not np.isfinite(found).all():
        return None
    top, up, down, both = found[0], found[1 : d + 1], found[d + 1 : 2 * d + 1], found[2 * d + 1 :]
    if np.abs(up - down).max() > SURE * max(1.0, np.abs(found).max()):
        return None  # its mean lies elsewhere
    inverse = np.diag((2 * top - up - down) / STEP**2)
    pairs = [(i, j) for i in range(d) for j in range(i)]
    for (i, j), value in zip(pairs, both, strict=True):
        inverse[i, j] = inverse[j, i] = (up[i] + up[j] - top - value) / STEP**2
    numbers, axes = np.linalg.eigh(inverse)
    if numbers.min() <= 0:
        return None
    log_weight = top + 0.5 * np.log(2 * np.pi / numbers).sum()
    return np.asarray(log_weight), 1 / numbers, axes
