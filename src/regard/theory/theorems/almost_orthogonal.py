"""Exponentially many directions fit into few dimensions if they need only be almost orthogonal, and sparse features can share them."""

from math import lgamma, log, sqrt
from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column


def directions(random: np.random.Generator, shape: tuple[int, ...], shared: float = 0.0) -> np.ndarray:
    """Vectors of random signs, of length 1 along the last axis; a share of the entries is + for all of them."""
    signs = np.where(random.random(shape) < (1 - np.sqrt(shared)) / 2, -1.0, 1.0)
    return signs / sqrt(shape[-1])


def coherence(vectors: np.ndarray) -> np.ndarray | float:
    """The largest |u·v| between two different rows."""
    products = np.abs(vectors @ vectors.swapaxes(-1, -2))
    products[..., range(vectors.shape[-2]), range(vectors.shape[-2])] = 0.0
    return products.max((-2, -1))


def above(terms: int, least: float) -> float:
    """The chance that a sum of so many random signs is larger than `least`."""
    if terms == 0:
        return float(least < 0)
    counts = np.arange(terms + 1)
    logs = np.array(
        [lgamma(terms + 1) - lgamma(k + 1) - lgamma(terms - k + 1) for k in counts]
    ) - terms * log(2)
    return float(np.exp(logs)[2 * counts - terms > least].sum())


def point(random: np.random.Generator) -> dict[str, Any]:
    x, y, u, v = (column(*random.standard_normal(4)) for _ in range(4))
    epsilon = random.uniform(0.05, 0.5)
    return {
        "x": x, "y": y, "u": u / np.linalg.norm(u), "v": v / np.linalg.norm(v), "a": random.standard_normal(), "b": random.standard_normal(),
        "epsilon": epsilon, "delta": random.uniform(0.05, 1.0), "n": random.uniform(100.0, 900.0), "t": random.standard_normal(), "N_1": random.uniform(2.0, 50.0),
    }  # fmt: skip


DIMENSIONS = (50, 100, 200, 400, 800)
COUNT = 100
ACTIVE = (1, 16, 24, 32, 48, 64)
SHARED = (0.0, 0.01, 0.03, 0.06, 0.1, 0.2)
PLACES, FEATURES, FEW = 256, 500, 8


def fitting(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=DIMENSIONS,
        predicted=tuple(sqrt(2 * log(1e4 * COUNT**2) / n) for n in DIMENSIONS),
        formula=lambda n: sqrt(2 * log(1e4 * COUNT**2) / n),
        measured=tuple(tuple(np.ravel(coherence(directions(random, (count, COUNT, n))))) for n in DIMENSIONS),
        also={
            "by the lemma, δ = √(128 ln N / n)": tuple(sqrt(128 * log(COUNT) / n) for n in DIMENSIONS),
            "√(4 ln N / n)": tuple(sqrt(4 * log(COUNT) / n) for n in DIMENSIONS),
        },
    )


WIDTHS = (64, 128, 256, 512)
POINTS = 50
FILLED, DELTA = (4, 8, 12, 16, 24, 32), 0.5


def distortion(points: np.ndarray, width: int, random: np.random.Generator) -> float:
    """The largest change of a squared distance, as a share of it, under a random projection."""
    moved = points @ random.standard_normal((points.shape[1], width)) / sqrt(width)
    first, second = np.triu_indices(len(points), 1)
    before, after = (((one[first] - one[second]) ** 2).sum(1) for one in (points, moved))
    return float(np.abs(after / before - 1).max())


