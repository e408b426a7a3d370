"""Flash attention: softmax in one pass over blocks, exactly, without the table of weights."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.theorems.low_rank import softmax
from regard.theory.value import column


def online(
    scores: np.ndarray, values: np.ndarray, blocks: int, *, rescaled: bool = True
) -> tuple[np.ndarray, int]:
    """Softmax averages of values, block by block, and the largest number of scores held at once."""
    top = np.full((len(scores), 1), -np.inf)
    total, output, held = np.zeros((len(scores), 1)), np.zeros((len(scores), values.shape[1])), 0
    for part, block in zip(np.array_split(scores, blocks, 1), np.array_split(values, blocks), strict=True):
        new = np.maximum(top, part.max(1, keepdims=True))
        factor = np.exp(top - new) if rescaled else np.where(np.isinf(top), 0.0, 1.0)
        weights = np.exp(part - new)
        total, output = total * factor + weights.sum(1, keepdims=True), output * factor + weights @ block
        top, held = new, max(held, part.size)
    return output / total, held


def traffic(length: int, width: int, memory: int) -> int:
    """Numbers moved to and from slow memory when `memory` of them fit on the chip, counted block by block."""
    rows = memory // (4 * width)
    moved = 0
    for _ in range(length // rows):
        moved += 2 * rows * width  # a block of keys and of values comes in
        for _ in range(length // rows):
            moved += 3 * rows * width  # queries come in; outputs come in and go out again
    return moved


def traffic_queries_outside(length: int, width: int, memory: int) -> int:
    """The same with the loop over queries outside: outputs stay on the chip until they are done."""
    rows = memory // (4 * width)
    moved = 0
    for _ in range(length // rows):
        moved += 2 * rows * width  # a block of queries comes in, and its outputs go out
        for _ in range(length // rows):
            moved += 2 * rows * width  # keys and values come in
    return moved


def point(random: np.random.Generator) -> dict[str, Any]:
    blocks, rows, width = int(random.integers(2, 6)), int(random.integers(2, 6)), int(random.integers(2, 6))
    length, memory = blocks * rows, 4 * width * rows
    scores = 3 * random.standard_normal(5)
    return {
        "s": column(*scores), "v": random.standard_normal((5, 2)), "c": random.standard_normal(), "j": 2,
        "N": length, "d": width, "M": memory, "F": traffic(length, width, memory), "B": rows, "G": traffic_queries_outside(length, width, memory),
        "H": online(random.standard_normal((length, length)), random.standard_normal((length, width)), blocks)[1],
    }  # fmt: skip


BLOCKS = (1, 2, 4, 8, 16, 32)
APART = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
CHIP = (16.0, 8.0, 4.0, 2.0, 1.0, 0.5)


def exactness(random: np.random.Generator, count: int) -> Sweep:
    def gap(blocks: int) -> float:
        scores, values = 4 * random.standard_normal((8, 32)), random.standard_normal((32, 4))
        return float(np.abs(online(scores, values, blocks)[0] - softmax(scores) @ values).max())

    return Sweep(
        at=BLOCKS,
        predicted=(1e-14,) * len(BLOCKS),
        measured=tuple(tuple(gap(blocks) for _ in range(count)) for blocks in BLOCKS),
    )


def moved(random: np.random.Generator, count: int) -> Sweep:
    lengths, width, memory = (64, 128, 256, 512), 16, 2048
    return Sweep(
        at=lengths,
        predicted=tuple(2.0 * n * width + 12.0 * n**2 * width**2 / memory for n in lengths),
        formula=lambda n: 2.0 * n * width + 12.0 * n**2 * width**2 / memory,
        measured=tuple((float(traffic(n, width, memory)),) for n in lengths),
        also={"with the table: 4Nd + 4N²": tuple(4.0 * n * width + 4.0 * n**2 for n in lengths)},
    )


def not_rescaled(random: np.random.Generator, count: int) -> Sweep:
    def gap(apart: float) -> float:
        scores, values = np.zeros((1, 16)), random.standard_normal((16, 4))
        scores[:, 8:] = apart
        return float(np.abs(online(scores, values, 2, rescaled=False)[0] - softmax(scores) @ values).max())

    return Sweep(
        at=APART,
        predicted=(0.0,) * len(APART),
        measured=tuple(tuple(gap(apart) for _ in range(count)) for apart in APART),
        broken=tuple(apart > 0 for apart in APART),
    )


def small_chip(random: np.random.Generator, count: int) -> Sweep:
    length, width = 512, 16

    def share(chip: float) -> float:
        return traffic(length, width, int(chip * width**2)) / (4 * length * width + 4 * length**2)

    return Sweep(
        at=CHIP,
        predicted=(1.0,) * len(CHIP),
        measured=tuple((share(chip),) for chip in CHIP),
        broken=tuple(chip < 3 for chip in CHIP),
    )


THEOREM = Theorem(
    name="flash-attention",
    title="Flash attention",
    question="Can softmax attention be computed without ever holding its table of weights, and is the result the same?",
    speaks_of=(30, 63, 68),
    elsewhere=("exactness", "linear-attention", "receptive-field"),
    assumptions=(
        "scores $s_j$ of one query come in blocks; of the blocks before, only the largest score, the sum and the weighted values are kept",
        "for traffic: $N$ tokens of width $d$, and a fast memory that holds $M$ numbers, with blocks of $M / (4 d)$ rows",
    ),
    statement="""The result is that of the softmax, exactly. It needs memory for a block of scores instead of $N^2$, and moves
        $$F = 2 N d + \\frac{12 N^2 d^2}{M}$$
        numbers instead of $4 N d + 4 N^2$, which is less as soon as $M > 3 d^2$.""",
    conclusions=(
        Conclusion(
            of="exactness",
            steps=(1, 2, 3, 4, 5, 6),
            answer="Yes, and exactly: blocks of scores that are put on one scale by their largest score give the softmax itself, with a block of scores in memory in place of all N².",
        ),
        Conclusion(
            of="traffic",
            steps=(7, 8, 9),
            answer="It moves 2Nd + 12N²d²/M numbers to and from a fast memory of M numbers, in place of 4Nd + 4N²: fewer as soon as M > 3d².",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="A softmax does not change when the same number is taken from every score; taking the largest keeps every exponential at most 1.",
            formula=r"\frac{\exp(s_j - c)}{\sum_{i=1}^{5} \exp(s_i - c)} = \frac{\exp(s_j)}{\sum_{i=1}^{5} \exp(s_i)}",
        ),
        ProofStep(
            text="Two blocks, here of three and two keys. Each has its own largest score, its own sum, and its own weighted values.",
            formula=r"m_1 \coloneqq \max_{j=1}^{3} s_j, \quad l_1 \coloneqq \sum_{j=1}^{3} \exp(s_j - m_1), \quad o_1 \coloneqq \sum_{j=1}^{3} \exp(s_j - m_1) v_j",
        ),
        ProofStep(
            text="The second block likewise.",
            formula=r"m_2 \coloneqq \max_{j=4}^{5} s_j, \quad l_2 \coloneqq \sum_{j=4}^{5} \exp(s_j - m_2), \quad o_2 \coloneqq \sum_{j=4}^{5} \exp(s_j - m_2) v_j",
        ),
        ProofStep(
            text="The two are put on one scale by a factor for each: this is all that has to be done when a larger score turns up.",
            formula=r"m \coloneqq \max(m_1, m_2), \quad l \coloneqq \exp(m_1 - m) l_1 + \exp(m_2 - m) l_2, \quad l = \sum_{j=1}^{5} \exp(s_j - m)",
        ),
        ProofStep(
            text="With the values too, the quotient is the softmax average over all keys. Nothing was approximated; and since the merged triple is again one of the same kind, it goes on so for any number of blocks.",
            formula=r"o \coloneqq \exp(m_1 - m) o_1 + \exp(m_2 - m) o_2, \quad \frac{o}{l} = \frac{\sum_{j=1}^{5} \exp(s_j) v_j}{\sum_{j=1}^{5} \exp(s_j)}",
        ),
        ProofStep(
            text="Memory: for $N$ queries against a block of $B$ keys, $N B$ scores are held at once ($H$ counted), and not $N^2$; with blocks of queries too, $B^2$.",
            formula=r"H = N B",
        ),
        ProofStep(
            text="Traffic, with the loop over keys outside. Keys and values come in once; for each of the $N / B$ blocks of keys, queries come in and outputs come in and go out ($F$ counted). Blocks are as large as fits: four of them fill the fast memory.",
            formula=r"B = \frac{M}{4 d}, \quad F = 2 N d + 3 N d \frac{N}{B} = 2 N d + \frac{12 N^2 d^2}{M}",
        ),
        ProofStep(
            text="The table would be written and read twice, before and after the softmax. Up to the terms in $N d$, the ratio of the two is:",
            formula=r"\frac{12 N^2 d^2}{M} = \frac{3 d^2}{M} 4 N^2",
        ),
        ProofStep(
            text="The other order of the two loops has the queries outside. Then queries come in and outputs go out once, and keys and values come in for each of the $N / B$ blocks of queries ($G$ counted): unfinished outputs are not moved, and with blocks of the same size two in place of three cross each time. This is the count of [[exactness]].",
            formula=r"G = 2 N d + 2 N d \frac{N}{B}, \quad F - G = N d \frac{N}{B}",
        ),
    ),
    trials=(
        Trial(
            title="gap to the softmax",
            knob="blocks",
            quantity="largest gap",
            measure=exactness,
            relation="≤",
            scales=("log", "log"),
            caption="Largest difference between the result by blocks and the softmax in one piece, in double precision: rounding (below 10⁻¹⁴, the solid line), at any number of blocks.",
        ),
        Trial(
            title="numbers moved",
            knob="tokens N (d = 16, M = 2048)",
            quantity="numbers moved",
            measure=moved,
            relation="≡",
            scales=("log", "log"),
            caption="Numbers moved to and from slow memory with the loop over keys outside, counted block by block (points), and 2Nd + 12N²d²/M (solid line), beside attention that writes its table (dashed).",
        ),
    ),
    breaks=(
        Trial(
            title="blocks put together without the factor",
            knob="difference of the blocks' largest scores",
            quantity="largest gap to the softmax",
            measure=not_rescaled,
            relation="≡",
            caption="What comes out if the blocks are added without putting them on one scale. It is right only where both have the same largest score.",
        ),
        Trial(
            title="a fast memory that is too small",
            knob="fast memory M, in units of d²",
            quantity="numbers moved / with the table",
            measure=small_chip,
            relation="≤",
            scales=("log", "log"),
            caption="Traffic as a share of that with the table (1: the solid line). Below M = 3d² the blocks are so small that queries and outputs are moved more often than the table would be.",
        ),
    ),
    meaning="""Flash attention does not compute less: it takes the same $N^2 d$ multiplications, and a few more on the way back. It moves less, and a processor that waits for memory most of the time is faster for it. Cost stays quadratic in $N$; memory becomes linear.""",
    correction="""The answer to Amsterdam A2, 2.9, gives speed and memory as benefits; it should say that the output is exact, that memory is of order $N$ instead of $N^2$, and that accesses are of order $N^2 d^2 / M$ against $N d + N^2$. Berkeley HW6, 3(c), counts every product for the
        memory of the softmax; $N^2 + N (D + M)$ numbers are enough.""",
    instances=30,
    seconds=1.0,
)
