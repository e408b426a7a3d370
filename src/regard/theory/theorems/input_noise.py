"""Noise on the inputs of a linear regression is, on average, a ridge penalty."""

from typing import Any

import numpy as np

from regard.theory.law import uncorrelated
from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column

ROWS, WIDTH = 4, 3


def point(random: np.random.Generator) -> dict[str, Any]:
    x, y, sigma = (
        random.standard_normal((ROWS, WIDTH)),
        random.standard_normal(ROWS),
        random.uniform(0.3, 1.5),
    )
    centred = x - x.mean(0)
    _, values, right = np.linalg.svd(centred, full_matrices=False)
    return {
        "x": x, "y": column(*y), "theta": column(*random.standard_normal(WIDTH)), "theta_0": random.standard_normal(),
        "n": ROWS, "i": 2, "sigma": sigma, "X": centred, "Y": column(*(y - y.mean())), "I": np.eye(WIDTH),
        "v": column(*right[1]), "s": values[1],
        "epsilon": sigma * random.standard_normal((ROWS, WIDTH)),
        "law": [{"epsilon": sigma * one.reshape(ROWS, WIDTH)} for one in uncorrelated(ROWS * WIDTH)],
    }  # fmt: skip


def _penalty(random: np.random.Generator, count: int, sigma: float, rho: float) -> tuple[float, ...]:
    """What the noise adds to the mean squared error of random weights of length 1, averaged over 200 draws of the noise."""
    n, d = 10, 5
    root = np.linalg.cholesky((1 - rho) * np.eye(d) + rho)
    found = []
    for _ in range(count):
        x, y = random.standard_normal((n, d)), random.standard_normal(n)
        theta = np.ones(d) / np.sqrt(d)
        noisy = x + sigma * random.standard_normal((200, n, d)) @ root.T
        found.append(((noisy @ theta - y) ** 2).mean() - ((x @ theta - y) ** 2).mean())
    return tuple(found)


SIGMAS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
RHOS = (-0.2, -0.1, 0.0, 0.1, 0.3, 0.6, 0.9)


def independent_noise(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=SIGMAS,
        predicted=tuple(sigma**2 for sigma in SIGMAS),
        formula=lambda sigma: sigma**2,
        measured=tuple(_penalty(random, count, sigma, 0.0) for sigma in SIGMAS),
    )


def correlated_noise(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=RHOS,
        predicted=(1.0,) * len(RHOS),
        measured=tuple(_penalty(random, count, 1.0, rho) for rho in RHOS),
        broken=tuple(rho != 0.0 for rho in RHOS),
        instead=tuple(1 + 4 * rho for rho in RHOS),
    )


