"""Attention with relative positions can be a convolution, exactly, and max pooling, in a limit."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column


def point(random: np.random.Generator) -> dict[str, Any]:
    kernel = np.array([2.0, 0.0, 1.0]) if random.integers(2) else random.uniform(0.1, 2.0, 3)
    beta, centre = random.uniform(6.0, 20.0), random.uniform(0.5, 1.0)
    apart = np.append(np.full(4, 1 - 1 / (beta * centre)), 1.0)  # where the bound is reached
    x = random.permutation(apart) if random.integers(2) else np.append(random.uniform(0.1, 0.5, 4), 1.0)
    return {
        "w": column(*kernel), "z": column(*random.standard_normal(3)), "x": column(*x), "n": 5, "j": 2,
        "beta": beta, "c": centre, "a": beta * centre, "t": random.uniform(0.1, 3.0), "e": np.e,
    }  # fmt: skip


def pooled(windows: np.ndarray, centre: float | np.ndarray, beta: float) -> np.ndarray:
    """What the layer gives at a place of value `centre`, over windows along the last axis."""
    scores = beta * np.asarray(centre)[..., None] * windows
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights * windows).sum(-1) / weights.sum(-1)


def _errors(random: np.random.Generator, count: int, centre: float, beta: float) -> tuple[float, ...]:
    """Largest of a window less what the layer gives; four random places around one of the value `centre`."""
    around = random.uniform(0.0, 1.0, (count, 4))
    windows = np.concatenate([around, np.full((count, 1), centre)], 1)
    return tuple(windows.max(1) - pooled(windows, centre, beta))


BETAS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
CENTRES = (1.0, 0.7, 0.5, 0.2, 0.1, 0.03, 0.01, 0.0)
LEAST, SHARP = 0.5, 100.0


def sharper(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=BETAS,
        predicted=tuple(4 / (np.e * beta * LEAST) for beta in BETAS),
        formula=lambda beta: 4 / (np.e * beta * LEAST),
        measured=tuple(_errors(random, count, LEAST, beta) for beta in BETAS),
    )


def fainter(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=CENTRES,
        predicted=(4 / (np.e * SHARP * LEAST),) * len(CENTRES),
        measured=tuple(_errors(random, count, centre, SHARP) for centre in CENTRES),
        broken=tuple(centre < LEAST for centre in CENTRES),
    )


THEOREM = Theorem(
    name="relative-attention",
    title="Relative attention as convolution and as max pooling",
    question="Can one attention layer with relative positions be a convolution, and can it be max pooling?",
    speaks_of=(83, 84),
    elsewhere=("relative-attention",),
    assumptions=(
        "the layer is a softmax of $W_Q x_i W_K x_j + p_{i-j}$ over the places $j$ of a sequence of numbers, times $W_V x_j$; offsets that are not wanted have $p = -\\infty$",
        "for the convolution: no entry of the kernel is negative, and not all are 0; for max pooling over $2 k + 1$ places: $x_i \\ge c > 0$",
    ),
    statement="""With $W_Q = W_K = 0$, $p$ the logarithm of the kernel's shares and $W_V$ the kernel's sum, the layer is the convolution, exactly. With $W_Q = W_K = \\sqrt{\\beta}$, $W_V = 1$ and $p = 0$ inside the window it gives the largest entry up to
        an error of at most $\\frac{2 k}{e \\beta c}$.""",
    conclusions=(
        Conclusion(
            of="the convolution",
            steps=(1, 2),
            answer="Yes, exactly: with W_Q = W_K = 0, p the logarithm of the kernel's shares and W_V the kernel's sum, the layer is the convolution with that kernel.",
        ),
        Conclusion(
            of="max pooling",
            steps=(3, 4, 5, 6, 7, 8),
            answer="And max pooling in the limit: with W_Q = W_K = √β, W_V = 1 and p = 0 in the window it misses the largest of 2k + 1 entries by at most 2k/(eβc), for places of value c > 0.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="Convolution. Without queries and keys the score of a place is its $p$ alone. Count the three places of a window from left to right, and give each the logarithm of its share in the kernel $w$; a share of 0 is $-\\infty$.",
            formula=r"s \coloneqq \sum_{j=1}^{3} w_j, \quad p_j \coloneqq \log(\frac{w_j}{s}), \quad b_j \coloneqq \frac{\exp(p_j)}{\sum_{i=1}^{3} \exp(p_i)}, \quad b_j = \frac{w_j}{s}",
        ),
        ProofStep(
            text="The softmax of logarithms of shares is the shares, and $W_V = s$ undoes the division: nothing is approximated. For the kernel $(2, 0, 1)$ the weights are $\\frac{2}{3}$, 0 and $\\frac{1}{3}$, and $W_V = 3$.",
            formula=r"s \sum_{j=1}^{3} b_j z_j = \sum_{j=1}^{3} w_j z_j",
        ),
        ProofStep(
            text="Max pooling. At a place of value $c$ the score of place $j$ is $\\beta c x_j$. With $M$ for the largest of the window, multiply numerator and denominator of the weight by $\\exp(-\\beta c M)$.",
            formula=r"M \coloneqq \max_{j=1}^{n} x_j, \quad g_j \coloneqq \frac{\exp(\beta c x_j)}{\sum_{i=1}^{n} \exp(\beta c x_i)}, \quad g_j = \frac{\exp(-\beta c (M - x_j))}{\sum_{i=1}^{n} \exp(-\beta c (M - x_i))}",
        ),
        ProofStep(
            text="The weights sum to 1, so the error is the average of the distances to the largest.",
            formula=r"M - \sum_{j=1}^{n} g_j x_j = \sum_{j=1}^{n} g_j (M - x_j)",
        ),
        ProofStep(
            text="The denominator $S$ holds the term of the largest itself, which is 1, so it is at least 1, and the error is at most $S$ times the error.",
            formula=r"S \coloneqq \sum_{i=1}^{n} \exp(-\beta c (M - x_i)), \quad S \ge 1, \quad S \sum_{j=1}^{n} g_j (M - x_j) = \sum_{j=1}^{n} (M - x_j) \exp(-\beta c (M - x_j))",
        ),
        ProofStep(
            text="Each term has the form $t \\exp(-a t)$ with $a = \\beta c$, whose derivative is 0 at $t = 1/a$ alone: there it is largest.",
            formula=r"h(t) \coloneqq t \exp(-a t), \quad \frac{\partial h(t)}{\partial t} = (1 - a t) \exp(-a t), \quad h(\frac{1}{a}) = \frac{1}{e a}",
        ),
        ProofStep(
            text="The term of the largest is 0, so at most $n - 1 = 2 k$ others count. This bound needs no gap between the largest and the next; with a gap $d$ and values between 0 and $M$ every other term is at most $M \\exp(-\\beta c d)$, and the error falls exponentially.",
            formula=r"S \sum_{j=1}^{n} g_j (M - x_j) \le \frac{n - 1}{e \beta c}",
        ),
        ProofStep(
            text="At $c = 0$ all scores are 0 and all weights equal: the layer gives the mean, whatever $\\beta$. So $x_i \\ge 0$ is not enough.",
            formula=r"\frac{\exp(0 \beta x_j)}{\sum_{i=1}^{n} \exp(0 \beta x_i)} = \frac{1}{n}",
        ),
    ),
    trials=(
        Trial(
            title="error of max pooling",
            knob="sharpness β (the place has value 0.5)",
            quantity="largest − output",
            measure=sharper,
            relation="≤",
            scales=("log", "log"),
            caption="Error of the layer over windows of five random places (mean and worst), below 2k/(eβc) (solid line).",
        ),
    ),
    breaks=(
        Trial(
            title="a faint place",
            knob="value c of the place (β = 100)",
            quantity="largest − output",
            measure=fainter,
            relation="≤",
            caption="The bound for places of value 0.5 and more (solid line). A place of smaller value asks more softly: its error grows beyond the bound, and at 0 the layer gives the mean of the window.",
        ),
    ),
    meaning="""Position alone makes attention a convolution with positive weights; content alone, sharpened, makes it a maximum. One head can be either. It cannot be a kernel of both signs, because its weights are all positive and share one $W_V$: for that it takes
        two heads. The maximum is a limit, and the sharpness depends on the place's own value, since the query is that value.""",
    correction="""Toronto A4, 1.4, asks for $x_i \\ge 0$; at $x_i = 0$ the layer averages. Its change log asks for positive entries, which is what is needed.""",
    instances=60,
    seconds=0.5,
)
