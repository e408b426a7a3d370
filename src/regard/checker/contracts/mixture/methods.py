"""The other methods of a person's mixture: its loss, its samples, and the samples of one component."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker.contract import Broken, Case
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, first

DRAWS, SURE = 4000, 6.0
"Samples of each test, and how many standard errors are a finding: one false alarm in a billion."
DRAWN = r"generate|draw|rvs|muestr|amostr|simul|zieh|stichprobe|tirage|tirer|campion|chantillon"
"Words in the names of what gives samples."
APART = 200.0
"Components so far from each other that every sample shows where it came from."


def method(subject: Subject, pattern: str, *, without: str = "\0") -> str | None:
    """The method whose name fits; one whose name begins with an underscore, where the pattern allows it."""
    names = [*subject.made.methods, *(subject.made.hidden if pattern.startswith(("^_?", "^_*")) else ())]
    return next((n for n in names if re.search(pattern, n, re.I) and not re.search(without, n, re.I)), None)


def ask(subject: Subject, name: str, values: list[Any], seed: int = 0) -> Any:
    """Call a method."""
    reply = subject.bench.line.ask(
        "call", subject.made.number, values, named={}, method=name, kind=subject.kind, seed=seed
    )
    return first(reply["answer"])


def loss(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The loss is the negative mean of the log-likelihoods, given the samples or their log-likelihoods."""
    if "one more" in subject.facts:
        return None  # what was followed answers nothing
    name = method(subject, r"loss|nll|negative") or subject.facts.get("loss")
    x = rng.standard_normal((7, subject.facts["dimension"]))
    if subject.facts.get("single"):
        return _whole_batch(subject, x)
    called = name == "forward"  # it is the loss that a call gives
    if not called and name not in subject.made.methods:
        return None
    reply = subject.bench.line.ask(
        "call", subject.made.number, [x], named={}, method=subject.method, kind=subject.kind, seed=0
    )
    each = first(reply["answer"])
    if not isinstance(each, np.ndarray) or each.shape != (7,):
        return None
    parameters = [p["name"] for p in (subject.made.call if called else subject.made.methods[name])]
    of_likelihood = bool(parameters) and bool(
        re.search(r"log|ll|lik|prob|out|pred|score", parameters[0], re.I)
    )
    for given in (each, x) if of_likelihood else (x, each):
        try:
            found = np.asarray(ask(subject, "" if called else name, [given.astype(np.float64)]))
            break
        except Raised:
            continue
    else:
        return None
    wanted = -each.mean()
    if found.size != 1:
        return Broken(
            number=np.inf, words=f"{name} gives {found.size} numbers, not one", slug="loss-not-averaged"
        )
    got = float(found.reshape(()))
    if abs(got - wanted) <= 1e-4 * max(abs(wanted), 1e-3):
        return None
    slug = (
        "loss-sign"
        if np.isclose(got, -wanted, rtol=1e-4)
        else "loss-sum"
        if np.isclose(got, 7 * wanted, rtol=1e-4)
        else ""
    )
    words = f"7 samples: {name} is {got:.5g}, minus the mean log-likelihood is {wanted:.5g}"
    if np.isclose(got, wanted / x.shape[1], rtol=1e-4):
        words += ": it is divided by the number of coordinates, not of samples"
    return Broken(number=abs(got - wanted), words=words, slug=slug)


def _whole_batch(subject: Subject, x: np.ndarray) -> Broken | None:
    """What gives one number for a batch gives the mean over its points, or their sum."""
    case = Case(name="7 points", inputs={"x": x})
    each, got = subject.answer(case), float(np.ravel(first(subject.raw(*subject.enter(case))))[0])
    name = subject.facts["single"]
    if any(np.isclose(abs(got), abs(wanted), rtol=1e-4) for wanted in (each.mean(), each.sum())):
        return None
    words = f"7 samples: {name} is {got:.5g}, the mean log-likelihood of each alone is {each.mean():.5g}"
    return Broken(number=abs(got), words=words)


def still(subject: Subject) -> bool:
    """Whether its parameters cannot be chosen: it was fitted, keeps them in a form of its own, or none that is known."""
    if "frame" not in subject.facts:
        return True
    fixed = subject.facts["fixed"] and "anew" not in subject.facts
    return fixed or "own-form" in subject.frame.conventions


