"""How a person's mixture is made, fitted where it must be, and read: its mixing weights, means and covariances."""

import re

import numpy as np

from regard.checker.contracts.mixture.answers import asked
from regard.checker.contracts.mixture.forms import forms, says, spread_of
from regard.checker.contracts.mixture.given import given, points, takes_parameters
from regard.checker.contracts.mixture.measured import measured
from regard.checker.contracts.mixture.readings import drawn, frames
from regard.checker.contracts.mixture.roles import means_of, read, shares_kept, sizes_of, word
from regard.checker.process.session import Raised
from regard.checker.subject import NUMBER, Subject, apart, listed
from regard.checker.workbench import Made, Unfit, Workbench

COMPONENTS, DIMENSION, POINTS = 3, 5, 211
FITS = r"^(fit\w*|train|learn|run|em|estimate|optimi[sz]e)$"
"Names of methods that find the parameters from data."
FREE = r"raw|free|unconstrained|rho|param|pre_"
"Words in the names of a spread that is turned into a positive number in some way of its own."
TURNS = r"softplus|sigmoid|elu|relu|abs|square|clamp\w*|clip|maximum"
"Names of such ways."


def adapt(bench: Workbench) -> Subject:
    """Make it, read its three weights, find the log-likelihood."""
    rng = np.random.default_rng(7)
    if takes_parameters(bench):
        return given(bench, rng)
    # A second time, with more components in more dimensions.
    k, d = COMPONENTS + bench.stretch // 6, DIMENSION + bench.stretch
    made = bench.build({"components": k, "dimension": d, "data": cloud(d)})
    fitted = not _readable(made, bench)
    if fitted and bench.stretch:
        raise Unfit("fixed-sizes", "what is fitted has the sizes of its data", "")
    if fitted:
        fit(bench, made)
    names = _names(made)
    roles = read(names, made.weights, bench.said, POINTS if fitted else None)
    k, d = sizes_of(roles, made.weights)
    start = made.weights[roles["log_variances"]]
    numbers = spread_of(start, k, d)
    if numbers is None or made.weights[roles["means"]].size != k * d:
        raise Unfit(
            "unknown-weight",
            f"the spread {roles['log_variances']} has the shape {start.shape}, not one number for each component and axis",
            "make it with diagonal covariances: --make 'NAME(…)'",
        )
    square = numbers.ndim == 3
    text = bench.source.text_of(bench.name)
    own = forms(roles["log_variances"], start, text, square=square)
    shares = shares_kept(roles["logits"], made.weights[roles["logits"]], module=made.module)
    values = (
        {name: made.weights[name] for name in made.learned}
        if fitted
        else drawn(roles, made.weights, own[0], shares, rng, square=square)
    )
    subject = asked(bench, made, points(rng, d), roles)
    if not fitted:
        subject.set(values)
    held = values | listed(values, list(values))
    subject.facts |= {
        "drawn": values | apart(values),
        "roles": roles,
        "components": k,
        "dimension": d,
        "width": k * d,
        "form": own[0],
        "shares": shares,
        "square": square,
        "fixed": fitted,
        "fitted": cloud(DIMENSION) if fitted else None,
    }
    subject.frames = frames(roles, held, own, shares, subject, module=made.module)
    if not fitted and _is_free(roles["log_variances"], text):
        subject.otherwise = lambda: measured(subject, means_of(held[roles["means"]], k, d))
        subject.facts["unsaid"] = not says(roles["log_variances"], text)
    return subject


def _names(made: Made) -> list[str]:
    """Weights by name, those of a list as one; where nothing is learned by gradients, buffers too."""
    every = [n for n, value in made.weights.items() if value.dtype.kind == "f"]
    learned = every if set(made.learned) <= set(made.stray) else made.learned
    lists = listed(made.weights, learned)
    made.weights |= lists
    made.learned = learned
    return [*(name for name in learned if re.sub(NUMBER, "#", name) not in lists), *lists]


def _readable(made: Made, bench: Workbench) -> bool:
    """Whether its weights can be read as it stands."""
    fits = any(re.search(FITS, name, re.I) for name in made.methods)
    try:
        read(_names(made), made.weights, bench.said)
    except Unfit:
        if not fits:
            raise
        return False
    return True


def fit(bench: Workbench, made: Made) -> None:
    """Let it find its parameters from a cloud of points; what it keeps then are its weights."""
    own = [name for name in made.methods if re.search(FITS, name, re.I)]
    error: Raised | None = None
    for name in sorted(own, key=lambda name: not name.startswith("fit")):
        wanted = sum(p["required"] for p in made.methods[name])
        for data in (cloud(DIMENSION), cloud(DIMENSION)[:, 0]):
            try:
                bench.line.ask("cast", made.number, "float64")
                values = [data] if wanted else []
                bench.line.ask("call", made.number, values, named={}, method=name, kind="float64", seed=0)
            except Raised as trouble:
                error = error or trouble
                continue
            about = bench.line.ask("about", made.number)
            made.weights, made.learned, made.owners = about["weights"], about["learned"], about["owners"]
            return
    if error:
        bench.doubts.append("fitted to a cloud of points")
        raise error


def cloud(d: int) -> np.ndarray:
    """Points around three places, not along the axes, so that no component is empty or diagonal."""
    rng = np.random.default_rng(11)
    mixed = rng.standard_normal((3, d, d)) * 0.5 + np.eye(d)
    which = np.arange(POINTS) % 3
    noise = np.einsum("nij,nj->ni", mixed[which], rng.standard_normal((POINTS, d)))
    return noise + (rng.standard_normal((3, d)) * 3.0)[which]


def _is_free(name: str, text: str) -> bool:
    """Whether a spread may be made positive in a way that no name tells."""
    own = word(name)
    if re.search(r"log", own, re.I) and says(own, text):
        return False
    turned = rf"\b({TURNS})\([^()\n]*\b{own}\b|\b{own}\.({TURNS})\(|\b{own}\s*\*\*\s*2"
    return bool(re.search(FREE, own, re.I) or not says(own, text) or re.search(turned, text))
