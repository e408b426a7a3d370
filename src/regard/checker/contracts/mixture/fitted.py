"""What a person's mixture is once it was fitted: near the best for its points, and the same whatever it was fitted to before."""

import re
from typing import Any

import numpy as np

from regard.checker.contract import Broken, WeightMap
from regard.checker.contracts.mixture.em import expected, maximised, parameters
from regard.checker.contracts.mixture.forms import axes_of
from regard.checker.contracts.mixture.methods import method
from regard.checker.contracts.mixture.reference import PLAIN, log_softmax
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, listed

STILL = 0.05
"How far shares of the points may be from mixing weights that are all equal."
GAIN, STRICT = 0.5, 0.05
"What a step of EM may still add to the mean log-likelihood of points that a mixture was fitted to; held strictly."
SAME = 1e-6
"The share by which parameters may differ that were fitted to the same points."
GOES_ON = re.compile(r"warm|resum|continu|partial|increment|online", re.I)
"What a person says whose fit goes on from where the last one ended."
KEEPS = re.compile(r"self\.\w+\s*=\s*[\w.]*(default_rng|RandomState|Generator)\(")
"A generator of random numbers that an object keeps: every fit starts elsewhere."
ROLES = ("logits", "means", "log_variances")


def settled(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Of what was fitted, one more step of EM on its own points makes them hardly more likely."""
    x = subject.facts.get("fitted")
    if x is not None and subject.facts["dimension"] == x.shape[1]:
        return _near(subject, subject.frame, x, STRICT if subject.bench.strict else GAIN)
    x = subject.facts.get("points")
    if x is None or not subject.bench.strict or subject.facts["fixed"]:
        return None
    frame = _after_fit(subject, x)
    return _near(subject, frame, x, STRICT) if isinstance(frame, WeightMap) else frame


def _near(subject: Subject, frame: WeightMap, x: np.ndarray, allowed: float) -> Broken | None:
    k, d = len(frame["logits"]), x.shape[1]
    size = subject.made.weights[subject.facts["roles"]["log_variances"]].size
    tied = size == d * d and subject.facts["square"]
    if not tied and size != (k * d * d if subject.facts["square"] else k * d):
        return None  # balls, or one spread along the axes for all
    known, each = PLAIN.run({"x": x, "w": frame}, {}), expected(subject, x, frame)
    own, mixed = np.exp(log_softmax(frame["logits"])), each.mean(0)
    if not np.isfinite(mixed).all():
        return None
    if np.allclose(own, 1 / k) and np.abs(mixed - own).max() > STILL:
        words = f"{len(x)} points: all mixing weights are {own[0]:.3g} after it was fitted, the components' shares {mixed.min():.2g} to {mixed.max():.2g}"
        return Broken(number=float(np.abs(mixed - own).max()), words=words)
    shares, means, covariances = maximised(x, each)
    covariances = covariances + 1e-6 * np.eye(d)
    if not subject.facts["square"]:
        covariances = covariances * np.eye(d)
    if tied:
        covariances = np.repeat(np.einsum("k,kij->ij", shares, covariances)[None], k, axis=0)
    few = each.sum(0) <= d  # a component with too few points has no covariance: it stays as it is
    if few.all():
        return None
    held = np.exp(frame["log_variances"])
    axes = frame.weights.get("axes", np.broadcast_to(np.eye(d), (k, d, d)))
    kept = np.einsum("kij,kj,klj->kil", axes, held, axes)
    covariances[few], means[few] = kept[few], frame["means"][few]
    logs, turned = axes_of(covariances)
    weights = {"logits": np.log(np.maximum(shares, 1e-300)), "means": means, "log_variances": logs}
    weights |= {} if turned is None else {"axes": turned}
    after = PLAIN.run({"x": x, "w": WeightMap(weights=weights)}, {})["output"]
    gained = float((after - known["output"]).mean())
    if not gained > allowed:
        return None
    words = f"{len(x)} points: after it was fitted, one step of EM raises their mean log-likelihood by {gained:.2g}"
    return Broken(number=gained, words=words)


def _apart(one: list[np.ndarray], two: list[np.ndarray]) -> float:
    """The largest difference of parameters, as a share of their size."""
    if any(a.shape != b.shape for a, b in zip(one, two, strict=True)):
        return 0.0
    return max(float(np.abs(a - b).max() / np.abs(a).max()) for a, b in zip(one, two, strict=True))


def _after_fit(subject: Subject, x: np.ndarray) -> WeightMap | Broken | None:
    """The parameters of a fresh object that was fitted by EM to points; nothing where that is not how it learns."""
    name = method(subject, r"^(fit|run|em|train)$")
    gradients = re.search(r"backward\(|optim\.|\.grad\b", subject.bench.source.text_of(subject.bench.name))
    if not name or gradients or subject.bench.made is not None:
        return None
    asks = [p for p in subject.made.methods[name] if p["required"]]
    if len(asks) > 1:
        return None
    try:
        held = _parameters_after(subject, [(name, [x] if asks else [])])
    except (Raised, KeyError):
        return None
    found = parameters(subject, held)
    if found is None:
        return None
    if not all(np.isfinite(part).all() for part in found):
        return Broken(number=np.inf, words=f"{len(x)} points: after {name} its parameters are no numbers")
    weights, means, covariances = found
    logs, axes = axes_of(covariances)
    own = {"logits": np.log(weights), "means": means, "log_variances": logs}
    return WeightMap(weights=own | ({} if axes is None else {"axes": axes}))


def _parameters_after(subject: Subject, calls: list[tuple[str, list[Any]]]) -> list[np.ndarray]:
    """Weights, means and spread of a fresh object after some calls of its methods, as it keeps them."""
    bench = subject.bench
    made = bench.again(subject.made, subject.made.built.named)
    bench.line.ask("cast", made.number, "float64")
    for name, values in calls:
        bench.line.ask("call", made.number, values, named={}, method=name, kind="float64", seed=0)
    about = bench.line.ask("about", made.number)
    held = about["weights"] | listed(about["weights"], list(about["weights"]))
    return [held[subject.facts["roles"][role]] for role in ROLES]


def refitted(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Fitted to the same points, it is the same, whatever points it was fitted to before."""
    names, bench = subject.facts.get("fitting"), subject.bench
    text = bench.source.text_of(bench.name)
    if (
        not names
        or subject.facts["dimension"] == 1
        or bench.made is not None
        or GOES_ON.search(text)
        or (KEEPS.search(text) and not bench.strict)
    ):
        return None
    x = subject.facts["fitted"]
    one, two = (x[rng.permutation(len(x))] * size + 3.0 for size in (1.5, 0.5))
    asks = {name: any(p["required"] for p in subject.made.methods[name]) for name in names}

    def calls(data: np.ndarray) -> list[tuple[str, list[Any]]]:
        return [(name, [data] if asks[name] else []) for name in names]

    try:
        first, again, second, once_more = (
            _parameters_after(subject, [*calls(before), *calls(x)]) for before in (one, one, two, two)
        )
    except (Raised, KeyError):
        return None
    off = _apart(first, second)
    chance = any(not np.array_equal(a, b) for a, b in zip(first + second, again + once_more, strict=True))
    if chance or not off > SAME:
        return None
    words = f"fitted to {len(x)} points after it was fitted to others, it depends on those: its parameters differ by {off:.2g} of their size"
    return Broken(number=off, words=words, slug="state-between-calls")
