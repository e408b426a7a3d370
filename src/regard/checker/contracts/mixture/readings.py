"""Readings of a mixture's weights: as logits, means and log-variances along the axes of each component."""

import numpy as np

from regard.checker.contract import WeightMap
from regard.checker.contracts.mixture.forms import SpreadForm, axes_of, spread_of
from regard.checker.contracts.mixture.roles import means_of
from regard.checker.subject import Subject


def frames(
    roles: dict[str, str],
    held: dict[str, np.ndarray],
    own: list[SpreadForm],
    shares: str,
    subject: Subject,
    *,
    module: bool,
) -> list[WeightMap]:
    """The readings of the weights: under each form of the spread, and of the mixing weights."""
    k, d = subject.facts["components"], subject.facts["dimension"]
    logits = held[roles["logits"]].reshape(-1)
    numbers = spread_of(held[roles["log_variances"]], k, d)
    assert numbers is not None
    notes = (", ".join(f"{role} = {name}" for role, name in roles.items()),)
    terms = ("joint-terms",) if subject.facts.get("terms") else ()
    facts = {"shares": True} if subject.facts.get("shares_asked") else {}
    found = []
    for kind in (shares, "logits") if shares == "plain" and module else (shares,):
        for form in own:
            log_variances, axes = axes_of(form.covariances(numbers))
            weights = {
                "logits": np.log(logits) if kind == "plain" else logits,
                "means": means_of(held[roles["means"]], k, d),
                "log_variances": log_variances,
            }
            weights |= {} if axes is None else {"axes": axes}
            slug = form.slug or ("plain-parameters" if kind == "plain" else "")
            conventions = (*((slug,) if slug else ()), *terms)
            found.append(WeightMap(weights=weights, notes=notes, conventions=conventions, facts=facts))
    return found


def drawn(
    roles: dict[str, str],
    weights: dict[str, np.ndarray],
    form: SpreadForm,
    shares: str,
    rng: np.random.Generator,
    *,
    square: bool,
) -> dict[str, np.ndarray]:
    """Values for the three weights, in the forms in which they are kept."""
    shape = weights[roles["logits"]].shape
    each = rng.uniform(0.5, 2.0, shape)
    each = each / each.sum()
    spread = weights[roles["log_variances"]].shape
    # Matrices may have the axis of the components last.
    last = len(spread) == 3 and spread[0] == spread[1] != spread[2] == int(np.prod(shape))
    numbers = form.drawn((spread[2], *spread[:2]) if last else spread, rng, square=square)
    return {
        roles["logits"]: each
        if shares == "plain"
        else np.log(each)
        if shares == "log"
        else rng.standard_normal(shape) + 0.7,
        roles["means"]: rng.standard_normal(weights[roles["means"]].shape),
        roles["log_variances"]: np.moveaxis(numbers, 0, -1) if last else numbers,
    }
