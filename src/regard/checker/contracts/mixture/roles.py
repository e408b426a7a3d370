"""Which weight of a mixture is which: mixing weights, means and spread, by name, by shape, by what they start with."""

import re
from typing import Any

import numpy as np

from regard.checker.reading.arguments import mean
from regard.checker.workbench import Unfit

MEANS = re.compile(r"mean|mu|loc|cent|mittel|moy|media(?!n)|^m$", re.I)
SPREAD = re.compile(
    r"var|sig(?!n)|std|scale|cov|prec|chol|tril|dev|tau|rho|spread|streu|ecart|^s_?sq|^s$|^S$|^L$", re.I
)
DERIVED = re.compile(r"prec|chol|inv|det|tril", re.I)
"Words in the names of what is often computed from a covariance that stands beside it."
WEIGHTS = re.compile(r"logit|pi|weight|mix|prior|alpha|phi|coef|gewicht|poids|peso|share|prob|^w", re.I)
OTHER = re.compile(
    r"resp|gamma|posterior|lik|hist|loss|bound|lower|count|n_?k|label|score|nll|eps|tol|reg", re.I
)
"Words in the names of what a mixture that was fitted keeps beside its parameters."


def read(
    learned: list[str],
    weights: dict[str, np.ndarray],
    said: dict[str, str] | None = None,
    points: int | None = None,
) -> dict[str, str]:
    """Logits, means and the spread as the person says, by name, then by shape; an axis of `points` is one of data."""
    said = {role: name for role, name in (said or {}).items() if name in learned}
    own = {n: word(n) for n in learned}
    usable = [
        n
        for n in learned
        if (weights[n].size and points not in weights[n].shape) and not OTHER.search(own[n])
    ]
    two = [n for n in usable if weights[n].squeeze().ndim >= 2]
    one = [n for n in usable if n not in two]
    spreads = sorted((n for n in two if SPREAD.search(own[n])), key=lambda n: bool(DERIVED.search(own[n])))
    spread = next(iter(spreads), None)
    means = next((n for n in two if MEANS.search(own[n]) and n != spread), None)
    if not means and two:
        # Of two without a name that helps, the means start apart from each other.
        rest = [n for n in two if n != spread and weights[n].squeeze().ndim == 2]
        means = next((n for n in rest if np.ptp(weights[n]) > 0), None) or next(iter(rest), None)
    spread = spread or next((n for n in two if n != means), None)
    if not means and not two:
        means = next((n for n in one if MEANS.search(own[n])), None)  # numbers in place of points
        one = [n for n in one if n != means]
    # Balls have one spread each, and all components may share one.
    spread = spread or next((n for n in one if SPREAD.search(own[n]) and len(one) > 1), None)
    one = [n for n in one if n != spread]
    logits = next((n for n in one if WEIGHTS.search(own[n])), None) or next(iter(one), None)
    if not (spread and means and logits):
        shapes = ", ".join(f"{n} {weights[n].shape}" for n in learned) or "none"
        raise Unfit(
            "unknown-weight",
            f"logits (k), means (k, d) and log-variances (k, d) are not among its weights ({shapes})",
            "keep them as nn.Parameter: logits, means, log_variances",
        )
    return {"logits": logits, "means": means, "log_variances": spread} | said


def told(parameters: list[dict[str, Any]]) -> dict[str, str]:
    """Which parameter of a call is which, of those that are required.

    >>> told([{"name": name, "required": True, "star": False} for name in ("X", "pi", "mus", "covs")])
    {'logits': 'pi', 'means': 'mus', 'log_variances': 'covs'}
    """
    found: dict[str, str] = {}
    for name in (p["name"] for p in parameters if p["required"] and not p["star"]):
        if mean(name, ["components", "dimension"]) and not re.fullmatch(r"means?|mu|weights?", name, re.I):
            continue
        for role, words in (("log_variances", SPREAD), ("means", MEANS), ("logits", WEIGHTS)):
            if role not in found and words.search(name) and not mean(name, ["data"]):
                found[role] = name
                break
    return found


def word(name: str) -> str:
    """The last word in the name of a weight, where a place in a list is none.

    >>> word("parts.#.mu"), word("means.#"), word("pi")
    ('mu', 'means', 'pi')
    """
    return re.sub(r"\.(#|\d+)$", "", name).rpartition(".")[2]


def sizes_of(roles: dict[str, str], weights: dict[str, np.ndarray]) -> tuple[int, int]:
    """The number of components and of dimensions: means may lie along either axis, or be plain numbers."""
    k = weights[roles["logits"]].size
    means = weights[roles["means"]]
    return k, means.size // k


def means_of(values: np.ndarray, k: int, d: int) -> np.ndarray:
    """Means (k, d) from a weight that may hold them as columns.

    >>> means_of(np.ones((5, 3)), 3, 5).shape
    (3, 5)
    """
    columns = values.squeeze().shape == (d, k) and k != d
    return values.squeeze().T if columns else values.reshape(k, d)


def shares_kept(name: str, start: np.ndarray, *, module: bool) -> str:
    """How mixing weights are kept: as they are, as logarithms that sum to one, or as logits.

    >>> shares_kept("pi", np.ones(2) / 2, module=True), shares_kept("log_w", np.log([0.5, 0.5]), module=False)
    ('plain', 'log')
    """
    logged = re.search(r"log", word(name), re.I)
    with np.errstate(all="ignore"):
        if not logged and (start > 0).all() and abs(float(start.sum()) - 1) < 1e-3:
            return "plain"
        # What gradients move does not stay normalised by itself.
        alone = not module and not re.search(r"logit", name, re.I)
        return "log" if logged and alone and abs(float(np.exp(start).sum()) - 1) < 1e-3 else "logits"
