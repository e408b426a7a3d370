"""A mixture of Gaussians: log-likelihood, loss, samples, samples of one component."""

import re
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.bench import Bench, Unfit
from regard.checker.contract import Broken, Case, Contract, Convention, Frame, Law, Mistake, forms
from regard.checker.contracts.attention_mistakes import BEHAVIOUR
from regard.checker.contracts.mixture_methods import conditional, loss, method, whole
from regard.checker.references.mixture import likelihood, log_softmax, logsumexp
from regard.checker.subject import Arguments, Subject, first

STUB = '''"""A mixture of Gaussians, to be filled in. Then: regard check mixture.py"""

import torch
from torch import nn


class GMM(nn.Module):
    """A mixture of Gaussians in the plane, each with its own variance along each axis.

        log p(x)   = logsumexp over k of (log weight_k + log N(x; mean_k, variance_k))
        log N      = -1/2 sum over the axes of (log(2 pi) + log variance + (x - mean)^2 / variance)
        weight     = softmax(logits),  variance = exp(log_variances)
    """

    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """log p of every sample: (n, 2) to (n,)."""
        raise NotImplementedError("fill me in")

    def loss_function(self, log_likelihood: torch.Tensor) -> torch.Tensor:
        """The negative mean."""
        raise NotImplementedError("fill me in")

    def sample(self, n_samples: int) -> torch.Tensor:
        """(n_samples, 2) from the mixture."""
        raise NotImplementedError("fill me in")

    def conditional_sample(self, n_samples: int, label: int) -> torch.Tensor:
        """(n_samples, 2) from one component."""
        raise NotImplementedError("fill me in")
'''

COMPONENTS, DIMENSION = 3, 5
MEANS = re.compile(r"mean|mu|loc|cent", re.I)
SPREAD = re.compile(r"var|sigma|std|scale|cov|prec", re.I)
WEIGHTS = re.compile(r"logit|pi|weight|mix|prior|alpha", re.I)