def stage(
    subject: Subject, rng: np.random.Generator, spread: np.ndarray | None = None
) -> tuple[Subject, np.ndarray, np.ndarray, np.ndarray]:
    """What has weights, means and deviations for sampling, and these: far apart, none of them one, none of them equal.

    A spread may be given in their place, as it is kept. What is told its parameters when it is made is made anew.
    """
    k, d = subject.facts["components"], subject.facts["dimension"]
    weights = np.array([0.5, 0.15, 0.35] + [1.0] * k)[:k]
    weights = weights / weights.sum()
    means = (np.arange(k)[:, None] + 1) * APART + np.arange(d)[None] * 17.0
    deviations = np.array([0.5, 2.0, 0.7, 1.6, 0.4, 2.5])[(np.arange(k)[:, None] + np.arange(d)[None]) % 6]
    roles, held = subject.facts["roles"], subject.made.weights
    shape = held[roles["log_variances"]].shape
    size = int(np.prod(shape))
    if size in (k, 1) and d > 1:
        deviations = np.repeat(deviations[:, :1], d, axis=1)  # balls
    if size in (d, d * d, 1) and size not in (k * d, k):
        deviations = np.repeat(deviations[:1], k, axis=0)  # all alike
    numbers = subject.facts["form"].held(deviations, square=subject.facts["square"])
    kept = {"plain": weights, "log": np.log(weights)}.get(subject.facts["shares"], np.log(weights) + 0.8)
    values = {
        roles["logits"]: kept.reshape(held[roles["logits"]].shape),
        roles["means"]: placed(means, held[roles["means"]].shape),
        roles["log_variances"]: placed(_few(numbers, size), shape) if spread is None else spread,
    }
    if "anew" in subject.facts:
        subject = replace(subject, made=subject.facts["anew"](values))
    else:
        subject.set(values)
    return subject, weights, means, deviations


def _few(numbers: np.ndarray, size: int) -> np.ndarray:
    """As many of the numbers of all components and axes as a weight keeps."""
    if numbers.size == size:
        return numbers
    return numbers[0] if numbers[0].size == size else numbers.reshape(len(numbers), -1)[:, 0][:size]


