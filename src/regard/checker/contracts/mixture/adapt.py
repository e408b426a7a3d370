"""How a person's mixture is made, fitted where it must be, and read: its mixing weights, means and covariances."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker.contracts.mixture.answers import EXPECTS, asked, likelihood
from regard.checker.contracts.mixture.clouds import (
    COMPONENTS,
    DIMENSION,
    FITS,
    POINTS,
    ROUNDS,
    cloud,
)
from regard.checker.contracts.mixture.em import compared
from regard.checker.contracts.mixture.fits import call_of, fits, further, iterated
from regard.checker.contracts.mixture.followed import follow
from regard.checker.contracts.mixture.forms import forms, says, spread_of
from regard.checker.contracts.mixture.given import given, points, takes_parameters
from regard.checker.contracts.mixture.measured import measured
from regard.checker.contracts.mixture.readings import drawn, frames
from regard.checker.contracts.mixture.roles import SPREAD, means_of, read, shares_kept, sizes_of, told, word
from regard.checker.process.session import Lost, Raised
from regard.checker.reading.arguments import mean
from regard.checker.subject import NUMBER, Subject, apart, listed
from regard.checker.workbench import Made, Unfit, Workbench

STARTS = r"^init(iali[sz]e\w*)?(_\w+)?$|^start|^set_?up"
"Names of methods that are called with the data before it is fitted."
FREE = r"raw|free|unconstrained|rho|param|pre_"
"Words in the names of a spread that is turned into a positive number in some way of its own."
UNREAD = ("no-likelihood", "unknown-weight", "unknown-argument", "too-slow")
"Ends of a reading after which it is followed while it fits."
PART = re.compile(rf"{SPREAD.pattern}|diag|lower|upper|corr|angle|rot|off", re.I)
"Words in the names of what may be one part of a spread that is kept in several."
TURNS = r"softplus|sigmoid|elu|relu|abs|square|clamp\w*|clip|maximum"
"Names of such ways."


def adapt(bench: Workbench) -> Subject:
    """Make it, read its three weights, find the log-likelihood."""
    rng = np.random.default_rng(7)
    bench = _telling_how(bench)
    try:
        return _asked(bench, rng)
    except (Raised, Unfit, Lost) as error:
        unread = not isinstance(error, Unanswered) if isinstance(error, Raised) else error.slug in UNREAD
        found = follow(bench) if unread and not bench.stretch else None
        if found is None:
            raise
        return found


class Unanswered(Raised):
    """What was read cannot be asked: its own method raises."""


def _asked(bench: Workbench, rng: np.random.Generator) -> Subject:
    """What answers points, as it is made, once it is fitted, or as it is told its parameters."""
    if takes_parameters(bench):
        return given(bench, rng)
    if fits(bench):
        found = iterated(bench, [cloud(DIMENSION), cloud(DIMENSION)[:, 0]], COMPONENTS)
        wrong = compared(found, *found.facts["one more"]) is not None
        followed = follow(bench) if wrong else None  # what comes back may not be what is iterated
        return followed if followed and not followed.facts["missed"] else found
    made = _build(bench)
    try:
        return _kept(bench, made, rng)
    except (Raised, Unfit) as error:
        method = _telling(made)
        if not method:
            raise
        try:
            return given(bench, rng, method, made)
        except (Raised, Unfit):
            raise error from None


def _telling_how(bench: Workbench) -> Workbench:
    """With what a constructor must be told beside its sizes: how often, how exactly, how loudly."""
    if bench.member["kind"] != "class" or bench.making is not None:
        return bench
    sizes = ["components", "dimension", "data", "covariance"]
    asks = [p for p in bench.member["parameters"] if p["required"] and not mean(p["name"], sizes)]
    more = further([{"name": "", "required": False, "star": False}, *asks], ROUNDS, COMPONENTS, every=False)
    kinds = [
        p["name"] for p in bench.member["parameters"] if p["required"] and mean(p["name"], ["covariance"])
    ]
    words = re.findall(r"[\"'](full|diag|diagonal|spherical|tied)[\"']", bench.source.text)
    more |= dict.fromkeys(kinds, words[0] if words else "full")
    return replace(bench, said={name: str(value) for name, value in more.items()} | bench.said)


def _telling(made: Made) -> str:
    """The method that must be told the parameters of the mixture: that of the likelihood, or of the responsibilities."""
    able = [n for n, own in made.methods.items() if {"means", "log_variances"} <= set(told(own))]
    expects = [name for name in able if re.search(EXPECTS, name, re.I)]
    return likelihood(able) or next(iter(expects), "")


def _build(bench: Workbench) -> Made:
    """A second time, with more components in more dimensions."""
    k, d = COMPONENTS + bench.stretch // 8, DIMENSION + bench.stretch
    return bench.build({"components": k, "dimension": d, "data": cloud(d)})


def _kept(bench: Workbench, made: Made, rng: np.random.Generator) -> Subject:
    """What keeps its parameters, from its making or once it is fitted."""
    fitted = not _readable(made, bench)
    if fitted and bench.stretch:
        raise Unfit("fixed-sizes", "what is fitted has the sizes of its data", "")
    fitting = fit(bench, made) if fitted else []
    names = _names(made)
    roles = read(names, made.weights, bench.said, POINTS if fitted or "data" in made.built.meant else None)
    k, d = sizes_of(roles, made.weights)
    if fitted and not all(np.isfinite(made.weights[name]).all() for name in roles.values()):
        words = "fitted to points from three places, it keeps what is no number"
        raise Unfit(
            "wrong-answer", words, "look where a sum of responsibilities or a determinant becomes zero"
        )
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
    try:
        subject = asked(
            bench, made, points(rng, d), roles, known=cloud(d) if fitted else None, fitting=fitting
        )
    except Raised as error:
        raise Unanswered(error.kind, error.words, error.line, error.text) from None
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
        "fitted": cloud(DIMENSION)[:, : 1 if d == 1 else None] if fitted else None,
        "fitting": fitting,
        "points": cloud(d),
    }
    if "data" in made.built.meant:
        subject.facts["own points"] = cloud(d)
    subject.frames = frames(roles, held, own, shares, subject, module=made.module)
    parts = [] if fitted or not made.module else parts_of(roles, made, square=square)
    if parts:
        # Where matrices have one more part, that counts at once; where numbers along the axes are known, its start does.
        values |= {
            n: rng.uniform(-0.7, 0.7, made.weights[n].shape) if square else made.weights[n] for n in parts
        }
        subject.set(values)
        subject.facts |= {"drawn": values | apart(values), "parts": parts}
    if not fitted and (parts or _is_free(roles["log_variances"], text)):
        subject.otherwise = lambda: measured(subject, means_of(held[roles["means"]], k, d))
        subject.facts["unsaid"] = not says(roles["log_variances"], text)
    return subject


def parts_of(roles: dict[str, str], made: Made, *, square: bool) -> list[str]:
    """Weights beside the spread that may be parts of it: any beside matrices, matrices beside numbers along the axes."""
    own = {*roles.values(), *(n for n in made.learned if re.sub(NUMBER, "#", n) in roles.values())}
    named = [n for n in made.learned if n not in own and PART.search(word(n))]
    return [n for n in named if square or made.weights[n].ndim == 3]


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
    try:
        read(_names(made), made.weights, bench.said, POINTS if "data" in made.built.meant else None)
    except Unfit:
        if made.module and not _fitting(made):
            raise
        return False
    return True


def _fitting(made: Made) -> list[str]:
    """The methods that may fit it, by their names; where none says so, all that take points and nothing else."""
    named = sorted(
        (n for n in made.methods if re.search(FITS, n, re.I)), key=lambda n: not n.startswith("fit")
    )
    others = [
        n for n, told in made.methods.items() if _asks(told) == 1 and not re.search(r"init|start", n, re.I)
    ]
    return named or ([] if made.module else others)


def fit(bench: Workbench, made: Made) -> list[str]:
    """Let it find its parameters from a cloud of points; what it keeps then are its weights. The methods for it come back."""
    own = _fitting(made)
    starts = [n for n, told in made.methods.items() if re.search(STARTS, n, re.I) and _asks(told) == 1]
    error: Raised | None = None
    unfit: Unfit | None = None
    for names in [*([name] for name in own), *([start, name] for start in starts for name in own)]:
        for data in (cloud(DIMENSION), cloud(DIMENSION)[:, 0]):
            try:
                bench.line.ask("cast", made.number, "float64")
                for name in names:
                    values, more = call_of(made.methods[name], data)
                    bench.line.ask(
                        "call", made.number, values, named=more, method=name, kind="float64", seed=0
                    )
            except Raised as trouble:
                error = error or trouble
                continue
            about = bench.line.ask("about", made.number)
            made.weights, made.learned, made.owners = about["weights"], about["learned"], about["owners"]
            try:
                read(_names(made), made.weights, bench.said, POINTS)
            except Unfit as unread:
                unfit = unread
                continue  # another method may fit it
            return names
    if unfit:
        raise unfit
    bench.doubts.append("fitted to a cloud of points")
    raise error or Unfit(
        "unknown-weight", "it keeps no means, and no method of it takes points", "add fit(self, x)"
    )


def _asks(parameters: list[dict[str, Any]]) -> int:
    return sum(p["required"] for p in parameters)


def _is_free(name: str, text: str) -> bool:
    """Whether a spread may be made positive in a way that no name tells."""
    own = word(name)
    if re.search(r"log", own, re.I) and says(own, text):
        return False
    turned = rf"\b({TURNS})\([^()\n]*\b{own}\b|\b{own}\.({TURNS})\(|\b{own}\s*\*\*\s*2"
    return bool(re.search(FREE, own, re.I) or not says(own, text) or re.search(turned, text))