DENSITY = (
    Mistake(
        slug="logdet-half-missing",
        cause="the logarithm of the variance is taken off whole, not half (some exercise sheets print it so)",
        remedy="- 0.5 * log_variances.sum(-1), since log sqrt(variance) = 0.5 log variance",
        look="logsumexp",
        forms=forms({"spread": lambda v: v}),
    ),
    Mistake(
        slug="logdet-missing",
        cause="the variance is missing in front of the exponential: the density does not integrate to one",
        remedy="take off 0.5 * log_variances.sum(-1)",
        look="logsumexp pi",
        forms=forms({"spread": lambda v: 0.0 * v}),
    ),
    Mistake(
        slug="logdet-sign",
        cause="the logarithm of the variance is added instead of taken off",
        remedy="- 0.5 * log_variances.sum(-1)",
        look="logsumexp pi",
        forms=forms({"spread": lambda v: -0.5 * v}, {"spread": lambda v: -v}),
    ),
    Mistake(
        slug="square-half-missing",
        cause="the half before the squares is missing",
        remedy="- 0.5 * ((x - mean) ** 2 / variance).sum(-1)",
        look="power",
        forms=forms({"square": lambda s: s}),
    ),
    Mistake(
        slug="two-pi-missing",
        cause="the factor 2 pi is missing: the density does not integrate to one",
        remedy="- 0.5 * d * log(2 pi)",
        look="logsumexp",
        forms=forms({"constant": lambda d: 0.0}),
    ),
    Mistake(
        slug="two-pi-once",
        cause="log(2 pi) is counted once and not once for each dimension",
        remedy="- 0.5 * d * log(2 pi)",
        look="pi",
        forms=forms(
            {"constant": lambda d: 0.5 * np.log(2 * np.pi)}, {"constant": lambda d: np.log(2 * np.pi)}
        ),
    ),
    Mistake(
        slug="two-pi-half-missing",
        cause="the half before log(2 pi) is missing",
        remedy="- 0.5 * d * log(2 pi)",
        look="pi",
        forms=forms({"constant": lambda d: d * np.log(2 * np.pi)}),
    ),
    Mistake(
        slug="log-variance-as-deviation",
        cause="exp(log_variance) is used as the standard deviation, so the variance is squared",
        remedy="variance = exp(log_variance), deviation = exp(0.5 * log_variance)",
        look="exponential",
        forms=forms(
            {"divisor": lambda v: np.exp(2 * v), "spread": lambda v: v}, {"divisor": lambda v: np.exp(2 * v)}
        ),
    ),
    Mistake(
        slug="deviation-as-variance",
        cause="exp(0.5 * log_variance), the standard deviation, is used as the variance",
        remedy="divide the squares by exp(log_variance)",
        look="exponential",
        forms=forms(
            {"divisor": lambda v: np.exp(0.5 * v)},
            {"divisor": lambda v: np.exp(0.5 * v), "spread": lambda v: 0.25 * v},
        ),
    ),
    Mistake(
        slug="variance-not-exponentiated",
        cause="the logarithm of the variance is used as the variance itself",
        remedy="variance = exp(log_variance)",
        look="power",
        forms=forms({"divisor": lambda v: v}, {"divisor": lambda v: v, "spread": lambda v: 0.5 * np.log(v)}),
    ),
    Mistake(
        slug="dimensions-averaged",
        cause="the terms of the dimensions are averaged instead of summed",
        remedy="sum over the last axis",
        look="mean",
        forms=forms(
            {"over": lambda t: t.mean(-1)},
            {"over": lambda t: t.mean(-1), "constant": lambda d: 0.5 * np.log(2 * np.pi)},
        ),
    ),
)
MIXING = (
    Mistake(
        slug="sum-over-samples",
        cause="the logsumexp runs over the samples instead of the components",
        remedy="logsumexp over the axis of the components, dim=1",
        look="logsumexp",
        forms=forms({"join": lambda w, p: logsumexp(w + p, 0)}),
    ),
    Mistake(
        slug="mean-of-logs",
        cause="logarithms are averaged or summed where the logarithm of a sum is needed",
        remedy="logsumexp(log weight + log density)",
        look="mean logsumexp",
        forms=forms(
            {"join": lambda w, p: (np.exp(w) * p).sum(-1)},
            {"join": lambda w, p: (w + p).sum(-1)},
            {"join": lambda w, p: (w + p).mean(-1)},
            {"join": lambda w, p: (np.exp(w) * (w + p)).sum(-1)},
        ),
    ),
    Mistake(
        slug="maximum-for-sum",
        cause="only the likeliest component counts",
        remedy="logsumexp over the components, not max",
        look="logsumexp",
        forms=forms({"join": lambda w, p: (w + p).max(-1)}),
    ),
    Mistake(
        slug="weights-missing",
        cause="the mixing weights are left out",
        remedy="add log_softmax(logits) before the logsumexp",
        look="logsumexp",
        forms=forms({"weigh": lambda z: 0.0 * z}, {"weigh": lambda z: 0.0 * z - np.log(len(z))}),
    ),
    Mistake(
        slug="weights-not-normalised",
        cause="the logits are added as they are, so the weights do not sum to one",
        remedy="log_softmax(logits)",
        look="logsumexp",
        forms=forms({"weigh": lambda z: z}),
    ),
    Mistake(
        slug="weights-not-logged",
        cause="the weights themselves are added to logarithms",
        remedy="log_softmax(logits), not softmax(logits)",
        look="log_softmax",
        forms=forms({"weigh": lambda z: np.exp(log_softmax(z))}),
    ),
)
OTHERS = (
    Mistake(
        slug="underflow",
        cause="exp, sum and log one after the other: far from all means the density underflows to minus infinity",
        remedy="torch.logsumexp of the logarithms",
        look="exponential logsumexp",
    ),
    Mistake(
        slug="loss-sign",
        cause="the loss is plus the mean log-likelihood: training would make the data unlikely",
        remedy="return -log_likelihood.mean()",
        look="loss",
    ),
    Mistake(
        slug="loss-sum",
        cause="the loss is the sum over the samples, not their mean",
        remedy="return -log_likelihood.mean()",
        look="loss",
    ),
    Mistake(
        slug="loss-not-averaged",
        cause="the loss is not one number",
        remedy="return -log_likelihood.mean()",
        look="loss",
    ),
    Mistake(
        slug="sample-variance",
        cause="samples are scaled by the variance, not by its root",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-log-variance",
        cause="samples are scaled by the logarithm of the variance",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-log-deviation",
        cause="samples are scaled by the logarithm of the deviation",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-deviation-rooted",
        cause="samples are scaled by the root of the deviation",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-unit",
        cause="samples ignore the variance: every component has deviation one",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-weights-ignored",
        cause="components are drawn with equal chances, whatever their weights",
        remedy="torch.multinomial(softmax(logits), n, replacement=True)",
        look="random",
    ),
    Mistake(
        slug="sample-one-component",
        cause="one component is drawn for a whole call instead of one for each sample",
        remedy="draw n components: torch.multinomial(weights, n, replacement=True)",
        look="random",
    ),
    Mistake(
        slug="sample-noise-shared",
        cause="one noise serves several samples or several dimensions",
        remedy="torch.randn(n, d): one number for each sample and dimension",
        look="random",
    ),
    Mistake(
        slug="sample-mean-missing",
        cause="samples are not moved to the mean of their component",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="conditional-ignored",
        cause="the samples of one component come from several",
        remedy="use the component that was asked for",
        look="random",
    ),
    Mistake(
        slug="conditional-wrong",
        cause="the samples of one component come from another",
        remedy="index means and variances with the component as given",
        look="random",
    ),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A class that is a mixture of Gaussians."""
    name = member["name"].lower()
    return (
        0.95
        if member["kind"] == "class"
        and re.search(r"gmm|mixture|mog", name)
        and not re.search(r"uniform|umm", name)
        else 0.0
    )


def adapt(bench: Bench) -> Subject:
    """Make it, read its three weights, find the log-likelihood."""
    rng = np.random.default_rng(7)
    made = bench.build({"components": COMPONENTS, "dimension": DIMENSION})
    roles = read(made.learned, made.weights)
    k, d = made.weights[roles["means"]].shape[-2:]
    values = {
        roles["logits"]: rng.standard_normal(made.weights[roles["logits"]].shape) + 0.7,
        roles["means"]: rng.standard_normal(made.weights[roles["means"]].shape),
        roles["log_variances"]: rng.uniform(-1.2, 1.2, made.weights[roles["log_variances"]].shape),
    }
    logarithm = (
        "deviation" if re.search(r"log_?(std|sig|dev|scale)", roles["log_variances"], re.I) else "variance"
    )

    def enter(case: Case) -> Arguments:
        return [case["x"]], {}

    subject = Subject(bench, made, enter, lambda answer, case: leave(answer))
    subject.method = "" if made.call else method(subject, r"log_?(prob|lik)|score|forward") or ""
    trial = points(rng, d)
    bench.precise(made, *enter(trial), subject.method)
    subject.set(values)
    subject.facts |= {
        "drawn": values,
        "roles": roles,
        "components": k,
        "dimension": d,
        "logarithm": logarithm,
    }
    log_variances = values[roles["log_variances"]].reshape(k, d) * (2.0 if logarithm == "deviation" else 1.0)
    weights = {
        "logits": values[roles["logits"]].reshape(-1),
        "means": values[roles["means"]].reshape(k, d),
        "log_variances": log_variances,
    }
    notes = (", ".join(f"{role} = {name}" for role, name in roles.items()),)
    subject.frames = [
        Frame(
            weights=weights, notes=notes, conventions=("log-deviation",) if logarithm == "deviation" else ()
        )
    ]
    return subject


def read(learned: list[str], weights: dict[str, np.ndarray]) -> dict[str, str]:
    """Logits, means and log-variances by name, then by shape."""
    two = [n for n in learned if weights[n].squeeze().ndim >= 2]
    one = [n for n in learned if n not in two]
    spread = next((n for n in two if SPREAD.search(n)), None)
    means = next((n for n in two if MEANS.search(n) and n != spread), None) or next(
        (n for n in two if n != spread), None
    )
    spread = spread or next((n for n in two if n != means), None)
    logits = next((n for n in one if WEIGHTS.search(n)), None) or next(iter(one), None)
    if not (spread and means and logits):
        shapes = ", ".join(f"{n} {weights[n].shape}" for n in learned) or "none"
        raise Unfit(
            "unknown-weight",
            f"logits (k), means (k, d) and log-variances (k, d) are not among its weights ({shapes})",
            "keep them as nn.Parameter: logits, means, log_variances",
        )
    return {"logits": logits, "means": means, "log_variances": spread}


def leave(answer: Any) -> np.ndarray:
    """One number for each sample; a last axis of one is taken off."""
    found = first(answer)
    return found[:, 0] if isinstance(found, np.ndarray) and found.ndim == 2 and found.shape[1] == 1 else found


def points(rng: np.random.Generator, d: int, *, size: float = 1.5) -> Case:
    """A few points."""
    return Case(name="7 points", inputs={"x": rng.standard_normal((7, d)) * size})


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Points near the means and farther away."""
    d = subject.facts["dimension"]
    return [points(rng, d), points(rng, d, size=4.0)]


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """Points near the means."""
    return points(rng, subject.facts["dimension"])


def far(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """A hundred deviations away the log-likelihood is finite."""
    answer = subject.answer(
        Case(name="far points", inputs={"x": rng.choice([-150.0, 150.0], (5, subject.facts["dimension"]))})
    )
    if np.isfinite(answer).all():
        return None
    slug = "underflow" if np.isneginf(answer).any() else ""
    return Broken(
        number=np.inf,
        words=f"points 150 away from the means have log-likelihood {answer[~np.isfinite(answer)][0]}",
        slug=slug,
    )


def permuted(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Points in another order have the same log-likelihoods in that order."""
    case = usual(subject, rng)
    turn = rng.permutation(len(case["x"]))
    before, after = subject.answer(case), subject.answer(Case(name=case.name, inputs={"x": case["x"][turn]}))
    if before.shape != (len(turn),):
        return Broken(
            number=np.inf,
            words=f"{len(turn)} points give the shape {before.shape}, not one number for each point",
        )
    moved = laws.gap(before[turn], after)
    return (
        None
        if moved <= laws.MOVES[subject.kind]
        else Broken(number=moved, words="points in another order have other log-likelihoods")
    )


def integral(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The density integrates to one: a sum over a fine grid in the plane."""
    if subject.facts["dimension"] != 2:
        return None
    side = np.linspace(-14, 14, 141)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    answer = subject.answer(Case(name="grid", inputs={"x": grid}))
    if answer.shape != (len(grid),):
        return None
    with np.errstate(all="ignore"):
        total = float(np.exp(answer).sum() * (side[1] - side[0]) ** 2)
    return (
        None
        if abs(total - 1) < 0.02
        else Broken(number=total, words=f"summed over the plane, the density gives {total:.4g}, not 1")
    )


CONTRACT = Contract(
    name="gaussian-mixture",
    title="a mixture of Gaussians",
    file="mixture.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    cases=cases,
    reference=likelihood,
    mistakes=(*DENSITY, *MIXING, *OTHERS, *BEHAVIOUR),
    conventions=(
        Convention(
            slug="log-deviation", says="the weight holds the logarithm of the deviation, not of the variance"
        ),
    ),
    laws=(
        laws.steady(usual),
        Law(name="one each", says="every point has its own log-likelihood", test=permuted, look="logsumexp"),
        Law(name="integral", says="the density integrates to one", test=integral, look="logsumexp pi"),
        Law(name="far", says="far away the log-likelihood is finite", test=far, look="exponential logsumexp"),
        Law(name="loss", says="the loss is the negative mean log-likelihood", test=loss, look="loss"),
        Law(
            name="samples",
            says="samples have the weights, means and deviations of the mixture",
            test=whole,
            look="random",
        ),
        Law(
            name="one component", says="samples of a component come from it", test=conditional, look="random"
        ),
        laws.untouched(usual),
        laws.flowing(usual),
    ),
)