def placed(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers (k, d) in the shape of a weight, which may hold them as columns."""
    if values.ndim == 3 and shape == (*values.shape[1:], values.shape[0]) != values.shape:
        return np.moveaxis(values, 0, -1)
    columns = values.ndim == 2 and tuple(n for n in shape if n > 1) == values.shape[::-1] != values.shape
    return (values.T if columns else values).reshape(shape)


def unused(subject: Subject) -> Subject:
    """What is told its parameters when it is made, made anew: what a step of EM leaves in it is of no consequence."""
    if "anew" not in subject.facts:
        return subject
    made = subject.facts["anew"]({})
    subject.bench.line.ask("cast", made.number, subject.kind)
    return replace(subject, made=replace(made, kind=subject.kind))


def restore(subject: Subject) -> None:
    """Back to the weights of the density's probes."""
    subject.set(subject.facts["drawn"])


def sampling(subject: Subject) -> str | None:
    """The method that draws from the whole mixture: what is called sample is meant, and a helper called draw may take something else."""
    apart = r"cond|comp|class|_k$|label"
    return method(subject, r"^sample", without=apart) or method(subject, DRAWN, without=apart)


def whole(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Samples have the weights, means and deviations of the mixture."""
    name = sampling(subject)
    if name is None or still(subject):
        return None
    staged, weights, means, deviations = stage(subject, rng)
    try:
        found = np.asarray(ask(staged, name, [DRAWS]), dtype=np.float64)
    except TypeError:
        return None  # what it gives are no numbers that can be read
    finally:
        restore(subject)
    if found.shape != (DRAWS, means.shape[1]):
        return Broken(
            number=np.inf,
            words=f"{name}({DRAWS}) gives the shape {found.shape}, not {(DRAWS, means.shape[1])}",
        )
    if not np.isfinite(found).all():
        return Broken(number=np.inf, words=f"{name}({DRAWS}) gives NaN or infinity")
    if np.abs(found).max() < APART / 2:
        return Broken(
            number=np.inf,
            words=f"samples lie around {found.mean():.3g}, the means between {means.min():g} and {means.max():g}",
            slug="sample-mean-missing",
        )
    nearest = np.abs(found[:, None] - means[None]).sum(-1).argmin(1)
    return _counts(nearest, weights) or _moments(found, nearest, means, deviations)


def _counts(nearest: np.ndarray, weights: np.ndarray) -> Broken | None:
    counts = np.bincount(nearest, minlength=len(weights))
    shares = ", ".join(f"{c / DRAWS:.3f}" for c in counts)
    words = f"{DRAWS} samples come from the components in shares {shares}; the weights are {', '.join(f'{w:.3f}' for w in weights)}"
    if (counts == DRAWS).any():
        return Broken(
            number=1.0,
            words=f"all {DRAWS} samples of one call come from component {counts.argmax()}",
            slug="sample-one-component",
        )
    error = np.abs(counts / DRAWS - weights) / np.sqrt(weights * (1 - weights) / DRAWS)
    if error.max() <= SURE:
        return None
    even = np.abs(counts / DRAWS - 1 / len(weights)) / np.sqrt((1 - 1 / len(weights)) / len(weights) / DRAWS)
    return Broken(
        number=float(error.max()), words=words, slug="sample-weights-ignored" if even.max() <= SURE else ""
    )


def _moments(
    found: np.ndarray, nearest: np.ndarray, means: np.ndarray, deviations: np.ndarray
) -> Broken | None:
    for k in range(len(means)):
        own = found[nearest == k]
        broken = moments(own, means[k], deviations[k], f"samples of component {k}")
        if broken:
            return broken
    return None


def moments(own: np.ndarray, mean: np.ndarray, deviation: np.ndarray, what: str) -> Broken | None:
    """Mean, deviation and independence of the samples of one component."""
    count = len(own)
    if count < 50:
        return None
    if len(np.unique(own.round(9), axis=0)) < count // 2:
        return Broken(
            number=1.0,
            words=f"{count} {what} hold only {len(np.unique(own.round(9), axis=0))} different points",
            slug="sample-noise-shared",
        )
    centred = own - own.mean(0)
    spread = (centred**2).mean(0)
    slug = _spread(spread, deviation, count)
    if slug is not None:
        j = int(np.abs(np.log(spread / deviation**2)).argmax())
        words = f"{what} have the deviation {np.sqrt(spread[j]):.4g} along axis {j}, the mixture's is {deviation[j]:.4g}"
        return Broken(number=float(spread[j] / deviation[j] ** 2), words=words, slug=slug)
    off = np.abs(own.mean(0) - mean) / (deviation / np.sqrt(count))
    if off.max() > SURE:
        j = int(off.argmax())
        return Broken(
            number=float(off.max()),
            words=f"{what} have the mean {own.mean(0)[j]:.4g} along axis {j}, the mixture's is {mean[j]:.4g}",
        )
    together = np.corrcoef(own.T)[0, 1] if own.shape[1] > 1 else 0.0
    if abs(together) > SURE / np.sqrt(count):
        return Broken(
            number=float(together),
            words=f"the two axes of {what} are correlated by {together:.2f}",
            slug="sample-noise-shared",
        )
    return None


def _spread(found: np.ndarray, deviation: np.ndarray, count: int) -> str | None:
    """None if the variances along all axes are right; else the one mistake that explains them all, or nothing."""
    log_variance = 2 * np.log(deviation)
    wrong = {
        "sample-variance": deviation**4,
        "sample-log-variance": log_variance**2,
        "sample-unit": np.ones_like(deviation),
        "sample-deviation-rooted": deviation,
        "sample-log-deviation": (log_variance / 2) ** 2,
    }
    allowed = SURE * np.sqrt(2 / count)
    if (np.abs(found / deviation**2 - 1) <= allowed).all():
        return None
    fits = [slug for slug, value in wrong.items() if (np.abs(found / value - 1) <= allowed).all()]
    return fits[0] if len(fits) == 1 else ""


def conditional(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Samples of component k come from component k."""
    name = method(
        subject, r"cond|sample_(k|comp|class|from)|component_sample", without=r"log|prob|lik|dens|pdf|score"
    )
    if name is None or still(subject) or "one more" in subject.facts:
        return None
    staged, _, means, deviations = stage(subject, rng)
    try:
        for k in (1, 0):
            found = _conditional(staged, name, k)
            broken = _one(found, k, means, deviations, name)
            if broken:
                return broken
    finally:
        restore(subject)
    return None


def _conditional(subject: Subject, name: str, k: int) -> np.ndarray:
    parameters = [p["name"] for p in subject.made.methods[name]]
    label = next(
        (
            i
            for i, p in enumerate(parameters)
            if re.search(r"^(k|label|comp\w*|class\w*|index|idx|i|j|c|y|cluster|z)$", p, re.I)
        ),
        len(parameters) - 1,
    )
    if len(parameters) == 1:
        rows = [np.asarray(ask(subject, name, [k], seed=s)).reshape(1, -1) for s in range(400)]
        return np.concatenate(rows).astype(np.float64)
    values: list[Any] = [DRAWS // 4] * 2
    values[label] = k
    return np.asarray(ask(subject, name, values[: len(parameters)]), dtype=np.float64)


def _one(found: np.ndarray, k: int, means: np.ndarray, deviations: np.ndarray, name: str) -> Broken | None:
    if found.ndim != 2 or found.shape[1] != means.shape[1]:
        return Broken(number=np.inf, words=f"{name} gives the shape {found.shape}, not (n, {means.shape[1]})")
    if not np.isfinite(found).all() or np.abs(found).max() < APART / 2:
        return Broken(
            number=np.inf,
            words=f"samples of component {k} lie around {found.mean():.3g}, its mean is {means[k].mean():.3g}",
            slug="sample-mean-missing",
        )
    nearest = np.abs(found[:, None] - means[None]).sum(-1).argmin(1)
    if (nearest != k).all() and len(set(nearest.tolist())) == 1:
        return Broken(
            number=1.0,
            words=f"samples asked of component {k} come from component {nearest[0]}",
            slug="conditional-wrong",
        )
    if (nearest != k).any():
        return Broken(
            number=float((nearest != k).mean()),
            words=f"samples asked of component {k}: {(nearest != k).mean():.0%} come from others",
            slug="conditional-ignored",
        )
    return moments(found, means[k], deviations[k], f"conditional samples of component {k}")
