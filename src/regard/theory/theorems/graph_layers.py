"""Graphs as matrices: walks, the Laplacian, one layer in three forms, and an aggregation that has no matrix."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial
from regard.theory.value import column

NODES, WIDTH, OUT = 5, 3, 2


def graph(random: np.random.Generator, nodes: int = NODES, chance: float = 0.4) -> np.ndarray:
    """The adjacency matrix of a random graph in which every node has a neighbour: a ring, and edges at random."""
    edges = np.triu(random.random((nodes, nodes)) < chance, 1).astype(float)
    ring = np.roll(np.eye(nodes), 1, 0)
    return np.minimum(edges + edges.T + ring + ring.T, 1.0)


def walks(
    adjacency: np.ndarray, start: int, length: int, *, again: bool = True, seen: frozenset = frozenset()
) -> np.ndarray:
    """How many walks of a length lead from a node to each other, by trying every one; without `again`, only paths."""
    if length == 0:
        return np.eye(len(adjacency))[start]
    seen = seen | {start}
    steps = [int(node) for node in np.flatnonzero(adjacency[start]) if again or node not in seen]
    return sum(
        (walks(adjacency, node, length - 1, again=again, seen=seen) for node in steps),
        np.zeros(len(adjacency)),
    )


def point(random: np.random.Generator) -> dict[str, Any]:
    a = graph(random)
    node = int(random.integers(NODES))
    degrees = a.sum(1)
    return {
        "A": a, "D": np.diag(degrees), "R": np.diag(degrees**-0.5), "d": column(*degrees), "n": NODES, "i": 2, "j": 4, "v": node + 1,
        "T": np.array([walks(a, start, 3) for start in range(NODES)]), "N": [int(one) + 1 for one in np.flatnonzero(a[node])],
        "x": column(*random.standard_normal(NODES)), "H": random.standard_normal((NODES, WIDTH)),
        "W": random.standard_normal((OUT, WIDTH)), "B": random.standard_normal((OUT, WIDTH)), "e": np.ones((NODES, 1)),
        "a": column(1, 0, 0), "b": column(0, 1, 0), "s": random.standard_normal((NODES, NODES)),
    }  # fmt: skip


LENGTHS = (1, 2, 3, 4, 5)
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def counted_walks(random: np.random.Generator, count: int) -> Sweep:
    graphs = [graph(random, 6, 0.2) for _ in range(max(2, count // 10))]

    def number(length: int, again: bool) -> tuple[float, ...]:
        return tuple(
            float(sum(walks(a, start, length, again=again).sum() for start in range(6))) for a in graphs
        )

    each = tuple(tuple(float(np.linalg.matrix_power(a, length).sum()) for a in graphs) for length in LENGTHS)
    return Sweep(
        at=LENGTHS,
        predicted=tuple(float(np.mean(one)) for one in each),
        each=each,
        measured=tuple(number(length, True) for length in LENGTHS),
        also={"paths: no node twice": tuple(float(np.mean(number(length, False))) for length in LENGTHS)},
    )


def median_share(random: np.random.Generator, count: int) -> Sweep:
    def gap(share: float) -> float:
        x, y = random.standard_normal((2, 7))

        def gathered(z: np.ndarray) -> float:
            return float((1 - share) * z.mean() + share * np.median(z))

        return abs(gathered(x + y) - gathered(x) - gathered(y))

    return Sweep(
        at=SHARES,
        predicted=(0.0,) * len(SHARES),
        measured=tuple(tuple(gap(share) for _ in range(count)) for share in SHARES),
        broken=tuple(share > 0 for share in SHARES),
    )


def one_way_streets(random: np.random.Generator, count: int) -> Sweep:
    def gap(share: float) -> float:
        a = graph(random, 8)
        a *= 1 - np.triu(random.random(a.shape) < share)
        x = random.standard_normal(8)
        form = x @ (np.diag(a.sum(1)) - a) @ x
        return abs(form - 0.5 * (a * (x[:, None] - x[None]) ** 2).sum())

    return Sweep(
        at=SHARES,
        predicted=(0.0,) * len(SHARES),
        measured=tuple(tuple(gap(share) for _ in range(count)) for share in SHARES),
        broken=tuple(share > 0 for share in SHARES),
    )


THEOREM = Theorem(
    name="graph-layers",
    title="Graphs as matrices",
    question="What do powers of the adjacency matrix count, what does the Laplacian measure, and when is a graph layer a matrix product?",
    speaks_of=(69, 70, 71, 72, 73, 74, 75, 76),
    elsewhere=("graph-algebra", "karate", "cora"),
    assumptions=(
        "$A$ is the symmetric 0-1 adjacency matrix of a graph, $D$ the diagonal of its degrees, none of which is 0; $H$ holds one row of features per node",
        "a layer takes the mean over the neighbours $N$ of a node $v$ times $W$, and the node itself times $B$, then an activation in each entry",
    ),
    statement="""$A^n$ counts walks of length $n$, and with $L = D - A$ the form $x^\\top L x$ sums squared differences over edges. The layer is, for all nodes at once,
        $$H' = \\tanh(D^{-1} A H W^\\top + H B^\\top)$$
        (tanh stands for any activation). With a median in place of the mean there is no such form.""",
    conclusions=(
        Conclusion(
            of="walks and the Laplacian",
            steps=(1, 2, 3, 4),
            answer="Aⁿ counts the walks of length n between two nodes, which may meet a node twice; the Laplacian D − A measures differences: xᵀ(D − A)x is the sum of their squares over the edges.",
        ),
        Conclusion(
            of="layers as matrices",
            steps=(5, 6, 7, 8, 9, 10),
            answer="A layer that takes means is a product of matrices, σ(D⁻¹AHWᵀ + HBᵀ); one that takes medians has no such form, and graph attention puts weights in place of the means.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="A walk of two steps from $i$ to $j$ goes through some node $k$: one for each $k$ with both edges. That is the entry of the square.",
            formula=r"(A^2)_{i,j} = \sum_{k=1}^{n} A_{i,k} A_{k,j}, \quad (A^2)_{i,i} = d_i",
        ),
        ProofStep(
            text="By induction $A^n$ counts walks of length $n$; here $T$ is a count of all walks of length 3, made by trying each. They are walks and not paths: a node may come again.",
            formula=r"A^3 = T",
        ),
        ProofStep(
            text="The Laplacian takes from each node's value those of its neighbours: it measures differences, and is 0 on constants, whatever the degrees.",
            formula=r"L \coloneqq D - A, \quad (L x)_i = \sum_{k=1}^{n} A_{i,k} (x_i - x_k), \quad L e = 0",
        ),
        ProofStep(
            text="Summed with $x$ it is the squared difference along each edge, once; so $L$ has no negative eigenvalue.",
            formula=r"x^\top L x = \frac{1}{2} \sum_{i=1}^{n} \sum_{k=1}^{n} A_{i,k} (x_i - x_k)^2",
        ),
        ProofStep(
            text="A layer, node by node: the message is the mean over the neighbours $N$ of node $v$, the update mixes it with the node itself. $B H_v$ is a self-connection and not a bias: without it a node forgets itself after every layer.",
            formula=r"m \coloneqq \sum_{u \in N} \frac{H_u}{|N|}, \quad h \coloneqq \tanh(W m + B H_v)",
        ),
        ProofStep(
            text="The means of all nodes are the rows of $D^{-1} A H$.",
            formula=r"(D^{-1} A H)_v = m",
        ),
        ProofStep(
            text="So the layer as matrices. Features are rows here and columns in the formula for one node, hence the transposes.",
            formula=r"G \coloneqq \tanh(D^{-1} A H W^\top + H B^\top), \quad G_v = h",
        ),
        ProofStep(
            text="The mean weights all neighbours of a node alike and its rows sum to 1. The symmetric form ($R$ is the diagonal of $1 / \\sqrt{d_i}$) weights by both degrees and its rows do not.",
            formula=r"D^{-1} A e = e, \quad (R A R)_{i,j} = \frac{A_{i,j}}{\sqrt{d_i d_j}}",
        ),
        ProofStep(
            text="Graph attention puts weights in their place that depend on the features, through scores $s$, over neighbours alone. On a complete graph these are the softmax weights of a transformer; a causal mask is a directed graph.",
            formula=r"w_k \coloneqq \frac{A_{v,k} \exp(s_{v,k})}{\sum_{j=1}^{n} A_{v,j} \exp(s_{v,j})}, \quad \sum_{k=1}^{n} w_k = 1, \quad \sum_{k=1}^{n} (1 - A_{v,k}) w_k = 0",
        ),
        ProofStep(
            text="What a matrix computes is additive. A median is not: with $a = (1, 0, 0)$ and $b = (0, 1, 0)$ it is 0 for each and 1 for the sum. So no matrix gives a median, and no sum of messages that are linear in the features. (Nonlinear messages with a nonlinear update can: from the sums of powers of the values their median can be computed. That is no matrix form.)",
            formula=r"\mathrm{median}(a) = 0, \quad \mathrm{median}(b) = 0, \quad \mathrm{median}(a + b) = 1",
        ),
    ),
    trials=(
        Trial(
            title="walks by powers",
            knob="length n of the walk",
            quantity="walks in the whole graph",
            measure=counted_walks,
            relation="≡",
            scales=("linear", "log"),
            caption="Walks of length n in random graphs of six nodes, counted by trying each (points), and the sum of the entries of Aⁿ (solid line). Dashed are the paths among them, which visit no node twice.",
        ),
    ),
    breaks=(
        Trial(
            title="an aggregation that is no mean",
            knob="share of the median in the aggregation",
            quantity="|f(x + y) − f(x) − f(y)|",
            measure=median_share,
            relation="≡",
            caption="What is missing to additivity when the mean is mixed with the median. A matrix form needs 0 (solid line); any share of the median breaks it.",
        ),
        Trial(
            title="one-way edges",
            knob="share of edges that are one-way",
            quantity="|xᵀLx − sum over edges|",
            measure=one_way_streets,
            relation="≡",
            caption="The quadratic form of the Laplacian against the sum of squared differences, when some edges count in one direction only. The two agree for symmetric A alone.",
        ),
    ),
    meaning="""Everything linear on a graph is a matrix, and the three forms of a layer are one computation: sums over neighbours for reading, matrices for running. Max and median aggregation are outside: they are computed beside the matrices, not by them.
        The mean of a node's neighbours blurs, and repeated it makes all nodes alike; the self-connection slows that and does not prevent it.""",
    correction="""The answers to Amsterdam A2: 3.1(b) says paths where $A^n$ counts walks; 3.1(c) names nodes 2, 3 and 5 as those of degree 3, which are 2, 4 and 5, and takes the degree for the size of $(L X)_v$, which is 0 on constants; 3.2(a) calls the self-connection a bias;
        3.3(a) drops the transposes; 3.4(a) calls the weights of a GCN equal, as those of its Eq. 6 are; those of Kipf and Welling's are $1 / \\sqrt{d_u d_v}$. Toronto A4 says that rows sum to one, which is true of $D^{-1} A$ and not of the symmetric form that it uses.""",
    instances=120,
    seconds=1.5,
)
