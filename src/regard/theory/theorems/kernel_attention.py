"""Attention by a kernel: what its weights need, the quadratic feature map, and the order of multiplication that is linear in the length."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column

TOKENS, WIDTH, VALUES = 4, 2, 3


def features(x: np.ndarray) -> np.ndarray:
    """φ with φ(x)·φ(y) = (x·y + 1)², along the last axis."""
    first, second = np.triu_indices(x.shape[-1], 1)
    one = np.ones((*x.shape[:-1], 1))
    crossed = np.sqrt(2) * x[..., first] * x[..., second]
    return np.concatenate([one, np.sqrt(2) * x, x**2, crossed], -1)


def counted(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, int]:
    """A matrix product by loops, and how many multiplications it took."""
    found, count = np.zeros((len(left), right.shape[1])), 0
    for i, row in enumerate(left):
        for j in range(right.shape[1]):
            for k, entry in enumerate(row):
                found[i, j] += entry * right[k, j]
                count += 1
    return found, count


def point(random: np.random.Generator) -> dict[str, Any]:
    q, k = random.standard_normal((2, TOKENS, WIDTH))
    v = random.standard_normal((TOKENS, VALUES))
    big, small = features(q), features(k)
    scores, first = counted(big, small.T)
    _, second = counted(scores, v)
    summary, third = counted(small.T, v)
    _, fourth = counted(big, summary)
    return {
        "Q": q, "K": k, "V": v, "N": TOKENS, "D": WIDTH, "M": VALUES, "C": big.shape[1], "i": 2,
        "w": column(*random.uniform(0.1, 1.0, TOKENS)), "q": column(*q[0]), "k": column(*k[0]),
        "F": big, "G": small, "T_1": first + second, "T_2": third + fourth,
    }  # fmt: skip


def _attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, offset: float) -> np.ndarray:
    weights = q @ k.T + offset
    return weights @ v / weights.sum(1, keepdims=True)


LENGTHS = (4, 8, 12, 16, 24)
OFFSETS = (2.0, 1.5, 1.0, 0.7, 0.4, 0.2)


def both_orders(random: np.random.Generator, count: int) -> Sweep:
    width, values = 3, 3
    wide = (width + 1) * (width + 2) // 2

    def needed(length: int) -> tuple[int, int]:
        q, k = features(random.standard_normal((2, length, width)))
        v = random.standard_normal((length, values))
        table, first = counted(q, k.T)
        left, second = counted(table, v)
        summary, third = counted(k.T, v)
        right, fourth = counted(q, summary)
        assert np.allclose(left, right, atol=1e-9), "the two orders give one result"
        return first + second, third + fourth

    found = [needed(length) for length in LENGTHS]
    return Sweep(
        at=LENGTHS,
        predicted=tuple(2.0 * length * wide * values for length in LENGTHS),
        measured=tuple((float(right),) for _, right in found),
        also={"scores first: N²(C + M)": tuple(float(left) for left, _ in found)},
    )


def signed_kernels(random: np.random.Generator, count: int) -> Sweep:
    def largest(offset: float) -> tuple[float, ...]:
        q, k = random.standard_normal((2, count, 6, 3))
        q, k = (one / np.linalg.norm(one, axis=-1, keepdims=True) for one in (q, k))
        v = random.uniform(-1, 1, (count, 6, 1))
        return tuple(float(np.abs(_attention(*one, offset)).max()) for one in zip(q, k, v, strict=True))

    return Sweep(
        at=OFFSETS,
        predicted=(1.0,) * len(OFFSETS),
        measured=tuple(largest(offset) for offset in OFFSETS),
        broken=tuple(offset < 1.0 for offset in OFFSETS),
    )


THEOREM = Theorem(
    name="kernel-attention",
    title="Attention by a kernel",
    question="When can attention be computed without the table of all scores?",
    speaks_of=(26, 27, 28, 29, 30, 31, 80),
    elsewhere=("linear-attention",),
    assumptions=(
        "attention weights are $w_j / \\sum w_j$ with $w_j = \\phi(q)^\\top \\phi(k_j)$ for a feature map $\\phi$ into $C$ dimensions",
        "no weight is negative and their sum is positive",
    ),
    statement="""Each output is an average of the values, and with $S = \\sum_{j=1}^{N} \\phi(K_j) V_j^\\top$ and $z = \\sum_{j=1}^{N} \\phi(K_j)$, which do not depend on the query, it is
        $$V'_i = \\frac{S^\\top \\phi(Q_i)}{z^\\top \\phi(Q_i)}$$
        For $N$ tokens that takes a number of multiplications in proportion to $N$ and not to $N^2$. For the kernel $(q^\\top k + 1)^2$ the map has $C = (D + 1)(D + 2) / 2$ entries.""",
    conclusions=(
        Conclusion(
            of="the form by a kernel",
            steps=(1, 2, 3, 4, 5, 6, 7),
            answer="When the weights are a kernel φ(q)·φ(k), not negative and with a positive sum: then Σ φ(Kⱼ)Vⱼᵀ and Σ φ(Kⱼ) are summed once, and each query meets the sums; for (q·k + 1)² the map φ has (D + 1)(D + 2)/2 entries.",
        ),
        Conclusion(
            of="what the kernel form costs",
            steps=(8,),
            answer="That takes 2NCM multiplications in place of N²(C + M): in proportion to N, not to N².",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="Weights that are not negative and have a positive sum become shares: the output is an average of the values and stays between the smallest and the largest. Not to be negative is not enough: if all are 0, there is nothing to divide by.",
            formula=r"\sum_{j=1}^{N} \frac{w_j}{\sum_{i=1}^{N} w_i} = 1",
        ),
        ProofStep(
            text="A kernel can be negative: the plain product of opposite vectors is. It is for the feature map to make all entries positive, or for the kernel to be a square or an exponential.",
            formula=r"q^\top (-q) = -\lVert q \rVert^2",
        ),
        ProofStep(
            text="The quadratic kernel is a square, so it is never negative; it is 0 where $q^\\top k = -1$. Multiplied out for any width $D$:",
            formula=r"(q^\top k + 1)^2 = 1 + 2 \sum_{i=1}^{D} q_i k_i + \sum_{i=1}^{D} q_i^2 k_i^2 + 2 \sum_{i=1}^{D} \sum_{j=i+1}^{D} q_i q_j k_i k_j",
        ),
        ProofStep(
            text="Each term is a product of something of $q$ with the same of $k$; a factor 2 is shared as $\\sqrt{2}$ by each side. For $D = 2$ the features are:",
            formula=r"\phi(x) \coloneqq \begin{pmatrix} 1 \\ \sqrt{2} x_1 \\ \sqrt{2} x_2 \\ x_1^2 \\ x_2^2 \\ \sqrt{2} x_1 x_2 \end{pmatrix}, \quad \phi(q)^\top \phi(k) = (q^\top k + 1)^2",
        ),
        ProofStep(
            text="How many there are: one constant, $D$ linear terms, $D$ squares, and one for each of the $D (D - 1) / 2$ pairs.",
            formula=r"C = 1 + 2 D + \frac{D (D - 1)}{2} = \frac{(D + 1) (D + 2)}{2}",
        ),
        ProofStep(
            text="Attention with this kernel. In both sums $\\phi(Q_i)$ stands in every term and can be taken out.",
            formula=r"S \coloneqq \sum_{j=1}^{N} \phi(K_j) V_j^\top, \quad z \coloneqq \sum_{j=1}^{N} \phi(K_j), \quad "
            r"\frac{\sum_{j=1}^{N} \phi(Q_i)^\top \phi(K_j) V_j}{\sum_{j=1}^{N} \phi(Q_i)^\top \phi(K_j)} = \frac{S^\top \phi(Q_i)}{z^\top \phi(Q_i)}",
        ),
        ProofStep(
            text="The same for all queries at once, with the features of queries and keys as rows of $F$ and $G$: matrix products may be bracketed as one likes.",
            formula=r"(F G^\top) V = F (G^\top V)",
        ),
        ProofStep(
            text="But the number of multiplications is not the same: $T_1$ with the scores first, $T_2$ with the summary of keys and values first (both counted by a loop).",
            formula=r"T_1 = N^2 (C + M), \quad T_2 = 2 N C M",
        ),
    ),
    trials=(
        Trial(
            title="multiplications, summary first",
            knob="tokens N (D = M = 3, C = 10)",
            quantity="multiplications",
            measure=both_orders,
            relation="≡",
            caption="Multiplications counted in a loop (points), 2NCM (solid line), and the same result with the scores first (dashed), which grows with N². They cross at N = 2CM/(C + M): at C where values are as wide as features, towards 2C as values grow wider.",
        ),
    ),
    breaks=(
        Trial(
            title="a kernel that can be negative",
            knob="c in the kernel q·k + c, unit vectors",
            quantity="largest |output|, values in [−1, 1]",
            measure=signed_kernels,
            relation="≤",
            scales=("linear", "log"),
            caption="An average of values between −1 and 1 stays there (solid line). With c ≥ 1 no weight is negative and the bound holds; below, weights of both signs cancel in the denominator and outputs leave the range without limit.",
        ),
    ),
    meaning="""Softmax attention needs $N^2 (D + M)$ multiplications and a table of $N^2$ weights; the kernel form needs $2 N C M$ and a summary of $C M$ numbers. With the quadratic kernel $C$ is about $D^2 / 2$, so it pays only when there are more tokens than
        that. The summary is all a causal model has to carry from token to token: a recurrent network.""",
    correction="""Berkeley HW6, 3(b)ii, leaves out the $\\sqrt{2}$ of the linear terms; 3(a) asks of the similarity no more than not to be negative, which its own intuition goes beyond: the sum must not be 0 either; 3(c) counts $N^2 M$ for the memory where $N^2 + N (D + M)$ will do. Toronto A4, 1.3.1,
        says that every kernel is non-negative; the linear one is not.""",
    seconds=1.0,
)
