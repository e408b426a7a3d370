"""A mixture of Gaussians: log-likelihood, loss, samples, samples of one component."""

import re
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Broken, Case, Contract, Convention, Law, WeightMap
from regard.checker.contracts.attention.wiring import BEHAVIOUR
from regard.checker.contracts.mixture.answers import asked
from regard.checker.contracts.mixture.methods import LOGARITHMS, conditional, loss, whole
from regard.checker.contracts.mixture.mistakes import DENSITY, MIXING, OTHERS
from regard.checker.contracts.mixture.reference import PLAIN, likelihood
from regard.checker.contracts.mixture.steps import responsible, stepped
from regard.checker.gradients import flowing
from regard.checker.subject import NUMBER, Subject, apart, listed
from regard.checker.workbench import Unfit, Workbench

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
FACTOR = r"tril|chol"
"Words in the name of a triangular factor of the covariances: its diagonal holds deviations."
WEIGHTS = re.compile(r"logit|pi|weight|mix|prior|alpha", re.I)


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


def adapt(bench: Workbench) -> Subject:
    """Make it, read its three weights, find the log-likelihood."""
    rng = np.random.default_rng(7)
    made = bench.build({"components": COMPONENTS, "dimension": DIMENSION})
    lists = listed(made.weights, made.learned)
    made.weights |= lists
    single = [name for name in made.learned if re.sub(NUMBER, "#", name) not in lists]
    roles = read([*single, *lists], made.weights, bench.said)
    k, d = made.weights[roles["means"]].shape[-2:]
    spread = made.weights[roles["log_variances"]]
    full = spread.size == k * d * d and spread.shape[-2:] == (d, d)
    ball = spread.size == k
    if spread.size != k * d and not full and not ball:
        raise Unfit(
            "unknown-weight",
            f"the spread {roles['log_variances']} has the shape {spread.shape}, not one number for each component and axis",
            "make it with diagonal covariances: --make 'NAME(…)'",
        )
    plain = is_plain(roles, made.weights)
    raw = plain or full  # a whole matrix is no logarithm
    shares = rng.uniform(0.5, 2.0, made.weights[roles["logits"]].shape)
    values = {
        roles["logits"]: shares / shares.sum() if plain else rng.standard_normal(shares.shape) + 0.7,
        roles["means"]: rng.standard_normal(made.weights[roles["means"]].shape),
        roles["log_variances"]: np.exp(rng.uniform(-1.2, 1.2, spread.shape if ball else (k, d)))
        if raw
        else rng.uniform(-1.2, 1.2, spread.shape),
    }
    diagonal = values[roles["log_variances"]]
    if raw:
        # A full covariance is tried with matrices that are diagonal.
        whole = diagonal[..., None] * np.eye(d) if full else diagonal
        values[roles["log_variances"]] = whole.reshape(spread.shape)
    logarithm = kept(roles["log_variances"], bench.source.text_of(bench.name))
    rooted = re.search(
        FACTOR if full else rf"std|sigma(?!2|_?sq)|dev|scale|{FACTOR}", roles["log_variances"], re.I
    )
    power = 2.0 if rooted else 1.0
    subject = asked(bench, made, points(rng, d), roles)
    subject.set(values)
    subject.facts |= {
        "drawn": values | apart(values),
        "roles": roles,
        "components": k,
        "dimension": d,
        "logarithm": logarithm,
        "plain": plain,
        "raw": raw,
        "power": power,
    }
    diagonal = np.broadcast_to(diagonal.reshape(k, -1), (k, d))
    log_variances = power * np.log(diagonal) if full else diagonal * LOGARITHMS[logarithm]
    weights = {
        "logits": values[roles["logits"]].reshape(-1),
        "means": values[roles["means"]].reshape(k, d),
        "log_variances": log_variances,
    }
    notes = (", ".join(f"{role} = {name}" for role, name in roles.items()),)
    own = () if full or logarithm == "variance" else (f"log-{logarithm}",)
    terms = ("joint-terms",) if subject.facts.get("terms") else ()
    subject.frames = [WeightMap(weights=weights, notes=notes, conventions=(*own, *terms))]
    if plain:
        kept_plain = weights | {
            "logits": np.log(weights["logits"]),
            "log_variances": power * np.log(diagonal),
        }
        subject.frames.insert(
            0, WeightMap(weights=kept_plain, notes=notes, conventions=("plain-parameters", *terms))
        )
    return subject


def is_plain(roles: dict[str, str], weights: dict[str, np.ndarray]) -> bool:
    """Whether variances and weights are kept as they are: they start positive, the weights sum to one, and no name says log."""
    shares, spread = weights[roles["logits"]], weights[roles["log_variances"]]
    named = any(re.search(r"log", roles[role], re.I) for role in ("logits", "log_variances"))
    if spread.ndim > 2 and spread.shape[-1] == spread.shape[-2]:
        spread = np.diagonal(spread, axis1=-2, axis2=-1)
    return (
        not named and bool((spread > 0).all() and (shares > 0).all()) and abs(float(shares.sum()) - 1) < 1e-3
    )


def kept(name: str, text: str = "") -> str:
    """Of what a weight of that name holds the logarithm: of the diagonal of a triangular factor, it is the deviation.

    >>> kept("log_sigma"), kept("log_sigma2"), kept("logvar"), kept("log_precision")
    ('deviation', 'variance', 'variance', 'precision')
    >>> kept("log_diag"), kept("log_diag", "self.lower.tril(-1) + diag_embed(self.log_diag.exp())")
    ('variance', 'deviation')
    """
    factored = re.search(r"tril", text) and not re.search(r"cholesky(_ex)?\(", text)
    diagonal = re.search(r"diag", name, re.I) and not re.search(r"var|cov", name, re.I)
    if re.search(FACTOR, name, re.I) or (factored and diagonal):
        return "deviation"
    if re.search(r"prec|tau|inv_?var", name, re.I):
        return "precision"
    squared = re.search(r"(2|sq|squared)$", name, re.I)
    return "deviation" if re.search(r"log_?(std|sig|dev|scale)", name, re.I) and not squared else "variance"


def read(
    learned: list[str], weights: dict[str, np.ndarray], said: dict[str, str] | None = None
) -> dict[str, str]:
    """Logits, means and log-variances as the person says, by name, then by shape."""
    said = {role: name for role, name in (said or {}).items() if name in learned}
    two = [n for n in learned if weights[n].squeeze().ndim >= 2]
    one = [n for n in learned if n not in two]
    own = {n: n.rpartition("#.")[2] for n in learned}
    spread = next((n for n in two if SPREAD.search(own[n])), None)
    means = next((n for n in two if MEANS.search(own[n]) and n != spread), None) or next(
        (n for n in two if n != spread), None
    )
    spread = spread or next((n for n in two if n != means), None)
    # Balls have one spread each.
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
    roles=("logits", "means", "log_variances"),
    cases=cases,
    reference=likelihood,
    program=PLAIN,
    mistakes=(*DENSITY, *MIXING, *OTHERS, *BEHAVIOUR),
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
            test=whole,
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
        laws.untouched(usual),
        flowing(usual, ("x",)),
    ),
)
