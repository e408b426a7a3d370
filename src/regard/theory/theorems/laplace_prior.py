"""A Laplace prior on the weights makes the most probable weights those of the lasso."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column

ROWS, WIDTH = 5, 3


def soft(rho: np.ndarray | float, threshold: np.ndarray | float) -> Any:
    """Towards 0 by the threshold, and no further."""
    return np.sign(rho) * np.maximum(np.abs(rho) - threshold, 0.0)


def most_probable(x: np.ndarray, y: np.ndarray, sigma: float, b: float, sweeps: int = 200) -> np.ndarray:
    """The weights of largest posterior density under noise sigma and a Laplace prior b, by coordinate descent."""
    theta, penalty = np.zeros(x.shape[1]), 2 * sigma**2 / b
    squares = (x**2).sum(0)
    for _ in range(sweeps):
        before = theta.copy()
        for j in range(len(theta)):
            rest = y - x @ theta + x[:, j] * theta[j]
            theta[j] = soft(x[:, j] @ rest, penalty / 2) / squares[j]
        if np.abs(theta - before).max() < 1e-13:
            break
    return theta


def point(random: np.random.Generator) -> dict[str, Any]:
    rho = random.standard_normal()
    penalty = 2 * abs(rho) * random.uniform(0.3, 1.5)
    return {
        "x": random.standard_normal((ROWS, WIDTH)), "y": column(*random.standard_normal(ROWS)),
        "theta": column(*random.standard_normal(WIDTH)), "n": ROWS, "d": WIDTH, "sigma": random.uniform(0.5, 2.0),
        "b": random.uniform(0.5, 2.0), "rho": rho, "c": random.uniform(0.5, 2.0), "lambda_1": penalty,
        "t": random.standard_normal(), "s": random.uniform(0.0, 1.0), "q": np.sign(rho) * random.uniform(0.0, 1.0) * penalty / 2,
    }  # fmt: skip


def coordinate(rho: np.ndarray, b: float, power: float = 1.0) -> np.ndarray:
    """Where −(t − ρ)²/(2σ²) − |t/b|^power is largest, by bisection of its derivative: no formula for the answer is used."""
    low, high = np.zeros_like(rho), np.abs(rho)
    for _ in range(200):
        middle = (low + high) / 2
        slope = (np.abs(rho) - middle) / SIGMA**2 - power * middle ** (power - 1) / b**power
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    return np.sign(rho) * high


def _correlations(random: np.random.Generator, count: int) -> np.ndarray:
    """x_jᵀy for designs of orthonormal columns and weights of which half are 0."""
    theta = random.laplace(size=(count, 16)) * (np.arange(16) < 8)
    return theta + SIGMA * random.standard_normal((count, 16))


SIGMA, SCALE = 0.5, 0.35
SCALES = (0.1, 0.2, 0.35, 0.6, 1.0, 2.0, 4.0)
WIDTHS = (0.01, 0.02, 0.05, 0.1, 0.3, 1.0)
POWERS = (1.0, 1.1, 1.25, 1.5, 2.0)


def path(random: np.random.Generator, count: int) -> Sweep:
    rho = _correlations(random, count)
    each = tuple(tuple(np.abs(soft(rho, SIGMA**2 / b)).sum(1)) for b in SCALES)
    return Sweep(
        at=SCALES,
        predicted=tuple(float(np.mean(one)) for one in each),
        each=each,
        measured=tuple(tuple(np.abs(coordinate(rho, b)).sum(1)) for b in SCALES),
    )


def _designs(random: np.random.Generator, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Inputs that share a part, and outputs of five weights of which two are 0."""
    found = []
    for _ in range(count):
        x = random.standard_normal((20, 5)) + 0.7 * random.standard_normal((20, 1))
        found.append((x, x @ np.array([1.0, 0.0, -0.5, 0.0, 0.3]) + SIGMA * random.standard_normal(20)))
    return found