THEOREM = Theorem(
    name="input-noise",
    title="Input noise is ridge regression",
    question="What does noise on the inputs do to a linear regression?",
    items=(3, 4),
    assumptions=(
        "the model is linear, $\\theta_0 + \\theta^\\top x$, and the loss is the mean squared error $L$ over $n$ points",
        "each input gets noise $\\epsilon_i$ of mean 0 whose entries are uncorrelated with variance $\\sigma^2$, whatever the data; it need not be Gaussian",
    ),
    statement="""Averaged over the noise, the loss on noisy inputs is the loss on clean ones plus a ridge penalty on everything but the bias,
        $$\\mathbb{E}[\\tilde{L}] = L + \\lambda \\lVert \\theta \\rVert^2, \\quad \\lambda = \\sigma^2$$
        In the form with a sum instead of a mean the strength is $n \\sigma^2$.""",
    conclusions=(
        Conclusion(
            of="the expected loss",
            steps=(1, 2, 3, 4),
            items=(3,),
            answer="On average over the noise the squared error on noisy inputs is that on clean ones plus σ²‖θ‖², the bias left out.",
        ),
        Conclusion(
            of="the strength of the ridge",
            steps=(5, 6, 7),
            items=(4,),
            answer="So noise on the inputs is ridge regression with λ = σ² (nσ² where squares are summed and not averaged): the more noise, the smaller the weights.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="The residual of point $i$ without and with noise. The noise enters through the weights alone; the bias does not see it.",
            formula=r"r_i \coloneqq \theta_0 + \theta^\top x_i - y_i, \quad \tilde{r}_i \coloneqq \theta_0 + \theta^\top (x_i + \epsilon_i) - y_i, "
            r"\quad \tilde{r}_i = r_i + \theta^\top \epsilon_i",
        ),
        ProofStep(
            text="Squared:",
            formula=r"\tilde{r}_i^2 = r_i^2 + 2 r_i \theta^\top \epsilon_i + (\theta^\top \epsilon_i)^2",
        ),
        ProofStep(
            text="The middle term vanishes on average since the noise has mean 0. The last is $\\theta^\\top \\mathbb{E}[\\epsilon_i \\epsilon_i^\\top] \\theta$, and the covariance of the noise "
            "is $\\sigma^2$ times the identity.",
            formula=r"\mathbb{E}[r_i \theta^\top \epsilon_i] = 0, \quad \mathbb{E}[\epsilon_i \epsilon_i^\top] = \sigma^2 I, "
            r"\quad \mathbb{E}[(\theta^\top \epsilon_i)^2] = \sigma^2 \theta^\top \theta",
        ),
        ProofStep(
            text="The mean over the points adds nothing new: every point has the same penalty.",
            formula=r"L \coloneqq \frac{1}{n} \sum_{i=1}^{n} r_i^2, \quad \tilde{L} \coloneqq \frac{1}{n} \sum_{i=1}^{n} \tilde{r}_i^2, "
            r"\quad \mathbb{E}[\tilde{L}] = L + \sigma^2 \lVert \theta \rVert^2",
        ),
        ProofStep(
            text="What the noise does to the best weights: the gradient of the averaged loss pulls the weights to 0 with strength $2 \\sigma^2$, and leaves the bias alone.",
            formula=r"J \coloneqq L + \sigma^2 \theta^\top \theta, \quad \nabla_\theta J = \frac{2}{n} \sum_{i=1}^{n} r_i x_i + 2 \sigma^2 \theta, "
            r"\quad \frac{\partial J}{\partial \theta_0} = \frac{2}{n} \sum_{i=1}^{n} r_i",
        ),
        ProofStep(
            text="With inputs $X$ (one per row) and outputs $Y$ centred, the bias is 0 at the optimum and setting the gradient to 0 gives the ridge solution.",
            formula=r"\hat{\theta} \coloneqq (X^\top X + n \sigma^2 I)^{-1} X^\top Y, \quad X^\top (X \hat{\theta} - Y) + n \sigma^2 \hat{\theta} = 0",
        ),
        ProofStep(
            text="Along a right singular vector $v$ of $X$ with singular value $s$ the solution is that of least squares, shrunk: strongly where the data vary little compared with the noise.",
            formula=r"v^\top \hat{\theta} = \frac{s^2}{s^2 + n \sigma^2} v^\top (X^\top X)^{-1} X^\top Y",
        ),
    ),
    trials=(
        Trial(
            title="what the noise adds",
            knob="standard deviation σ of the noise",
            quantity="loss with noise − loss without",
            items=(3,),
            measure=independent_noise,
            caption="What noise adds to the loss of weights of length 1, averaged over draws of the noise (points), beside σ² (solid line): ridge with λ = σ².",
        ),
    ),
    breaks=(
        Trial(
            title="noise that is correlated between entries",
            knob="correlation ρ between the entries of the noise",
            quantity="loss with noise − loss without",
            items=(3,),
            measure=correlated_noise,
            caption="The same at σ = 1 with five equal weights, when the entries of the noise have correlation ρ. The penalty is then θᵀCθ with the noise's covariance C, here 1 + 4ρ (dotted), "
            "and no longer ridge: it punishes weights that share a sign and spares those that cancel.",
        ),
    ),
    meaning="""Noise on the inputs makes large weights expensive, since they amplify it; that is the whole of ridge. More noise shrinks more: the weights go to 0 as $\\sigma$ grows, first along directions in which
        the data hardly vary. The bias multiplies no input and is not shrunk. Uncorrelated entries of equal variance are what makes the penalty round; a nonlinear model has this penalty only to second order in $\\sigma$. A prior on the weights gives a penalty too: a Gaussian one this penalty, a Laplace one another, with corners, which is derived in [[theory-laplace-prior]]; what noise on the inputs does to an autoencoder is measured by [[autoencoders]].""",
    instances=60,
    seconds=1.0,
)
