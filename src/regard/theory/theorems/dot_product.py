"""The mean and variance of q·k, the scale that undoes the width, and what heads and a wide MLP are for."""

from typing import Any

import numpy as np

from regard.theory.law import independent
from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column

WIDTH = 3


def point(random: np.random.Generator) -> dict[str, Any]:
    mu, sigma = random.standard_normal(WIDTH), random.uniform(0.5, 1.5)
    signs = independent(WIDTH)
    a, b, c, e = (random.standard_normal((5, 2)) for _ in range(4))
    return {
        "mu": column(*mu), "sigma": sigma, "d": WIDTH, "i": 2, "x": column(*random.standard_normal(5)),
        "law": [{"q": column(*(mu + sigma * one)), "k": column(*(mu + sigma * other))} for one in signs for other in signs],
        "Q": random.standard_normal((6, WIDTH)) * (1, 1, 0), "K": random.standard_normal((7, WIDTH)) * (0, 1, 1),
        "A": a, "B": b, "C": c.T, "D": e.T, "w": 2, "F": random.standard_normal((6, 2)),
        "R": np.outer((1.0, 0.0), random.uniform(0.0, 1.0, 7)),
    }  # fmt: skip


def _pairs(random: np.random.Generator, shape: tuple[int, ...], rho: float) -> np.ndarray:
    """Standard normal vectors along the last axis whose entries have correlation rho with each other."""
    own, shared = random.standard_normal(shape), random.standard_normal((*shape[:-1], 1))
    return np.sqrt(1 - rho) * own + np.sqrt(rho) * shared


def _variances(products: np.ndarray) -> tuple[float, ...]:
    return tuple(products.var(1, ddof=1))


MEANS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
RHOS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)
SHARES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)
D = 16


def independent_entries(random: np.random.Generator, count: int) -> Sweep:
    def products(mean: float) -> np.ndarray:
        q, k = mean + random.standard_normal((2, count, 200, D))
        return (q * k).sum(-1)

    return Sweep(
        at=MEANS,
        predicted=tuple(D * (1 + 2 * mean**2) for mean in MEANS),
        formula=lambda mean: D * (1 + 2 * mean**2),
        measured=tuple(_variances(products(mean)) for mean in MEANS),
    )


def correlated_entries(random: np.random.Generator, count: int) -> Sweep:
    def products(rho: float) -> np.ndarray:
        return (_pairs(random, (count, 200, D), rho) * _pairs(random, (count, 200, D), rho)).sum(-1)

    return Sweep(
        at=RHOS,
        predicted=(float(D),) * len(RHOS),
        measured=tuple(_variances(products(rho)) for rho in RHOS),
        broken=tuple(rho > 0 for rho in RHOS),
        instead=tuple(D * (1 + (D - 1) * rho**2) for rho in RHOS),
    )


def dependent_pairs(random: np.random.Generator, count: int) -> Sweep:
    def means(share: float) -> tuple[float, ...]:
        q, other = random.standard_normal((2, count, 200, D))
        k = share * q + np.sqrt(1 - share**2) * other
        return tuple((q * k).sum(-1).mean(1))

    return Sweep(
        at=SHARES,
        predicted=(0.0,) * len(SHARES),
        measured=tuple(means(share) for share in SHARES),
        broken=tuple(share > 0 for share in SHARES),
        instead=tuple(D * share for share in SHARES),
    )


