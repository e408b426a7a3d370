"""Beam search: what it costs, what it misses, and when it misses nothing."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial

WORDS, LENGTH = 3, 4


def table(random: np.random.Generator, words: int = WORDS, length: int = LENGTH) -> list[np.ndarray]:
    """Log-probabilities of the next word after every beginning: one array per length of the beginning."""
    made = []
    for step in range(length):
        scores = 1.5 * random.standard_normal((words,) * (step + 1))
        made.append(scores - np.log(np.exp(scores).sum(-1, keepdims=True)))
    return made


def search(tables: list[np.ndarray], beams: int) -> tuple[float, int]:
    """The best total that so many beams find, and how many continuations were scored."""
    kept: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    scored = 0
    for one in tables:
        longer = [
            (total + float(one[(*words, word)]), (*words, word))
            for total, words in kept
            for word in range(one.shape[-1])
        ]
        scored += len(longer)
        kept = sorted(longer, reverse=True)[:beams]
    return kept[0][0], scored


def best(tables: list[np.ndarray]) -> float:
    """The largest total over all sequences."""
    total = np.zeros(())
    for one in tables:
        total = total[..., None] + one
    return float(total.max())


def worst_rank(tables: list[np.ndarray]) -> int:
    """The worst place that a beginning of the best sequence has among all beginnings of its length, from 1 on."""
    totals = [np.zeros(())]
    for one in tables:
        totals.append(totals[-1][..., None] + one)
    winner = np.unravel_index(totals[-1].argmax(), totals[-1].shape)
    return max(int((total > total[winner[: total.ndim]]).sum()) + 1 for total in totals)


def trap(random: np.random.Generator, words: int = WORDS, length: int = LENGTH) -> list[np.ndarray]:
    """A tree on which all beams but one are too few: beginnings nearly alike, and the least of them goes on with certainty."""
    made = [one / 100 for one in table(random, words, length)]
    made = [one - np.log(np.exp(one).sum(-1, keepdims=True)) for one in made]
    made[-1] = np.full((words,) * length, -np.log(words))
    least = np.unravel_index(beginnings(made).argmin(), made[-1].shape[:-1])
    made[-1][least] = [0.0, *([-np.inf] * (words - 1))]
    return made


def beginnings(tables: list[np.ndarray]) -> np.ndarray:
    """The log-probabilities of all sequences but for their last word."""
    total = np.zeros(())
    for one in tables[:-1]:
        total = total[..., None] + one
    return total


def point(random: np.random.Generator) -> dict[str, Any]:
    tables, trapped = table(random), trap(random)
    begun = np.exp(beginnings(trapped))
    return {
        "M": WORDS, "T": LENGTH, "K": 2, "C": search(tables, 2)[1], "N": sum(WORDS**step for step in range(1, LENGTH + 1)),
        "G": search(tables, WORDS ** (LENGTH - 1))[0], "O": best(tables), "R": search(tables, worst_rank(tables))[0],
        "Y": best(trapped), "Z": search(trapped, WORDS ** (LENGTH - 1) - 1)[0], "a": begun.min(), "b": begun.max(),
    }  # fmt: skip


BEAMS = (1, 2, 3, 4, 6, 9)
FEWER = (27, 18, 9, 4, 2, 1)


def continuations(random: np.random.Generator, count: int) -> Sweep:
    length, words = 4, 9
    tables = table(random, words, length)
    return Sweep(
        at=BEAMS,
        predicted=tuple(float(words + (length - 1) * beams * words) for beams in BEAMS),
        measured=tuple((float(search(tables, beams)[1]),) for beams in BEAMS),
        also={"all sequences": (float(sum(words**step for step in range(1, length + 1))),) * len(BEAMS)},
    )


def missed(random: np.random.Generator, count: int) -> Sweep:
    instances = [table(random) for _ in range(count)]
    return Sweep(
        at=FEWER,
        predicted=(0.0,) * len(FEWER),
        measured=tuple(
            tuple(float(best(one) - search(one, beams)[0] > 1e-9) for one in instances) for beams in FEWER
        ),
        broken=tuple(beams < WORDS ** (LENGTH - 1) for beams in FEWER),
    )


THEOREM = Theorem(
    name="beam-search",
    title="Beam search",
    question="What does beam search cost, and does it find the most probable sequence?",
    speaks_of=(39, 40, 41),
    elsewhere=("decoding",),
    assumptions=(
        "sequences of $T$ tokens from $M$; a sequence's score is the sum of the log-probabilities of its tokens, each given those before",
        "beam search keeps the $K$ best beginnings of each length; for the cost, $K \\le M$",
    ),
    statement="""Beam search scores $C = M + (T - 1) K M$ continuations. There are $M^T$ sequences; with fewer than $M^{T-1}$ beams the best of them can be lost, and in Berkeley HW6's example it is.""",
    conclusions=(
        Conclusion(
            of="what beam search finds",
            steps=(1, 2, 3, 4, 8, 9, 10),
            answer="No, it need not find the most probable sequence: a beginning that is dropped does not come back, however well it would go on, and for any number of beams short of all Mᵀ⁻¹ beginnings there is a tree on which it fails; with as many beams as the worst rank of a beginning of that sequence it cannot miss it.",
        ),
        Conclusion(
            of="what beam search costs",
            steps=(5, 6, 7),
            answer="It scores M + (T − 1)KM continuations: O(TKM) with selection, O(TKM log M) with sorting, where trying every sequence takes more than Mᵀ.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="Berkeley HW6's tree, two words and two beams. After one word both are kept, with $-0.65$ and $-0.73$. After two, four beginnings compete, and these two are the best:",
            formula=r"-0.65 - 0.6 = -1.25, \quad -0.73 - 0.6 = -1.33",
        ),
        ProofStep(
            text="The beginning neural neural is dropped, since it comes third, behind by 0.12.",
            formula=r"-0.65 - 0.8 = -1.45, \quad -1.33 - (-1.45) = 0.12",
        ),
        ProofStep(
            text="After three words beam search returns the first of these.",
            formula=r"-1.25 - 0.6 = -1.85, \quad -1.33 - 0.6 = -1.93",
        ),
        ProofStep(
            text="But the dropped beginning goes on with $-0.01$ and would have won, by 0.39. A beam looks back and never forward: a good continuation does not help a beginning that is no longer there.",
            formula=r"-1.45 - 0.01 = -1.46, \quad -1.46 - (-1.85) = 0.39",
        ),
        ProofStep(
            text="The cost. The first step scores $M$ words, each later one $M$ continuations of each of $K$ beams ($C$ counted by running it).",
            formula=r"C = M + (T - 1) K M",
        ),
        ProofStep(
            text="Choosing the best $K$ by sorting costs $K M \\log(K M)$ comparisons per step, which is of the order of $K M \\log(M)$ as $K \\le M$; a selection in one pass needs only $K M$. So $T K M \\log(M)$ with sorting, $T K M$ without.",
            formula=r"K M \log(K M) = K M \log(K) + K M \log(M)",
        ),
        ProofStep(
            text="Trying everything scores every beginning of every length, which is exponential in $T$.",
            formula=r"N = \sum_{t=1}^{T} M^t = \frac{M (M^T - 1)}{M - 1}",
        ),
        ProofStep(
            text="With $M^{T-1}$ beams nothing is ever dropped before the last word, so what is found, $G$, is the best of all, $O$.",
            formula=r"G = O",
        ),
        ProofStep(
            text="With one beam less the best can be lost already. Let all beginnings be nearly alike, from $b$ for the most probable down to $a$ for the least, with $b < M a$; let the least go on with certainty, and all others with every word alike. "
            "The least is dropped, and with it the best sequence: $Y$ is the best of all, $Z$ what is found. Fewer beams drop it too.",
            formula=r"Y = \log(a), \quad Z = \log(\frac{b}{M}), \quad Z \le Y",
        ),
        ProofStep(
            text="On a given tree fewer may do. Let every beginning of the best sequence be among the $W$ most probable of its length: $W$ is its worst rank. A beginning is dropped only where $W$ others are kept that are better, "
            "and less than $W$ are better at all; so with $W$ beams what is found, $R$, is the best of all.",
            formula=r"R = O",
        ),
    ),
    trials=(
        Trial(
            title="continuations scored",
            knob="beams K (M = 9 words, T = 4)",
            quantity="continuations",
            measure=continuations,
            relation="≡",
            scales=("linear", "log"),
            caption="Continuations that beam search scores, counted (points), and M + (T − 1)KM (solid line); to try every sequence would take the number above (dashed).",
        ),
    ),
    breaks=(
        Trial(
            title="fewer beams than beginnings",
            knob="beams K (M = 3 words, T = 4: 27 beginnings)",
            quantity="trees whose best is lost",
            measure=missed,
            relation="≡",
            caption="Share of random trees on which the sequence found is not the best. With as many beams as beginnings none can be lost (solid line). Look how the share grows towards greedy search (K = 1), and with how few beams of random trees none is seen lost, though step 9 makes one that is.",
        ),
    ),
    meaning="""Beam search is greedy search with a memory: linear in everything, and without a guarantee. Berkeley HW6's tree shows two beams of four failing; step 9 has a tree for every number short of all. How often it happens on trees drawn at random is another question, which the right panel of the figure answers for one kind of them.""",
    correction="""Berkeley HW6's answer to 5(e), $T K M \\log(M)$, is that of sorting, as it says itself; it is not the least: with a selection in one pass it is $T K M$.""",
    instances=400,
    seconds=1.0,
)
