"""Cosine similarity is a similarity of directions, and not of vectors."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column


def point(random: np.random.Generator) -> dict[str, Any]:
    x, y, z = (column(*random.standard_normal(4)) for _ in range(3))
    return {
        "x": x, "y": y, "z": z, "u": x / np.linalg.norm(x), "v": y / np.linalg.norm(y),
        "a": random.uniform(0.2, 3.0), "b": random.uniform(0.2, 3.0), "c": random.uniform(1.5, 3.0),
    }  # fmt: skip


def _at_angle(
    random: np.random.Generator, count: int, angle: float, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors x and vectors y of a length, at an angle to them, in random planes of eight dimensions."""
    plane = np.linalg.qr(random.standard_normal((count, 8, 2)))[0]
    x, other = plane[..., 0], plane[..., 1]
    return x, length * (np.cos(angle) * x + np.sin(angle) * other)


def _cosines(x: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    return tuple((x * y).sum(-1) / np.linalg.norm(x, axis=-1) / np.linalg.norm(y, axis=-1))


ANGLES = (0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 2.6, 3.1)
LENGTHS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5)


def on_the_sphere(random: np.random.Generator, count: int) -> Sweep:
    pairs = [_at_angle(random, count, angle, 1.0) for angle in ANGLES]
    return Sweep(
        at=tuple(float(np.linalg.norm(x - y, axis=-1).mean()) for x, y in pairs),
        predicted=tuple(float(1 - ((x - y) ** 2).sum(-1).mean() / 2) for x, y in pairs),
        measured=tuple(_cosines(x, y) for x, y in pairs),
    )


def off_the_sphere(random: np.random.Generator, count: int) -> Sweep:
    pairs = [_at_angle(random, count, 0.0, length) for length in LENGTHS]
    return Sweep(
        at=LENGTHS,
        predicted=tuple(float(1 - ((x - y) ** 2).sum(-1).mean() / 2) for x, y in pairs),
        measured=tuple(_cosines(x, y) for x, y in pairs),
        broken=tuple(length != 1.0 for length in LENGTHS),
        instead=(1.0,) * len(LENGTHS),
    )


THEOREM = Theorem(
    name="similarity-axioms",
    title="When cosine similarity is a similarity",
    question="Does cosine similarity fulfil the four rules of a similarity?",
    speaks_of=(12,),
    elsewhere=("attention-as-convolution",),
    assumptions=(
        "a similarity $s$ is bounded above by some $b$ (rule 1), reaches $b$ between each thing and itself (rule 2) and between no two distinct things (rule 3), and is symmetric (rule 4)",
        "no vector is 0, where the cosine is not defined",
    ),
    statement="""On vectors of length 1 the cosine $s(x, y) = \\frac{x^\\top y}{\\lVert x \\rVert \\lVert y \\rVert}$ fulfils all four rules with $b = 1$. On all vectors other than 0 it fulfils rules 1, 2 and 4,
        and breaks rule 3.""",
    conclusions=(
        Conclusion(
            of="the cosine on directions",
            steps=(1, 2, 3, 4),
            answer="On vectors of length 1 it fulfils all four rules, with the bound 1.",
        ),
        Conclusion(
            of="the cosine on all vectors",
            steps=(5, 6, 7),
            answer="On all vectors other than 0 it breaks rule 3: x and cx are distinct and have similarity 1; the angle is a distance between directions alone.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="Rule 4: numbers multiply in any order.",
            formula=r"s(x, y) \coloneqq \frac{x^\top y}{\lVert x \rVert \lVert y \rVert}, \quad s(x, y) = s(y, x)",
        ),
        ProofStep(
            text="Rule 1. The squared distance of the two directions is not negative; multiplied out it is $2 - 2 s(x, y)$, so $s(x, y) \\le 1$.",
            formula=r"\lVert \frac{x}{\lVert x \rVert} - \frac{y}{\lVert y \rVert} \rVert^2 = 2 - 2 s(x, y)",
        ),
        ProofStep(text="Rule 2: the bound is reached between a vector and itself.", formula=r"s(x, x) = 1"),
        ProofStep(
            text="Rule 3 on the sphere. For vectors $u$ and $v$ of length 1 step 2 reads as follows, so $s(u, v) = 1$ only where $u = v$.",
            formula=r"s(u, v) = u^\top v = 1 - \frac{1}{2} \lVert u - v \rVert^2",
        ),
        ProofStep(
            text="Rule 3 fails elsewhere. Lengths cancel: with $a, b > 0$ the cosine sees directions alone, so $x$ and $c x$ are distinct for $c \\ne 1$ and have similarity 1.",
            formula=r"s(a x, b y) = s(x, y), \quad s(x, c x) = 1, \quad \lVert x - c x \rVert = |c - 1| \lVert x \rVert",
        ),
        ProofStep(
            text="A negative factor turns the direction round and gives the smallest value.",
            formula=r"s(x, -c x) = -1",
        ),
        ProofStep(
            text="What is true on all vectors: the angle is a distance between directions, and it lies between 0 and $\\pi$. It fulfils the triangle inequality; between $x$ and $c x$ it is 0, so on vectors it is only a pseudo-metric.",
            formula=r"\arccos(s(x, z)) \le \arccos(s(x, y)) + \arccos(s(y, z))",
        ),
    ),
    trials=(
        Trial(
            title="vectors of length 1",
            knob="distance of the two vectors",
            quantity="cosine similarity",
            measure=on_the_sphere,
            relation="≡",
            caption="On the unit sphere the similarity falls with the distance, 1 − distance²/2 (solid line), and is 1 at distance 0 alone.",
        ),
    ),
    breaks=(
        Trial(
            title="vectors of other lengths",
            knob="length of y, which points where x does",
            quantity="cosine similarity",
            measure=off_the_sphere,
            relation="≡",
            caption="x has length 1, and y the same direction with the length shown. Similarity by distance would be the solid curve; the cosine stays at 1 (dotted): distinct vectors, largest similarity.",
        ),
    ),
    meaning="""Cosine similarity compares directions; whatever is in the length is lost. That is what one wants of colours under different light, and not where a loud and a faint answer should differ. A raw dot product is worse as a similarity:
        it has no bound (rule 1) and $x^\\top x$ is not the same for all $x$ (rule 2).""",
    correction="""Duke HW3, 4(a)iii, asks to prove that the cosine is a similarity on all of $\\mathbb{R}^d$; rule 3 fails there. It writes the domain of $s$ as $d \\times d$ matrices where pairs of vectors are meant, and lets the angle go to
        $2 \\pi$; it ends at $\\pi$.""",
    seconds=0.5,
)
