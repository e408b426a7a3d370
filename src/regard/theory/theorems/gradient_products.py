"""The gradient through a deep network is a product, one factor per layer: it vanishes, explodes, or is kept."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column

WIDTH = 3


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def scaled(matrix: np.ndarray, largest: float) -> np.ndarray:
    """The matrix with its largest singular value set."""
    return matrix * (largest / np.linalg.norm(matrix, 2, axis=(-2, -1), keepdims=True))


def point(random: np.random.Generator) -> dict[str, Any]:
    worst = bool(random.integers(2))
    centring = np.eye(WIDTH) - 1 / WIDTH
    kept, other = (np.linalg.qr(random.standard_normal((WIDTH, WIDTH)))[0] for _ in range(2))
    jacobian = random.standard_normal((WIDTH, WIDTH)) / 5
    return {
        "x": random.uniform(0.3, 0.9), "w": column(*(random.uniform(0.4, 0.9, 3) if worst else random.standard_normal(3))),
        "y": random.standard_normal(), "t": random.standard_normal(), "v": column(*random.standard_normal(WIDTH)),
        "W": centring / 4 if worst else scaled(random.standard_normal((WIDTH, WIDTH)), 0.25),
        "x_1": column(*(np.ones(WIDTH) if worst else random.standard_normal(WIDTH))), "I": np.eye(WIDTH),
        "O": kept, "P": other, "J": -0.3 * np.eye(WIDTH) if worst else jacobian,
    }  # fmt: skip


def through(
    x: np.ndarray, weights: np.ndarray, steps: int, activation: str = "sigmoid", residual: bool = False
) -> np.ndarray:
    """The largest singular value of the Jacobian after `steps` layers of one weight matrix each; batched over the first axis."""
    product = np.broadcast_to(np.eye(x.shape[-1]), weights.shape)
    for _ in range(steps):
        inner = (weights @ x[..., None])[..., 0]
        found = sigmoid(inner) if activation == "sigmoid" else np.tanh(inner)
        slope = found * (1 - found) if activation == "sigmoid" else 1 - found**2
        layer = slope[..., None] * weights
        x = x + found / 4 if residual else found
        product = (np.eye(x.shape[-1]) + layer / 4 if residual else layer) @ product
    return np.linalg.norm(product, 2, axis=(-2, -1))


def _random(
    random: np.random.Generator, count: int, largest: float, width: int = 8
) -> tuple[np.ndarray, np.ndarray]:
    return random.standard_normal((count, width)), scaled(
        random.standard_normal((count, width, width)), largest
    )


DEPTHS = (1, 2, 3, 4, 6, 8)
SIZES = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
GAINS = (0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0)
RESIDUAL = "with residuals"


def recurrence(random: np.random.Generator, count: int) -> Sweep:
    x, weights = _random(random, count, 0.25)
    return Sweep(
        at=DEPTHS,
        predicted=tuple((1 / 16) ** (depth - 1) for depth in DEPTHS),
        formula=lambda depth: (1 / 16) ** (depth - 1),
        measured=tuple(tuple(through(x, weights, depth - 1)) for depth in DEPTHS),
    )


def larger_weights(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=SIZES,
        predicted=((1 / 16) ** 5,) * len(SIZES),
        measured=tuple(tuple(through(*_random(random, count, size), 5)) for size in SIZES),
        broken=tuple(size > 0.25 for size in SIZES),
        instead=tuple((size / 4) ** 5 for size in SIZES),
    )


def kept_alive(random: np.random.Generator, count: int) -> Sweep:
    x = 0.1 * random.standard_normal((count, 8))
    turns = np.linalg.qr(random.standard_normal((count, 8, 8)))[0]
    return Sweep(
        at=GAINS,
        predicted=((1 / 16) ** 5,) * len(GAINS),
        measured=tuple(tuple(through(x, gain * turns, 5, "tanh")) for gain in GAINS),
        broken=tuple(gain > 1 / 16 for gain in GAINS),
        instead=tuple(gain**5 for gain in GAINS),
        also={RESIDUAL: tuple(float(through(x, gain * turns, 5, "tanh", residual=True).mean()) for gain in GAINS)},
    )  # fmt: skip


THEOREM = Theorem(
    name="gradient-products",
    title="Gradients through depth are products",
    question="Must gradients vanish or explode on their way through a deep network?",
    items=(77, 78, 79),
    assumptions=(
        "a chain of single ReLU units with weights $w_1, \\dots, w_n$; or the recurrence $x_{t+1} = \\sigma(W x_t)$ with the sigmoid $\\sigma$ in each entry",
        "for the recurrence: the largest singular value of $W$ is $\\frac{1}{4}$",
    ),
    statement="""Through the chain the gradient is 0 or the product of the weights; with all weights 1 it is 0 or 1. Through the recurrence
        $$0 \\le \\sigma_{\\max}(\\frac{\\partial x_n}{\\partial x_1}) \\le (\\frac{1}{16})^{n-1}$$
        and the bound is reached.""",
    conclusions=(
        Conclusion(
            of="a chain of ReLUs with weights 1",
            steps=(1, 2),
            items=(77,),
            answer="No: with all weights 1 the gradient through a chain of ReLUs is 0 or 1, and 1 where every unit is on, at any depth.",
        ),
        Conclusion(
            of="a chain of ReLUs with other weights",
            steps=(3,),
            items=(78,),
            answer="With other weights its size is at most |w₁| |w₂| … |wₙ|, which it has where every unit is on: it vanishes or explodes with that product.",
        ),
        Conclusion(
            of="the sigmoid recurrence",
            steps=(4, 5, 6, 7, 8, 9, 10, 11),
            items=(79,),
            aside=True,
            answer="Through the sigmoid recurrence with σₘₐₓ(W) = 1/4 it must vanish: the largest singular value of ∂xₙ/∂x₁ lies between 0 and (1/16)ⁿ⁻¹. Orthogonal weights, activations of slope 1 and residual connections change that.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="A chain of three ReLU units. The chain rule gives one factor per unit: its weight, if the unit is on.",
            formula=r"h_1 \coloneqq \max(w_1 x, 0), \quad h_2 \coloneqq \max(w_2 h_1, 0), \quad h_3 \coloneqq \max(w_3 h_2, 0), "
            r"\quad \frac{\partial h_3}{\partial x} = w_1 w_2 w_3 \mathbf{1}[h_1 > 0] \mathbf{1}[h_2 > 0] \mathbf{1}[h_3 > 0]",
        ),
        ProofStep(
            text="With weights 1 a unit that is on passes its input on, and so do all after it: the gradient is 1 for a positive input $y$ and 0 for a negative one, at any depth.",
            formula=r"g_1 \coloneqq \max(y, 0), \quad g_2 \coloneqq \max(g_1, 0), \quad \frac{\partial g_2}{\partial y} = \mathbf{1}[y > 0]",
        ),
        ProofStep(
            text="With other weights its size is the product of theirs where all units are on, and 0 elsewhere; so it is at most the product. It need neither vanish nor explode, but it does unless the product stays near 1.",
            formula=r"|\frac{\partial h_3}{\partial x}| = \mathbf{1}[h_3 > 0] \prod_{i=1}^{3} |w_i|, \quad |\frac{\partial h_3}{\partial x}| \le |w_1| |w_2| |w_3|",
        ),
        ProofStep(
            text="The sigmoid: its derivative is largest at 0, where it is $\\frac{1}{4}$.",
            formula=r"\sigma(t) \coloneqq \frac{1}{1 + \exp(-t)}, \quad \frac{\partial \sigma(t)}{\partial t} = \sigma(t) (1 - \sigma(t)) = \frac{1}{4} - (\sigma(t) - \frac{1}{2})^2",
        ),
        ProofStep(
            text="One step of the recurrence: a diagonal of such derivatives times $W$.",
            formula=r"x_2 \coloneqq \sigma(W x_1), \quad D_1 \coloneqq \mathrm{diag}(x_2 \odot (1 - x_2)), \quad \frac{\partial x_2}{\partial x_1} = D_1 W",
        ),
        ProofStep(
            text="The largest singular value of a product is at most the product of the largest singular values, so one step has at most $\\frac{1}{4} \\cdot \\frac{1}{4}$.",
            formula=r"\sigma_{\max}(W) = \frac{1}{4}, \quad \sigma_{\max}(D_1 W) \le \sigma_{\max}(D_1) \sigma_{\max}(W) \le \frac{1}{16}",
        ),
        ProofStep(
            text="Further steps bring further factors.",
            formula=r"x_3 \coloneqq \sigma(W x_2), \quad x_4 \coloneqq \sigma(W x_3), \quad D_2 \coloneqq \mathrm{diag}(x_3 \odot (1 - x_3)), \quad "
            r"D_3 \coloneqq \mathrm{diag}(x_4 \odot (1 - x_4)), \quad \frac{\partial x_4}{\partial x_1} = D_3 W D_2 W D_1 W",
        ),
        ProofStep(
            text="So after $n - 1$ steps, here three, the bound is the power. It is reached by $W$ that takes the mean away from a vector, divided by 4, at a vector of equal entries: every argument is then 0.",
            formula=r"\sigma_{\max}(\frac{\partial x_4}{\partial x_1}) \le (\frac{1}{16})^3",
        ),
        ProofStep(
            text="What changes it. Orthogonal weights ($O$, $P$) keep every length, at any depth.",
            formula=r"\lVert O P v \rVert = \lVert v \rVert, \quad \sigma_{\max}(O P) = \sigma_{\min}(O P) = 1",
        ),
        ProofStep(
            text="The hyperbolic tangent has slope 1 at 0, not $\\frac{1}{4}$.",
            formula=r"\frac{\partial \tanh(t)}{\partial t} = 1 - \tanh(t)^2",
        ),
        ProofStep(
            text="A residual layer $x + f(x)$ has the Jacobian $I + J$: where $J$ is small, no direction is lost, whatever $f$ is.",
            formula=r"\sigma_{\min}(I + J) \ge 1 - \sigma_{\max}(J)",
        ),
    ),
    trials=(
        Trial(
            title="the sigmoid recurrence",
            knob="n (that is n − 1 steps)",
            quantity="largest singular value",
            measure=recurrence,
            relation="≤",
            scales=("linear", "log"),
            items=(79,),
            caption="Largest singular value of the Jacobian through random sigmoid recurrences with σ_max(W) = 1/4: mean (points) and worst instance (short bars), below (1/16)^(n−1) (solid line). It falls by a factor of sixteen or more at each step.",
        ),
    ),
    breaks=(
        Trial(
            title="larger weights",
            knob="largest singular value of W (n = 6)",
            quantity="largest singular value of the Jacobian",
            measure=larger_weights,
            relation="≤",
            scales=("log", "log"),
            items=(79,),
            caption="With larger weights the bound for 1/4 does not hold; in its place is (σ_max(W)/4)⁵ (dotted), which is a bound still; large weights also push the sigmoid into its flat ends, which takes the gradient below it.",
        ),
        Trial(
            title="orthogonal weights and tanh",
            knob="share g of length that W keeps (n = 6)",
            quantity="largest singular value of the Jacobian",
            measure=kept_alive,
            relation="≤",
            scales=("log", "log"),
            items=(79,),
            caption="Orthogonal weights times a number g, and tanh, whose slope at 0 is 1, on small inputs. Up to g = 1/16 the bound holds, for the same reason; above, g⁵ takes its place (dotted), which is 1 for orthogonal weights as they are. Dashed: each layer adds a quarter of its output to its input.",
        ),
    ),
    meaning="""Nothing about depth itself makes gradients vanish: the factors do. A ReLU chain with weights near 1 passes them on, or nothing at all; a sigmoid takes three quarters away at best, at every step. Orthogonal starts, activations of slope 1 and
        residual connections are three ways of holding the factors near 1. What depth inside a block is worth in training is measured by [[width-or-depth]].""",
    correction="""Toronto A4, 1.1, calls its feed-forward chain a recurrent network.""",
    instances=60,
    seconds=1.0,
)
