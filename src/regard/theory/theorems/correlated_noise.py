"""Regression with two outputs whose noise is correlated: the second output makes the slope of the first surer."""

from typing import Any

import numpy as np

from regard.theory.law import uncorrelated
from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column

SIZE = 3


def estimate(x: np.ndarray, y: np.ndarray, z: np.ndarray, beta: float) -> Any:
    """The slope that is most likely when the noises of y and z = x + noise have correlation beta; along the last axis."""
    return (x * (y - beta * (z - x))).sum(-1) / (x**2).sum(-1)


def noises(random: np.random.Generator, shape: tuple[int, ...], beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Two standard normal noises of correlation beta."""
    first, other = random.standard_normal((2, *shape))
    return first, beta * first + np.sqrt(1 - beta**2) * other


def point(random: np.random.Generator) -> dict[str, Any]:
    x, alpha, beta = random.standard_normal(SIZE), random.standard_normal(), random.uniform(-0.9, 0.9)

    def data(noise: np.ndarray) -> dict[str, Any]:
        first = noise[:SIZE]
        second = beta * first + np.sqrt(1 - beta**2) * noise[SIZE:]
        return {"y": column(*(alpha * x + first)), "z": column(*(x + second)),
                "epsilon": column(*first), "epsilon'": column(*second)}  # fmt: skip

    return {
        "x": column(*x), "alpha": alpha, "beta": beta, "N": SIZE, "a": random.standard_normal(), "n": 2,
        "law": [data(outcome) for outcome in uncorrelated(2 * SIZE)], **data(random.standard_normal(2 * SIZE)),
    }  # fmt: skip


def _scaled_variance(
    random: np.random.Generator, count: int, true: float, assumed: float
) -> tuple[float, ...]:
    """Σx² times the squared error of the slope, over data sets, once for each of `count` designs x."""
    x = random.standard_normal((count, 1, 12))
    noise, other = noises(random, (count, 100, 12), true)
    found = estimate(x, 0.7 * x + noise, x + other, assumed)
    return tuple(((found - 0.7) ** 2).mean(1) * (x[:, 0] ** 2).sum(-1))


BETAS = (-0.95, -0.8, -0.5, -0.2, 0.0, 0.2, 0.5, 0.8, 0.95)
TRUE, ASSUMED = 0.7, (-0.6, -0.3, 0.0, 0.3, 0.5, 0.7, 0.9, 1.1, 1.4)


def known_correlation(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=BETAS,
        predicted=tuple(1 - beta**2 for beta in BETAS),
        formula=lambda beta: 1 - beta**2,
        measured=tuple(_scaled_variance(random, count, beta, beta) for beta in BETAS),
        also={"least squares on y alone": (1.0,) * len(BETAS)},
    )


def wrong_correlation(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=ASSUMED,
        predicted=(1 - TRUE**2,) * len(ASSUMED),
        measured=tuple(_scaled_variance(random, count, TRUE, beta) for beta in ASSUMED),
        broken=tuple(beta != TRUE for beta in ASSUMED),
        instead=tuple(1 - 2 * beta * TRUE + beta**2 for beta in ASSUMED),
    )


THEOREM = Theorem(
    name="correlated-noise",
    title="Two outputs with correlated noise",
    question="Does a second output, of which we know everything but its noise, help to find the slope of the first?",
    items=(1, 2),
    assumptions=(
        "$y_n = \\alpha x_n + \\epsilon_n$ and $z_n = x_n + \\epsilon'_n$ for $n = 1, \\dots, N$; the $x_n$ are known and not all zero",
        "each pair $(\\epsilon_n, \\epsilon'_n)$ is Gaussian with mean 0, variances 1 and a known correlation $|\\beta| < 1$; pairs are independent",
    ),
    statement="""The slope that makes the data most likely is
        $$\\hat{a} = \\frac{\\sum_{n=1}^{N} x_n (y_n - \\beta (z_n - x_n))}{\\sum_{n=1}^{N} x_n^2}$$
        It is unbiased, and its variance is $1 - \\beta^2$ times that of least squares on y alone.""",
    conclusions=(
        Conclusion(
            of="the joint log-likelihood",
            steps=(1, 2, 3, 4, 5),
            items=(1,),
            answer="The joint log-likelihood is −N log 2π − (N/2) log(1 − β²) − Σ (e² − 2βee′ + e′²) / (2(1 − β²)), with the residuals e = y − ax and e′ = z − x.",
        ),
        Conclusion(
            of="the most likely slope",
            steps=(6, 7, 8, 9, 10, 11, 12),
            items=(2,),
            answer="It does help: the most likely slope is a = Σ x(y − β(z − x)) / Σ x², least squares after the share of the noise that z gives away is taken from y; its variance is (1 − β²) / Σ x², and β = 0 gives ordinary least squares.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="A slope $a$ leaves these residuals. The second does not depend on $a$, since the slope of $z$ is known to be 1: it is the noise itself.",
            formula=r"e_n \coloneqq y_n - a x_n, \quad e'_n \coloneqq z_n - x_n, \quad e'_n = \epsilon'_n",
        ),
        ProofStep(
            text="The covariance of the two noises, its determinant and its inverse.",
            formula=r"\Sigma \coloneqq \begin{pmatrix} 1 & \beta \\ \beta & 1 \end{pmatrix}, \quad \det(\Sigma) = 1 - \beta^2, "
            r"\quad \Sigma^{-1} = \frac{1}{1 - \beta^2} \begin{pmatrix} 1 & -\beta \\ -\beta & 1 \end{pmatrix}",
        ),
        ProofStep(
            text="With both residuals in one column $r_n$, the exponent of the Gaussian density is a quadratic form; multiplied out:",
            formula=r"r_n \coloneqq \begin{pmatrix} e_n \\ e'_n \end{pmatrix}, \quad "
            r"r_n^\top \Sigma^{-1} r_n = \frac{e_n^2 - 2 \beta e_n e'_n + e_n'^2}{1 - \beta^2}",
        ),
        ProofStep(
            text="The density of one pair. The square root of $\\det(2 \\pi \\Sigma)$ is $2 \\pi$ times the square root of $\\det(\\Sigma)$, since the matrix has two rows.",
            formula=r"p_n \coloneqq \frac{1}{2 \pi \sqrt{1 - \beta^2}} \exp(-\frac{1}{2} r_n^\top \Sigma^{-1} r_n), "
            r"\quad \sqrt{\det(2 \pi \Sigma)} = 2 \pi \sqrt{1 - \beta^2}",
        ),
        ProofStep(
            text="Pairs are independent, so densities multiply and logarithms add. This is the joint log-likelihood.",
            formula=r"\ell \coloneqq \sum_{n=1}^{N} \log(p_n), \quad \ell = -N \log(2 \pi) - \frac{N}{2} \log(1 - \beta^2) "
            r"- \frac{1}{2 (1 - \beta^2)} \sum_{n=1}^{N} (e_n^2 - 2 \beta e_n e'_n + e_n'^2)",
        ),
        ProofStep(
            text="Only $e_n$ depends on $a$, with derivative $-x_n$.",
            formula=r"g \coloneqq \frac{1}{1 - \beta^2} \sum_{n=1}^{N} x_n (e_n - \beta e'_n), \quad \frac{\partial \ell}{\partial a} = g",
        ),
        ProofStep(
            text="The second derivative is negative everywhere, so the one zero of the first is the one maximum.",
            formula=r"\frac{\partial g}{\partial a} = -\frac{1}{1 - \beta^2} \sum_{n=1}^{N} x_n^2",
        ),
        ProofStep(
            text="Setting $g = 0$ and solving for $a$ gives the estimate: take from $y_n$ the share of its noise that $z_n$ gives away, then do least squares.",
            formula=r"\hat{a} \coloneqq \frac{\sum_{n=1}^{N} x_n (y_n - \beta (z_n - x_n))}{\sum_{n=1}^{N} x_n^2}, "
            r"\quad \sum_{n=1}^{N} x_n (y_n - \hat{a} x_n - \beta (z_n - x_n)) = 0",
        ),
        ProofStep(
            text="Put the model in: the error of the estimate is a weighted sum of what is left of the noise, $u_n$.",
            formula=r"u_n \coloneqq \epsilon_n - \beta \epsilon'_n, \quad \hat{a} - \alpha = \frac{\sum_{n=1}^{N} x_n u_n}{\sum_{n=1}^{N} x_n^2}",
        ),
        ProofStep(
            text="Each $u_n$ has mean 0 and variance $1 - 2 \\beta^2 + \\beta^2$, so the estimate is unbiased.",
            formula=r"\mathbb{E}[u_n] = 0, \quad \mathbb{E}[u_n^2] = 1 - \beta^2, \quad \mathbb{E}[\hat{a}] = \alpha",
        ),
        ProofStep(
            text="Different $u_n$ are uncorrelated, so the variances add, each with the weight $x_n^2$.",
            formula=r"\mathrm{Var}[\hat{a}] = \frac{1 - \beta^2}{\sum_{n=1}^{N} x_n^2}",
        ),
        ProofStep(
            text="Least squares on $y$ alone is the same estimate at $\\beta = 0$. It is never better, and it is as good only at $\\beta = 0$; towards $\\beta = \\pm 1$ the variance "
            "of the estimate goes to 0, because $z_n - x_n$ then tells $\\epsilon_n$ exactly.",
            formula=r"\tilde{a} \coloneqq \frac{\sum_{n=1}^{N} x_n y_n}{\sum_{n=1}^{N} x_n^2}, \quad \mathrm{Var}[\tilde{a}] = \frac{1}{\sum_{n=1}^{N} x_n^2}, "
            r"\quad \mathrm{Var}[\hat{a}] = (1 - \beta^2) \mathrm{Var}[\tilde{a}] \le \mathrm{Var}[\tilde{a}]",
        ),
    ),
    trials=(
        Trial(
            title="variance of the slope",
            knob="correlation β of the two noises",
            quantity="variance × Σx²",
            items=(2,),
            measure=known_correlation,
            caption="Squared error of the slope, times Σx², over simulated data (points with 95 % intervals), on 1 − β² (solid line); least squares on y alone stays at 1. "
            "At β = 0 the second output is worth nothing; towards ±1 it gives the noise away.",
        ),
    ),
    breaks=(
        Trial(
            title="a correlation that is not the true one",
            knob=f"assumed β (the true one is {TRUE})",
            quantity="variance × Σx²",
            items=(2,),
            measure=wrong_correlation,
            caption=f"The estimate computed with an assumed correlation b while the true one is β = {TRUE}. The promised variance (solid line) is reached at b = β alone; "
            "elsewhere it is 1 − 2bβ + b² (dotted). With b of the wrong sign, or above 2β, the second output does harm: least squares has 1.",
        ),
    ),
    meaning="""The second output says nothing about the slope: its own slope is known. It speaks of the noise alone, and that is worth more the stronger the two noises are
        correlated, of whichever sign. At $\\beta = 0.95$ one data set does the work of ten. The price is that $\\beta$ must be known: with a wrong one the estimate stays unbiased, but its
        variance is $1 - 2 b \\beta + b^2$, and an assumed $b$ of the wrong sign, or larger than $2 \\beta$, does worse than to ignore $z$. Gaussian noise is needed to call the estimate the most
        likely one; the variance uses second moments alone. Noise on the inputs, in place of the outputs, is [[theory-input-noise]].""",
    correction="Duke HW3, question 1(a), calls the joint density itself the log-likelihood; it is the likelihood, and what is asked for is its logarithm.",
    instances=60,
    seconds=1.5,
)