def lemma(random: np.random.Generator, count: int) -> Sweep:
    points = random.standard_normal((POINTS, 100))

    def best(width: int) -> float:
        return min(distortion(points, width, random) for _ in range(5))

    return Sweep(
        at=WIDTHS,
        predicted=tuple(sqrt(8 * log(POINTS) / width) for width in WIDTHS),
        formula=lambda width: sqrt(8 * log(POINTS) / width),
        measured=tuple(tuple(best(width) for _ in range(max(2, count // 4))) for width in WIDTHS),
    )


def packed(random: np.random.Generator, dimensions: int, delta: float, tries: int = 1000) -> int:
    """How many random unit vectors find a place, each taken only if it is almost orthogonal to all before."""
    kept = np.zeros((tries, dimensions))
    count = 0
    for one in random.standard_normal((tries, dimensions)):
        vector = one / np.linalg.norm(one)
        if count == 0 or np.abs(kept[:count] @ vector).max() <= delta:
            kept[count] = vector
            count += 1
    return count


def filling(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=FILLED,
        predicted=tuple(float(np.exp(n * DELTA**2 / 4)) for n in FILLED),
        formula=lambda n: float(np.exp(n * DELTA**2 / 4)),
        measured=tuple(
            tuple(float(packed(random, n, DELTA)) for _ in range(max(2, count // 4))) for n in FILLED
        ),
        also={"exactly orthogonal: n": tuple(float(n) for n in FILLED)},
    )


def _readings(random: np.random.Generator, active: int, shared: float) -> np.ndarray:
    """Every feature's direction times a sum of the first `active` of them."""
    vectors = directions(random, (FEATURES, PLACES), shared)
    return vectors @ vectors[:active].sum(0)


def recovery(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=ACTIVE,
        predicted=tuple(above((k - 1) * PLACES, -PLACES / 2) for k in ACTIVE),
        measured=tuple(
            tuple(float((_readings(random, k, 0.0)[:k] > 0.5).mean()) for _ in range(3 * count))
            for k in ACTIVE
        ),
        also={"others that read above ½": tuple(above(k * PLACES, PLACES / 2) for k in ACTIVE)},
    )


def crowded(random: np.random.Generator, count: int) -> Sweep:
    return Sweep(
        at=SHARED,
        predicted=(above(FEW * PLACES, PLACES / 2),) * len(SHARED),
        measured=tuple(
            tuple(float((_readings(random, FEW, shared)[FEW:] > 0.5).mean()) for _ in range(rounds * count))
            for shared, rounds in zip(SHARED, (12, *(3,) * (len(SHARED) - 1)), strict=True)
        ),
        broken=tuple(shared > 0 for shared in SHARED),
    )


THEOREM = Theorem(
    name="almost-orthogonal",
    title="Many almost orthogonal directions",
    question="How many directions fit into n dimensions if they need only be almost orthogonal, and what is that good for?",
    items=(85,),
    assumptions=(
        "the lemma of Johnson and Lindenstrauss: $N$ points can be mapped linearly into $n$ dimensions with every squared distance changed by a factor between $1 - \\epsilon$ and $1 + \\epsilon$, if $n \\ge \\frac{8 \\log(N)}{\\epsilon^2}$ and $\\epsilon < 1$",
        "two unit vectors are almost orthogonal if $|u^\\top v| \\le \\delta$, with $\\delta < 1$",
    ),
    statement="""There are at least $N - 1$ unit vectors in $n$ dimensions, any two of them almost orthogonal, with
        $$N = \\exp(\\frac{n \\delta^2}{128})$$
        Random signs do better: $\\exp(n \\delta^2 / 4)$ of them are almost orthogonal with a positive chance. Features of which few are active at a time can therefore share $n$ dimensions and be read off again.""",
    conclusions=(
        Conclusion(
            of="the number of almost orthogonal directions",
            steps=(1, 2, 3, 4, 5, 6, 7, 8, 9),
            items=(85,),
            answer="In n dimensions there are at least ⌊exp(nδ²/128)⌋ − 1 directions of which any two have |u·v| ≤ δ: exponentially many, where exactly orthogonal ones number n. Features of which few are active at a time can share them and be read off again.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="A product of vectors is made of squared lengths, which the lemma speaks of.",
            formula=r"x^\top y = \frac{1}{2} (\lVert x \rVert^2 + \lVert y \rVert^2 - \lVert x - y \rVert^2)",
        ),
        ProofStep(
            text="Apply the lemma to 0 and $d$ standard basis vectors. Their squared distances are 1 (from 0) and 2 (between two); the images have squared lengths of at most $1 + \\epsilon$ and squared distances of at least $2 (1 - \\epsilon)$, so their products are at most "
            "(and with the signs of $\\epsilon$ exchanged, at least minus) twice $\\epsilon$.",
            formula=r"((1 + \epsilon) + (1 + \epsilon) - 2 (1 - \epsilon)) / 2 = 2 \epsilon, \quad ((1 - \epsilon) + (1 - \epsilon) - 2 (1 + \epsilon)) / 2 = -2 \epsilon",
        ),
        ProofStep(
            text="The images are not of length 1. Normalising divides by their lengths, whose product is at least $1 - \\epsilon$; so the bound becomes $\\kappa(\\epsilon)$. With $\\epsilon = \\delta / 2$, as Toronto A4's hint has it, that is more than $\\delta$.",
            formula=r"\kappa(t) \coloneqq \frac{2 t}{1 - t}, \quad \kappa(\frac{\delta}{2}) - \delta = \frac{\delta^2}{2 - \delta}",
        ),
        ProofStep(
            text="With $\\epsilon = \\delta / 4$ it is at most $\\delta$, since the difference is positive for every $\\delta$ below 2.",
            formula=r"\delta - \kappa(\frac{\delta}{4}) = \frac{\delta (2 - \delta)}{4 - \delta}",
        ),
        ProofStep(
            text="The lemma allows $N = d + 1$ points as long as $8 \\log(N) / \\epsilon^2$ is at most $n$. With $\\epsilon = \\delta / 4$ the constant is 128.",
            formula=r"N \coloneqq \exp(\frac{n \delta^2}{128}), \quad \frac{8 \log(N_1)}{(\frac{\delta}{4})^2} = \frac{128 \log(N_1)}{\delta^2}, \quad \frac{8 \log(N)}{(\frac{\delta}{4})^2} = n",
        ),
        ProofStep(
            text="Random signs do better. The product of two vectors of $n$ random signs, each of length 1, is a mean of $n$ signs. A sign has the moment function $\\cosh(t)$, which lies below that of a Gaussian.",
            formula=r"\frac{1}{2} (\exp(t) + \exp(-t)) = \cosh(t), \quad \cosh(t) \le \exp(\frac{t^2}{2})",
        ),
        ProofStep(
            text="So, by Markov's inequality for $\\exp(\\delta \\sum s_i)$, the mean of $n$ signs exceeds $\\delta$ with a chance of at most",
            formula=r"\exp(-n \delta \delta) \exp(\frac{\delta^2}{2})^n = \exp(-\frac{n \delta^2}{2})",
        ),
        ProofStep(
            text="The same holds below $-\\delta$, and there are less than $K^2 / 2$ pairs among $K$ vectors. As long as the sum of all these chances is at most 1, some choice of signs avoids them all.",
            formula=r"K \coloneqq \exp(\frac{n \delta^2}{4}), \quad 2 \frac{K^2}{2} \exp(-\frac{n \delta^2}{2}) = 1",
        ),
        ProofStep(
            text="Why one cares. Write two features of strength $a$ and $b$ into one vector along $u$ and $v$, and read the first by a product with $u$: it comes back, with a share of the other that is as small as the two are orthogonal. With $r$ others active the errors add up to a "
            "standard deviation of $\\sqrt{r/n}$ for random signs, so few features at a time can be read, however many there are.",
            formula=r"u^\top (a u + b v) = a + b u^\top v",
        ),
    ),
    trials=(
        Trial(
            title="how orthogonal 100 directions are",
            knob="dimensions n",
            quantity="largest |u·v|",
            measure=fitting,
            relation="≤",
            scales=("log", "log"),
            caption="Largest product between two of 100 vectors of random signs (mean and worst), below the bound that fails once in 10,000 instances (solid line). √(4 ln N/n) is where the chances of all pairs sum to 1; the lemma's constant (dashed, above) is far from needed.",
        ),
        Trial(
            title="how many fit",
            knob="dimensions n (δ = 0.5)",
            quantity="directions found",
            measure=filling,
            relation="≥",
            scales=("linear", "log"),
            caption="Directions found by taking random ones as they come, each kept if its product with all before is at most 0.5: more than exp(nδ²/4) (solid line), and soon more than the n that can be exactly orthogonal (dashed); from about 300 on, the thousand tries are the limit.",
        ),
        Trial(
            title="the lemma's constant in practice",
            knob="dimensions n, for 50 points",
            quantity="largest change of a squared distance",
            measure=lemma,
            relation="≤",
            scales=("log", "log"),
            caption="Largest relative change of a squared distance among 50 points, the best of five random projections, and ε = √(8 ln N/n) (solid line). The lemma says that some map changes none by more; for projections drawn at random the line is a yardstick and no bound, and an instance may be beyond it.",
        ),
        Trial(
            title="features read back",
            knob="features active at once, of 500 in 256 dimensions",
            quantity="share that reads above ½",
            measure=recovery,
            scales=("log", "linear"),
            caption="500 features share 256 dimensions. Share of the active ones whose reading is above ½ (points; solid line: by the law of a sum of signs), and of the inactive ones (dashed). A handful at a time is read without fault, dozens are not.",
        ),
    ),
    breaks=(
        Trial(
            title="directions that share a part",
            knob="mean product of two directions",
            quantity="inactive features that read above ½",
            measure=crowded,
            scales=("linear", "linear"),
            caption=f"The same with {FEW} active features, when directions have a common part and their products a mean that is not 0. The errors no longer cancel but add up to {FEW} times that mean: at 1/{2 * FEW} they are ½ on average, which is read as a feature that is not there. "
            f"Tried were {', '.join(f'{one:g}' for one in SHARED[:-1])} and {SHARED[-1]:g}.",
        ),
    ),
    meaning="""Exactly orthogonal directions number $n$; almost orthogonal ones number exponentially many in $n \\delta^2$. That is room for far more features than dimensions, on one condition: few are active at a time. Sparse features in superposition is what the
        hidden states of language models are thought to hold. How large the product of two random directions is otherwise stands in [[theory-dot-product]].""",
    correction="""Toronto A4, 2.1.1, hints at $\\epsilon = \\delta / 2$. That bounds products before the vectors are normalised; for unit vectors it gives $\\delta / (1 - \\delta / 2)$, which is more than $\\delta$. With $\\delta / 4$ it works, and the constant is 128 where the hint leads to 32.""",
    instances=20,
    seconds=4.0,
)
