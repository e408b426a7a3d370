"""Attention through few dimensions: by the singular values of its weights, and by projected keys and values."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.theorems.kernel_attention import counted

TOKENS, RANK, WIDTH = 5, 2, 3


def softmax(scores: np.ndarray) -> np.ndarray:
    """Rows of positive weights that sum to one."""
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def truncated(p: np.ndarray, rank: int) -> np.ndarray:
    """The nearest matrix of that rank, by Frobenius norm."""
    left, values, right = np.linalg.svd(p, full_matrices=False)
    return (left[..., :, :rank] * values[..., None, :rank]) @ right[..., :rank, :]


def point(random: np.random.Generator) -> dict[str, Any]:
    q, k = random.standard_normal((2, TOKENS, RANK))
    v = random.standard_normal((TOKENS, WIDTH))
    left, values, right = np.linalg.svd(q @ k.T)
    left, values, right = left[:, :RANK], values[:RANK], right[:RANK]
    a = random.standard_normal((TOKENS, TOKENS))
    first, singular, second = np.linalg.svd(a)
    inner, one = counted(right, v)
    _, two = counted(left, values[:, None] * inner)
    basis = np.linalg.qr(random.standard_normal((TOKENS, RANK)))[0]
    shuffle = np.eye(TOKENS)[random.permutation(TOKENS)]
    return {
        "Q": q, "K": k, "V": v, "U": left, "S": np.diag(values), "W": right.T, "n": TOKENS, "k": RANK, "d": WIDTH,
        "A": a, "u": first.T, "s": singular[:, None], "w": second, "T": one + two + inner.size,
        "X": basis @ random.standard_normal((RANK, TOKENS)), "G": basis,
        "Y": softmax(0 * a), "H": softmax(60 * shuffle),
    }  # fmt: skip


def _weights(random: np.random.Generator, count: int, sharpness: float) -> np.ndarray:
    q, k = random.standard_normal((2, count, 32, 4))
    return softmax(sharpness * q @ k.swapaxes(1, 2) / 2)


RANKS = (1, 2, 4, 8, 12, 16, 24)
SHARPNESS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def discarded(random: np.random.Generator, count: int) -> Sweep:
    p = _weights(random, count, 2.0)
    values = np.linalg.svd(p, compute_uv=False)
    return Sweep(
        at=RANKS,
        predicted=tuple(float(np.sqrt((values[:, rank:] ** 2).sum(1)).mean()) for rank in RANKS),
        each=tuple(tuple(np.sqrt((values[:, rank:] ** 2).sum(1))) for rank in RANKS),
        measured=tuple(tuple(np.linalg.norm(p - truncated(p, rank), axis=(1, 2))) for rank in RANKS),
        also={"largest value left out": tuple(float(values[:, rank].mean()) for rank in RANKS)},
    )


def sharper(random: np.random.Generator, count: int) -> Sweep:
    def error(sharpness: float) -> tuple[float, ...]:
        p = _weights(random, count, sharpness)
        return tuple(np.linalg.norm(p - truncated(p, 4), axis=(1, 2)) / np.linalg.norm(p, axis=(1, 2)))

    return Sweep(
        at=SHARPNESS,
        predicted=(0.0,) * len(SHARPNESS),
        measured=tuple(error(sharpness) for sharpness in SHARPNESS),
        broken=tuple(sharpness > 0 for sharpness in SHARPNESS),
    )


THEOREM = Theorem(
    name="low-rank",
    title="Attention of low rank",
    question="If the table of attention weights has low rank, what does that save, and does it have low rank?",
    speaks_of=(81, 82),
    elsewhere=("linear-attention",),
    assumptions=(
        "the $n \\times n$ table $P$ has rank $k$, and its singular value decomposition $P = U S W^\\top$ with $k$ columns in $U$ and $W$ is at hand",
        "for the projections: there is no softmax, $P = Q K^\\top$",
    ),
    statement="""$P V$ can be computed with $2 n k d + k d$ multiplications instead of $n^2 d$, and without the softmax there are $k \\times n$ matrices $C$ and $D$ with
        $$Q (C K)^\\top (D V) = P V$$
        Cut off at a rank below its own, the table is missed by exactly the singular values that are left out, and no table of that rank comes closer.""",
    conclusions=(
        Conclusion(
            of="attention by low rank",
            steps=(1, 2, 3, 4, 5, 6),
            answer="With the factors of a table of rank k at hand, PV takes 2nkd + kd multiplications in place of n²d; cut off below its rank, the table is missed by exactly the singular values left out.",
        ),
        Conclusion(
            of="projected keys and values",
            steps=(7, 8),
            aside=True,
            answer="Without a softmax, keys and values projected by the right singular vectors of QKᵀ lose nothing: Q(CK)ᵀ(DV) = PV.",
        ),
        Conclusion(
            of="whether attention has low rank",
            steps=(9,),
            answer="Softmax weights need not have low rank: equal weights have rank 1, and a softmax so sharp that each token looks at one other has full rank.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="From right to left, nothing larger than $n \\times k$ is ever made.",
            formula=r"P \coloneqq Q K^\top, \quad P = U S W^\top, \quad P V = U (S (W^\top V))",
        ),
        ProofStep(
            text="The number of multiplications $T$, counted by a loop: $W^\\top V$, then the diagonal $S$, then $U$.",
            formula=r"T = n k d + k d + n k d",
        ),
        ProofStep(
            text="Now a table $A$ of any rank, with singular values $s_1, s_2, \\dots$ from the largest down, and $B$ its first $k$ terms. What is missing are the other terms, which are orthogonal to each other, so their squares add.",
            formula=r"B \coloneqq \sum_{i=1}^{k} s_i u_i w_i^\top, \quad A - B = \sum_{i=k+1}^{n} s_i u_i w_i^\top, \quad \lVert A - B \rVert_F^2 = \sum_{i=k+1}^{n} s_i^2",
        ),
        ProofStep(
            text="The longest that a unit vector can become is the largest value left out; so an output is wrong by at most that share of the values.",
            formula=r"\sigma_{\max}(A - B) = s_{k+1}, \quad \lVert (A - B) V \rVert_F \le s_{k+1} \lVert V \rVert_F",
        ),
        ProofStep(
            text="No other matrix $X$ of rank $k$ is nearer (Eckart and Young). With an orthonormal basis $G$ of the span of its columns, Pythagoras parts its error into what the span cannot hold and the rest.",
            formula=r"\lVert A - X \rVert_F^2 = \lVert A - G G^\top A \rVert_F^2 + \lVert G G^\top A - X \rVert_F^2",
        ),
        ProofStep(
            text="What the span cannot hold is a weighted sum of the $s_i^2$. The shares $p_i$ lie between 0 and 1 and sum to $k$, so what is lost is smallest when they are 1 on the $k$ largest: that is $B$.",
            formula=r"p_i \coloneqq u_i^\top G G^\top u_i, \quad \lVert A - G G^\top A \rVert_F^2 = \sum_{i=1}^{n} (1 - p_i) s_i^2, \quad \sum_{i=1}^{n} p_i = k",
        ),
        ProofStep(
            text="The projections. The rows of $P$ lie in the span of the columns of $W$, so projecting onto it changes nothing.",
            formula=r"P W W^\top = P",
        ),
        ProofStep(
            text="Take both projections to be $W^\\top$: keys and values are each reduced to $k$ rows before they meet the queries. Each product takes $n k d$ multiplications.",
            formula=r"C \coloneqq W^\top, \quad D \coloneqq W^\top, \quad Q (C K)^\top (D V) = Q K^\top W W^\top V = P V",
        ),
        ProofStep(
            text="Whether softmax weights have low rank depends on how sharp they are. Equal scores give equal weights $Y$, of rank 1; a softmax so sharp that every token looks at one other, $H$, is a permutation and has full rank, though the scores behind it may have rank $d$.",
            formula=r"\mathrm{rank}(Y) = 1, \quad \mathrm{rank}(H) = n",
        ),
    ),
    trials=(
        Trial(
            title="error of a cut-off table",
            knob="rank k kept, of 32",
            quantity="what rank k misses of P (Frobenius)",
            measure=discarded,
            relation="≡",
            scales=("linear", "log"),
            caption="Softmax weights over 32 random tokens, cut off at rank k: distance from the whole table (points), and the root of the sum of squares of the singular values left out (solid line). The largest of them (dashed) bounds the error of any one output.",
        ),
    ),
    breaks=(
        Trial(
            title="a softmax in between",
            knob="sharpness of the softmax (scores × this)",
            quantity="share missed at rank d = 4",
            measure=sharper,
            relation="≡",
            caption="The scores have rank d = 4, so without a softmax rank 4 misses nothing (solid line). With it, nothing is missed at sharpness 0 alone; sharp attention is far from low rank, even though the scores behind it are not.",
        ),
    ),
    meaning="""Low rank is bought with blur: a table of rank $k$ can keep $k$ mixtures of the values apart and no more. Broad attention is nearly of low rank and can be cut; attention that looks things up, token by token, cannot. And the decomposition has a
        price of its own: to compute it costs more than the attention that it saves, so in practice $C$ and $D$ are learned. The construction uses $P$ itself; one pair $C, D$ for all inputs would need the same span for all of them.""",
    instances=30,
    seconds=1.0,
)