THEOREM = Theorem(
    name="dot-product",
    title="The size of q·k",
    question="How large is a dot product of random vectors, and what follows for attention?",
    speaks_of=(23, 24, 25, 63, 65),
    elsewhere=("scaled-dot-product", "receptive-field", "width-or-depth"),
    assumptions=(
        "the $d$ entries of $q$ and of $k$ are all independent, those of one place $i$ with mean $\\mu_i$, all with variance $\\sigma^2$; they need not be Gaussian",
        "$q$ and $k$ are independent of each other",
    ),
    statement="""The mean of $q^\\top k$ is $\\lVert \\mu \\rVert^2$ and its variance is
        $$\\mathrm{Var}[q^\\top k] = 2 \\sigma^2 \\lVert \\mu \\rVert^2 + d \\sigma^4$$
        With mean 0 and variance 1 the variance is $d$, so $\\frac{q^\\top k}{\\sqrt{d}}$ has variance 1 whatever the width.""",
    conclusions=(
        Conclusion(
            of="the mean of q·k",
            steps=(1, 2),
            answer="The mean of q·k is ‖μ‖², which is dμ² where all entries have the mean μ.",
        ),
        Conclusion(
            of="the variance of q·k",
            steps=(3, 4, 5, 6),
            answer="Its variance is 2σ²‖μ‖² + dσ⁴: it grows as the width d, so that for mean 0 and variance 1 it is d, and division by √d brings it to 1.",
        ),
        Conclusion(
            of="ranks, heads and the width of the MLP",
            steps=(7, 8, 9, 10),
            aside=True,
            answer="A head of width d gives a table of scores of rank d at most; several heads mix tokens by weights of their own, at the same cost; and an MLP of ReLUs takes 2d units to let a vector of width d pass.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="One place: independence lets the expectation of the product be the product of the expectations.",
            formula=r"\mathbb{E}[q_i k_i] = \mathbb{E}[q_i] \mathbb{E}[k_i] = \mu_i^2",
        ),
        ProofStep(
            text="The mean of a sum is the sum of the means.",
            formula=r"\mathbb{E}[q^\top k] = \sum_{i=1}^{d} \mu_i^2 = \lVert \mu \rVert^2",
        ),
        ProofStep(
            text="A square has mean variance plus squared mean; again the product of the two, by independence.",
            formula=r"\mathbb{E}[q_i^2] = \mu_i^2 + \sigma^2, \quad \mathbb{E}[q_i^2 k_i^2] = (\mu_i^2 + \sigma^2)^2",
        ),
        ProofStep(
            text="Take away the squared mean $\\mu_i^4$ and the variance of one place is left.",
            formula=r"\mathrm{Var}[q_i k_i] = (\mu_i^2 + \sigma^2)^2 - \mu_i^4 = 2 \sigma^2 \mu_i^2 + \sigma^4",
        ),
        ProofStep(
            text="Different places are independent, so their variances add. With equal means $\\mu_i = m$ this is $d (\\sigma^4 + 2 \\sigma^2 m^2)$: in proportion to the width.",
            formula=r"\mathrm{Var}[q^\top k] = 2 \sigma^2 \lVert \mu \rVert^2 + d \sigma^4",
        ),
        ProofStep(
            text="A factor $1/s$ divides the variance by $s^2$. For mean 0 the width is gone with $s = \\sqrt{d}$, and what is left is $\\sigma^4$, which is 1 only if $\\sigma = 1$.",
            formula=r"\mathrm{Var}[\frac{(q - \mu)^\top (k - \mu)}{\sqrt{d}}] = \sigma^4",
        ),
        ProofStep(
            text="What a narrow head costs. The table of all scores, queries $Q$ and keys $K$ with $d$ columns, is a product through $d$ dimensions; its rank is at most $d$, however many tokens there are. "
            "It is a bound and not an equality: each factor may have a smaller rank.",
            formula=r"\mathrm{rank}(Q K^\top) \le \min(\mathrm{rank}(Q), \mathrm{rank}(K)) \le d",
        ),
        ProofStep(
            text="What several heads give. The outputs $A$ and $B$ of two heads side by side, times the output projection, are a sum over heads: each mixes tokens by weights of its own, which one head of any width cannot.",
            formula=r"\begin{pmatrix} A & B \end{pmatrix} \begin{pmatrix} C \\ D \end{pmatrix} = A C + B D",
        ),
        ProofStep(
            text="Why the MLP is wide. A ReLU unit passes one side only; to carry a vector of width $d$ through unharmed takes two units per entry, $2 d$ in all, and what is to be computed beside it needs more.",
            formula=r"x = \max(x, 0) - \max(-x, 0)",
        ),
        ProofStep(
            text="And a narrow one is a bottleneck: with $w$ hidden units and activations $R$ over all tokens the outputs $F R$ have rank $w$ at most.",
            formula=r"\mathrm{rank}(F R) \le w",
        ),
    ),
    trials=(
        Trial(
            title="variance of q·k",
            knob="mean μ of every entry (σ = 1, d = 16)",
            quantity="variance",
            measure=independent_entries,
            caption="Sample variance of q·k over random pairs (points), and d(σ⁴ + 2σ²μ²) (solid line).",
        ),
    ),
    breaks=(
        Trial(
            title="entries that are correlated",
            knob="correlation ρ between entries (d = 16)",
            quantity="variance",
            measure=correlated_entries,
            caption="When the entries of each vector share a part, with correlation ρ between any two, the variance is d(1 + (d − 1)ρ²) (dotted) and no longer d (solid line): it grows as d², and √d is too small a scale.",
        ),
        Trial(
            title="q and k that depend on each other",
            knob="correlation of qᵢ with kᵢ (d = 16)",
            quantity="mean",
            measure=dependent_pairs,
            caption="When k shares a part of q, as a token's own key does, the mean of q·k is d times their correlation (dotted) and not 0 (solid line).",
        ),
    ),
    meaning="""Scores grow with the square root of the width because they are sums of $d$ independent terms. Dividing by $\\sqrt{d}$ keeps them where the softmax still listens. The argument is about the start of training:
        trained queries and keys are neither independent nor of mean 0, and both breaks show how much that changes. A score table of rank $d$ over many tokens is a strong limit, and several heads are the way round it
        that costs nothing, since $h$ heads of width $d/h$ need as many multiplications as one of width $d$.""",
    correction="""Berkeley HW6, 2(c), has variance $d^2$ where its own part (b) gives $d$, and asks for a variance of $\\sigma$ where $\\sigma^2$ is meant; that $q$ and $k$ are independent of each other, which 2(a) and (b) need, it does not say. The answer to Amsterdam A2, 2.1(c), concludes mean 0 from "i.i.d.", which is an assumption of its own, and after scaling the variance is $\\sigma^4$.
        That to 2.1(d) says that the output's rank equals the smaller of the ranks; it is at most that. That to 2.1(a) calls a cost of order $n^2$ exponential; it is quadratic.""",
    instances=60,
    seconds=1.5,
)