def climbed(x: np.ndarray, y: np.ndarray, b: float, steps: int = 3000) -> np.ndarray:
    """The most probable weights by climbing the log-posterior; batched.

    A weight is the difference of two numbers that may not be negative, so the density has a gradient everywhere.
    """
    square, cross = x.swapaxes(1, 2) @ x, (x * y[..., None]).sum(1)
    rate = SIGMA**2 / np.linalg.eigvalsh(square)[:, -1:] / 2
    up, down = np.zeros_like(cross), np.zeros_like(cross)
    for _ in range(steps):
        slope = (cross - ((up - down)[:, None] @ square)[:, 0]) / SIGMA**2
        up = np.maximum(up + rate * (slope - 1 / b), 0.0)
        down = np.maximum(down + rate * (-slope - 1 / b), 0.0)
    return up - down


def shared_inputs(random: np.random.Generator, count: int) -> Sweep:
    designs = _designs(random, max(2, count // 3))
    x, y = (np.stack(one) for one in zip(*designs, strict=True))
    lasso = tuple(
        tuple(float(np.abs(most_probable(*one, SIGMA, b)).sum()) for one in designs) for b in WIDTHS
    )
    return Sweep(
        at=WIDTHS,
        predicted=tuple(float(np.mean(one)) for one in lasso),
        each=lasso,
        measured=tuple(tuple(np.abs(climbed(x, y, b)).sum(1)) for b in WIDTHS),
    )


def other_priors(random: np.random.Generator, count: int) -> Sweep:
    rho = _correlations(random, count)
    each = tuple((soft(rho, SIGMA**2 / SCALE) == 0).mean(1))
    zeros = float(np.mean(each))
    return Sweep(
        at=POWERS,
        predicted=(zeros,) * len(POWERS),
        each=(each,) * len(POWERS),
        measured=tuple(tuple((np.abs(coordinate(rho, SCALE, power)) < 1e-40).mean(1)) for power in POWERS),
        broken=tuple(power != 1.0 for power in POWERS),
        instead=tuple(zeros if power == 1.0 else 0.0 for power in POWERS),
    )


THEOREM = Theorem(
    name="laplace-prior",
    title="A Laplace prior is the lasso",
    question="Which loss does one minimise by looking for the most probable weights under a Laplace prior?",
    items=(5,),
    assumptions=(
        "$y_i = \\theta^\\top x_i + \\epsilon_i$ for $i = 1, \\dots, n$ with independent Gaussian noise of variance $\\sigma^2$",
        "the $d$ weights are independent before the data are seen, each with density $\\frac{1}{2 b} \\exp(-|\\theta_j| / b)$",
    ),
    statement="""The most probable weights given the data minimise
        $$J = \\sum_{i=1}^{n} (y_i - \\theta^\\top x_i)^2 + \\lambda \\lVert \\theta \\rVert_1, \\quad \\lambda = \\frac{2 \\sigma^2}{b}$$
        The penalty falls as the prior widens ($b$ grows), and grows with the noise.""",
    conclusions=(
        Conclusion(
            of="the penalty",
            steps=(1, 2, 3, 4, 5, 6),
            items=(5,),
            answer="The lasso: the most probable weights under a Laplace prior of width b minimise Σ (y − θᵀx)² + λ‖θ‖₁ with λ = 2σ²/b. The wider the prior, the weaker the penalty.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="Likelihood and prior. Both are products, since noise and weights are independent.",
            formula=r"p \coloneqq \prod_{i=1}^{n} \frac{1}{\sigma \sqrt{2 \pi}} \exp(-\frac{(y_i - \theta^\top x_i)^2}{2 \sigma^2}), "
            r"\quad w \coloneqq \prod_{j=1}^{d} \frac{1}{2 b} \exp(-\frac{|\theta_j|}{b})",
        ),
        ProofStep(
            text="By Bayes' rule the posterior is proportional to $p w$, so its maximum is where $-\\log(p w)$ is smallest.",
            formula=r"-\log(p w) = n \log(\sigma \sqrt{2 \pi}) + d \log(2 b) + \frac{1}{2 \sigma^2} \sum_{i=1}^{n} (y_i - \theta^\top x_i)^2 + \frac{1}{b} \lVert \theta \rVert_1",
        ),
        ProofStep(
            text="Multiply by $2 \\sigma^2$, which moves no minimum. The terms that hold no $\\theta$ move none either; what is left is the lasso.",
            formula=r"\lambda \coloneqq \frac{2 \sigma^2}{b}, \quad J \coloneqq \sum_{i=1}^{n} (y_i - \theta^\top x_i)^2 + \lambda \lVert \theta \rVert_1, "
            r"\quad -2 \sigma^2 \log(p w) = J + 2 \sigma^2 (n \log(\sigma \sqrt{2 \pi}) + d \log(2 b))",
        ),
        ProofStep(
            text="One weight alone, the others held: $J$ is a parabola with a kink, here $h(t)$ with $c$ the sum of squares of the weight's input and $\\rho$ the product of that input with "
            "what the others leave. Its minimum is the soft threshold $m$: towards 0 by half the penalty, and no further.",
            formula=r"h(t) \coloneqq c t^2 - 2 \rho t + \lambda_1 |t|, \quad m \coloneqq \frac{1}{c} \mathrm{sign}(\rho) \max(|\rho| - \frac{\lambda_1}{2}, 0)",
        ),
        ProofStep(
            text="Why: a step $\\tau$ outwards from $m$ costs $c \\tau^2$, and more where the threshold has cut $m$ off at 0; a step back to the share $s$ of $m$ costs as much. "
            "Since $h$ is convex, what is smallest nearby is smallest everywhere.",
            formula=r"\tau \coloneqq |t| \mathrm{sign}(\rho), \quad h(m + \tau) - h(m) = c \tau^2 + |\tau| \max(\lambda_1 - 2 |\rho|, 0), \quad h(s m) - h(m) = c (1 - s)^2 m^2",
        ),
        ProofStep(
            text="So a weight is exactly 0 as soon as its $\\rho$ is no larger in size than half the penalty; $q$ is such a $\\rho$. For the whole problem, where half the penalty is $\\lambda / 2 = \\sigma^2 / b$, "
            "this means: a prior so narrow that $\\sigma^2 / b$ exceeds, for every input, the size of its product with the outputs leaves nothing.",
            formula=r"\mathrm{sign}(q) \max(|q| - \frac{\lambda_1}{2}, 0) = 0, \quad \frac{\lambda}{2} = \frac{\sigma^2}{b}",
        ),
    ),
    trials=(
        Trial(
            title="the path over b",
            knob="width b of the prior",
            quantity="‖θ‖₁ of the most probable weights",
            measure=path,
            relation="≡",
            scales=("log", "linear"),
            caption="Size of the most probable weights for orthonormal inputs: found by bisection of the derivative of the log-posterior (points), and by the soft threshold σ²/b (solid line). "
            "A narrow prior leaves nothing, a wide one leaves least squares.",
        ),
        Trial(
            title="inputs that are correlated",
            knob="width b of the prior",
            quantity="‖θ‖₁ of the most probable weights",
            measure=shared_inputs,
            relation="≡",
            scales=("log", "linear"),
            caption="The same for correlated inputs, where no formula gives the answer: the log-posterior climbed step by step (points), and coordinate descent on the lasso with λ = 2σ²/b (solid line).",
        ),
    ),
    breaks=(
        Trial(
            title="a prior that is not Laplace",
            knob="power p in the prior exp(−|θ/b|ᵖ)",
            quantity="share of weights that are exactly 0",
            measure=other_priors,
            relation="≡",
            caption="Share of the weights that the most probable answer sets to exactly 0. At p = 1 (Laplace) it is what the soft threshold says (solid line). For any p above 1 the prior has no kink at 0, "
            "and no weight is exactly 0 (dotted); p = 2 is ridge. The kink, not the shrinking, is what selects.",
        ),
    ),
    meaning="""The lasso is a Laplace prior seen from the other side: $\\lambda = 2 \\sigma^2 / b$. A prior sure that weights are small (small $b$) or data full of noise (large $\\sigma$) make the
        penalty strong. The maximum of the posterior has exact zeros; a draw from the posterior has none, so the zeros belong to the maximum and not to the belief. In the form with a mean of squares instead of a sum,
        $\\lambda$ is divided by $n$. The penalty of noise on the inputs, a ridge, is [[theory-input-noise]].""",
    instances=60,
    seconds=1.0,
)
