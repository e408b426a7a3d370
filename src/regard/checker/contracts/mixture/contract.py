"""A mixture of Gaussians: log-likelihood, loss, samples, samples of one component."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import Broken, Case, Contract, Convention, Law
from regard.checker.contracts.attention.wiring import BEHAVIOUR
from regard.checker.contracts.mixture.adapt import FITS, adapt
from regard.checker.contracts.mixture.fitted import refitted, settled
from regard.checker.contracts.mixture.followed import turned
from regard.checker.contracts.mixture.given import points
from regard.checker.contracts.mixture.methods import conditional, loss
from regard.checker.contracts.mixture.mistakes import DENSITY, MIXING, OTHERS
from regard.checker.contracts.mixture.reference import PLAIN, likelihood
from regard.checker.contracts.mixture.roles import MEANS, SPREAD, WEIGHTS
from regard.checker.contracts.mixture.steps import responsible, stepped
from regard.checker.contracts.mixture.weighed import labelled, sampled
from regard.checker.gradients import flowing
from regard.checker.subject import Subject, larger

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


NAMED = re.compile(
    r"gmm|mixture|mixtur|mog|mistura|mescla|mezcla|m[eé]lange|misc(h|el)|mengsel|bland|mieszan|сме(с|ш)|混合"
)
"Names of a mixture in some languages."
LEARNS = re.compile(rf"{FITS}|step|expect|maximi[sz]", re.I)
"Names of methods by which a mixture finds its parameters without a gradient."


def registered(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Every weight is among parameters(), unless EM finds them: then they may be buffers."""
    own = [*subject.made.methods, *subject.made.hidden]
    return None if any(map(LEARNS.search, own)) else conduct.registered(subject, rng, usual)


def suits(member: dict[str, Any], source: str) -> float:
    """A class that is a mixture of Gaussians, or a function that is told its means and covariances."""
    name = member["name"].lower()
    if member["kind"] == "function":
        names = [p["name"] for p in member["parameters"]]
        told = all(any(words.search(word) for word in names) for words in (MEANS, SPREAD, WEIGHTS))
        density = re.search(r"gmm|mixture|mog|log_?(prob|lik|pdf|dens)|respons|e_?step|nll", name)
        return 0.8 if told and density and re.search(r"\bpi\b|normal", source) else 0.0
    if member["kind"] != "class" or re.search(r"uniform|umm", name):
        return 0.0
    if NAMED.search(name):
        return 0.95
    bell = re.search(r"\bpi\b|normal", source) and all(w.search(source) for w in (MEANS, SPREAD, WEIGHTS))
    return 0.6 if bell and re.search(r"gau(ss|ß)|^em|em$|_em|cluster", name) else 0.0


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Points near the means and farther away."""
    d = subject.facts["dimension"]
    return [points(rng, d), points(rng, d, size=4.0)]


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More points."""
    d = subject.facts["dimension"]
    return [
        Case(name=f"{n} points", inputs={"x": rng.standard_normal((n, d)) * 1.5})
        for n in larger(subject, rng)
    ]


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """Points near the means."""
    return points(rng, subject.facts["dimension"])


