"""Attention without positions cannot tell orders apart; rotations make scores depend on distances alone."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.theorems.low_rank import softmax
from regard.theory.value import column

TOKENS, WIDTH = 4, 3


def point(random: np.random.Generator) -> dict[str, Any]:
    q, k, v = random.standard_normal((3, TOKENS, WIDTH))
    x, y, p, r = (column(*random.standard_normal(WIDTH)) for _ in range(4))
    return {
        "Q": q, "K": k, "V": v, "e": np.ones((TOKENS, 1)), "T": np.eye(TOKENS)[random.permutation(TOKENS)], "I": np.eye(TOKENS),
        "q": column(*random.standard_normal(2)), "k": column(*random.standard_normal(2)), "s": random.standard_normal(), "t": random.standard_normal(),
        "m": float(random.integers(1, 9)), "n": float(random.integers(1, 9)), "f": random.uniform(0.1, 1.0), "x": x, "y": y, "p": p, "r": r,
    }  # fmt: skip


def turned(x: np.ndarray, position: int) -> np.ndarray:
    """Adjacent pairs of entries, each turned by position times its own frequency."""
    angle = position * 100.0 ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    first, second = x[..., ::2], x[..., 1::2]
    both = np.stack(
        [np.cos(angle) * first - np.sin(angle) * second, np.sin(angle) * first + np.cos(angle) * second], -1
    )
    return both.reshape(x.shape)


SHIFTS = (0, 1, 2, 5, 10, 20, 50)
STRENGTHS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)


def shifted(random: np.random.Generator, count: int) -> Sweep:
    q, k = random.standard_normal((2, count, 8))
    table = random.standard_normal((70, 8))

    def rotary(shift: int) -> np.ndarray:
        return (turned(q, 3 + shift) * turned(k, 9 + shift)).sum(-1)

    def added(shift: int) -> np.ndarray:
        return ((q + table[3 + shift]) * (k + table[9 + shift])).sum(-1)

    return Sweep(
        at=SHIFTS,
        predicted=(0.0,) * len(SHIFTS),
        measured=tuple(tuple(np.abs(rotary(shift) - rotary(0))) for shift in SHIFTS),
        also={
            "positions added to the features": tuple(
                float(np.abs(added(shift) - added(0)).mean()) for shift in SHIFTS
            )
        },
    )


def masked(random: np.random.Generator, count: int) -> Sweep:
    later = np.triu(np.ones((6, 6)), 1)

    def gap(strength: float) -> tuple[float, ...]:
        x = random.standard_normal((count, 6, 4))
        order = np.array([1, 2, 3, 4, 5, 0])

        def attended(z: np.ndarray) -> np.ndarray:
            return softmax(z @ z.swapaxes(1, 2) / 2 - strength * later) @ z

        return tuple(np.abs(attended(x[:, order]) - attended(x)[:, order]).max((1, 2)))

    return Sweep(
        at=STRENGTHS,
        predicted=(0.0,) * len(STRENGTHS),
        measured=tuple(gap(strength) for strength in STRENGTHS),
        broken=tuple(strength > 0 for strength in STRENGTHS),
    )


THEOREM = Theorem(
    name="positions",
    title="Order, and how attention sees it",
    question="Does attention see the order of its tokens, and what do rotary positions make it see?",
    speaks_of=(66,),
    elsewhere=("positions",),
    assumptions=(
        "attention without a mask: every token sees every other, and weights come from queries and keys alone",
        "for rotary positions: each pair of entries of a query at place $m$ and of a key at place $n$ is turned by $m$ and $n$ times one angle $f$",
    ),
    statement="""Reordering the tokens reorders the outputs and changes nothing else. With rotary positions a score depends on the two places through their difference alone,
        $$(R(m f) q)^\\top (R(n f) k) = q^\\top R((n - m) f) k$$""",
    conclusions=(
        Conclusion(
            of="order",
            steps=(1, 2, 3, 4, 5),
            answer="Attention without a mask does not see the order of its tokens: reordering them reorders the outputs and changes nothing else.",
        ),
        Conclusion(
            of="rotary positions",
            steps=(6, 7),
            answer="Rotary positions make it see distances: a score depends on the two places through their difference alone, and lengths stay as they were.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="A reordering is a matrix $T$ with a single 1 in each row and column; its transpose undoes it.",
            formula=r"T^\top T = I, \quad T e = e",
        ),
        ProofStep(
            text="Attention of all tokens: exponentials of scores, divided by their row sums, times values ($e$ is a column of ones).",
            formula=r"E \coloneqq \exp(Q K^\top), \quad Y \coloneqq \mathrm{diag}(E e)^{-1} E V, \quad \mathrm{diag}(E e)^{-1} E e = e",
        ),
        ProofStep(
            text="With the tokens reordered the scores have rows and columns reordered, and exponentials are taken entry by entry.",
            formula=r"\tilde{E} \coloneqq \exp(T Q (T K)^\top), \quad \tilde{E} = T E T^\top",
        ),
        ProofStep(
            text="Row sums move with the rows, and the two reorderings in the middle cancel. So the outputs are reordered, and nothing else happens: attention sees a set and not a sequence.",
            formula=r"\mathrm{diag}(\tilde{E} e)^{-1} \tilde{E} T V = T Y",
        ),
        ProofStep(
            text="Positions added to the features, $x + p$ and $y + r$, give four terms: content with content, two of content with place, and place with place. A model must learn to tell them apart, and a place beyond the learned ones means nothing to it.",
            formula=r"(x + p)^\top (y + r) = x^\top y + x^\top r + p^\top y + p^\top r",
        ),
        ProofStep(
            text="Rotations of the plane: turning back by one angle and on by another is turning by the difference.",
            formula=r"R(t) \coloneqq \begin{pmatrix} \cos(t) & -\sin(t) \\ \sin(t) & \cos(t) \end{pmatrix}, \quad R(s)^\top R(t) = R(t - s)",
        ),
        ProofStep(
            text="So turning query and key by their places leaves the difference of the places. Lengths stay, so nothing grows or fades with the place; and no place needs to be learned.",
            formula=r"(R(m f) q)^\top (R(n f) k) = q^\top R((n - m) f) k, \quad \lVert R(t) q \rVert = \lVert q \rVert",
        ),
    ),
    trials=(
        Trial(
            title="both tokens moved",
            knob="places by which both are moved",
            quantity="change of the score",
            measure=shifted,
            relation="≡",
            caption="Change of a score when query and key are moved by the same distance: none with rotary positions (points, on the solid line), but with positions added to the features (dashed) the score becomes another.",
        ),
    ),
    breaks=(
        Trial(
            title="a mask breaks the symmetry",
            knob="what is taken from scores of later tokens",
            quantity="largest gap of reordered outputs",
            measure=masked,
            relation="≡",
            scales=("linear", "linear"),
            caption="How far attention is from commuting with a reordering, when scores of later tokens are lowered. Without a mask it commutes (solid line); a mask alone, without any positions, tells first from last: a causal model can learn order from it.",
        ),
    ),
    meaning="""Unmasked attention is a function on sets: order must be put in. Added positions put it into the features, once, at the bottom; rotations put it into every score, as distance, at no cost in parameters. A causal mask already breaks the symmetry,
        which is why decoders without positions are not blind to order.""",
    correction="""The answer to Amsterdam A2, 2.4(a), compares attention without positions to a bag of words. That holds without a mask; in a causal decoder the mask tells order. Its example sentences also differ in their tokens.""",
    instances=60,
    seconds=0.5,
)