def far(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """A hundred deviations away the log-likelihood is finite; a density itself may vanish."""
    if subject.facts.get("density"):
        return None
    answer = subject.answer(
        Case(name="far points", inputs={"x": rng.choice([-150.0, 150.0], (5, subject.facts["dimension"]))})
    )
    if np.isfinite(answer).all():
        return _beside(subject, rng)
    slug = "underflow" if np.isneginf(answer).any() else ""
    if subject.facts.get("shares_asked"):
        words = "points 150 away from the means have responsibilities that are not finite"
        return Broken(number=np.inf, words=words, slug="shares-underflow")
    return Broken(
        number=np.inf,
        words=f"points 150 away from the means have log-likelihood {answer[~np.isfinite(answer)][0]}",
        slug=slug,
    )


def _beside(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Points far away in one batch with near ones."""
    x = np.concatenate(
        [
            points(rng, subject.facts["dimension"])["x"],
            rng.choice([-150.0, 150.0], (2, subject.facts["dimension"])),
        ]
    )
    answer = subject.answer(Case(name="near and far points", inputs={"x": x}))
    if np.isfinite(answer).all() or subject.facts.get("shares_asked"):
        return None
    words = f"in one batch with near points, points 150 away have log-likelihood {answer[~np.isfinite(answer)][0]}, alone they have a number"
    return Broken(number=np.inf, words=words, slug="underflow")


def permuted(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Points in another order have the same log-likelihoods in that order."""
    case = usual(subject, rng)
    turn = rng.permutation(len(case["x"]))
    before, after = subject.answer(case), subject.answer(Case(name=case.name, inputs={"x": case["x"][turn]}))
    if before.shape != (len(turn),) and not subject.facts.get("shares_asked"):
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
    if subject.facts["dimension"] != 2 or "one more" in subject.facts:
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
    by_methods=True,
    roles=("logits", "means", "log_variances"),
    cases=cases,
    growing=growing,
    odd=(7, 13, 19),
    reference=likelihood,
    program=PLAIN,
    mistakes=(*DENSITY, *MIXING, *OTHERS, *BEHAVIOUR, *conduct.MISTAKES),
    conventions=(
        Convention(
            slug="log-deviation",
            says="the weight holds the logarithm of the deviation, not of the variance",
            harmless=True,
        ),
        Convention(
            slug="log-precision",
            says="the weight holds the logarithm of one over the variance, the precision",
            harmless=True,
        ),
        Convention(
            slug="plain-parameters",
            says="variances and weights are kept as they are, not as logarithms",
            harmless=True,
        ),
        Convention(
            slug="own-form",
            says="the covariances are kept in a form of their own, and were measured",
            harmless=True,
        ),
        Convention(
            slug="joint-terms",
            says="the terms of the components come one by one, each with its weight: their logsumexp is the log-likelihood",
            harmless=True,
        ),
        Convention(
            slug="loss-summed",
            says="the loss is the sum over the samples, not their mean",
            mistake="loss-sum",
            choice="loss=sum",
            words=r"\bsum\b",
        ),
    ),
    laws=(
        laws.afresh(usual),
        laws.steady(usual),
        Law(name="one each", says="every point has its own log-likelihood", test=permuted, look="logsumexp"),
        Law(name="integral", says="the density integrates to one", test=integral, look="logsumexp pi"),
        Law(name="far", says="far away the log-likelihood is finite", test=far, look="exponential logsumexp"),
        Law(name="loss", says="the loss is the negative mean log-likelihood", test=loss, look="loss"),
        Law(
            name="samples",
            says="samples have the weights, means and deviations of the mixture",
            test=sampled,
            look="random",
        ),
        Law(
            name="one component", says="samples of a component come from it", test=conditional, look="random"
        ),
        Law(
            name="responsibilities",
            says="responsibilities are the components' shares of a point's likelihood",
            test=responsible,
            look="softmax exponential",
        ),
        Law(
            name="em step",
            says="one step of EM gives the weights, means and variances of the responsibilities",
            test=stepped,
            look="mean power",
        ),
        Law(
            name="turns",
            says="each turn of the loop that fits it is one step of EM",
            test=turned,
            look="mean power",
        ),
        Law(
            name="fit",
            says="what was fitted to points is near the best for them",
            test=settled,
            look="mean power",
        ),
        Law(
            name="refit",
            says="what is fitted to points is the same whatever it was fitted to before",
            test=refitted,
        ),
        Law(
            name="labels",
            says="a point's label is the component with the largest share of it",
            test=labelled,
            look="softmax",
        ),
        laws.untouched(usual),
        flowing(usual, ("x",)),
        *(replace(law, test=registered) if law.name == "registered" else law for law in conduct.owned(usual)),
        *conduct.modes(usual)[:1],
    ),
)
