"""A linear autoencoder learns the span of the principal components: its gradients, its stationary points, its optimum."""

from typing import Any

import numpy as np

from regard.theory.theorem import Conclusion, ProofStep, Sweep, Theorem, Trial

WIDTH, POINTS, CODE = 4, 6, 2


def point(random: np.random.Generator) -> dict[str, Any]:
    left, _, right = np.linalg.svd(random.standard_normal((WIDTH, POINTS)), full_matrices=False)
    high, low = random.uniform(2.0, 3.0), random.uniform(0.5, 1.5)
    values = np.array([high + 0.6, high, low, low - 0.2])
    x = left * values @ right
    turn = np.linalg.qr(random.standard_normal((WIDTH, CODE)))[0]
    return {
        "X": x, "n": POINTS, "k": CODE, "m": WIDTH, "I": np.eye(WIDTH), "u": left.T, "v": right, "s": values[:, None],
        "W_1": random.standard_normal((CODE, WIDTH)), "W_2": random.standard_normal((WIDTH, CODE)),
        "A": random.standard_normal((WIDTH, POINTS)), "B": random.standard_normal((3, WIDTH)),
        "U": left[:, :CODE], "E": left[:, [1, 3]], "C": random.standard_normal((CODE, CODE)), "G": turn, "i": 3,
    }  # fmt: skip


def fit(x: np.ndarray, code: int, random: np.random.Generator) -> np.ndarray:
    """Decoder times encoder, by solving for each in turn: each step sets one of the two gradients to zero. Batched.

    Singular values that are close take many rounds; each instance ends when its plane no longer turns.
    """
    decoder = random.standard_normal((*x.shape[:-1], code))
    learned = np.zeros((*x.shape[:-1], x.shape[-2]))
    turning = np.arange(len(x))
    while turning.size:
        encoder = np.linalg.pinv(decoder[turning])
        plane = decoder[turning] @ encoder
        turned = np.abs(plane - learned[turning]).max((1, 2))
        learned[turning] = plane
        decoder[turning] = x[turning] @ np.linalg.pinv(encoder @ x[turning])
        turning = turning[turned > TURN]
    return learned


TURN = 1e-11
"Largest change of an entry of the learned projection in a round after which it is taken for the last."


def _data(random: np.random.Generator, count: int, offset: float = 0.0) -> np.ndarray:
    """40 centred points of variances 4, 2, 1, ... in random directions, then moved along the least of them."""
    turn = np.linalg.qr(random.standard_normal((count, 8, 8)))[0]
    x = random.standard_normal((count, 8, 40)) * np.sqrt(4.0 * 0.5 ** np.arange(8))[:, None]
    return turn @ (x - x.mean(2, keepdims=True) + offset * np.eye(8)[:, -1:])


CODES = (1, 2, 3, 4, 5, 6)
OFFSETS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)


def trained(random: np.random.Generator, count: int) -> Sweep:
    x = _data(random, count)
    values = np.linalg.svd(x, compute_uv=False) ** 2 / x.shape[-1]

    def losses(code: int) -> tuple[float, ...]:
        return tuple(((x - fit(x, code, random) @ x) ** 2).sum((1, 2)) / x.shape[-1])

    return Sweep(
        at=CODES,
        predicted=tuple(float(values[:, code:].sum(1).mean()) for code in CODES),
        each=tuple(tuple(values[:, code:].sum(1)) for code in CODES),
        measured=tuple(losses(code) for code in CODES),
    )


def off_centre(random: np.random.Generator, count: int) -> Sweep:
    def sine(offset: float) -> tuple[float, ...]:
        x = _data(random, count, offset)
        principal = np.linalg.svd(x - x.mean(2, keepdims=True))[0][..., :2]
        return tuple(np.linalg.norm(principal - fit(x, 2, random) @ principal, 2, axis=(1, 2)))

    return Sweep(
        at=OFFSETS,
        predicted=(0.0,) * len(OFFSETS),
        measured=tuple(sine(offset) for offset in OFFSETS),
        broken=tuple(offset > 0 for offset in OFFSETS),
    )


THEOREM = Theorem(
    name="linear-autoencoder",
    title="A linear autoencoder is PCA",
    question="What does a linear autoencoder learn?",
    speaks_of=(37, 38),
    elsewhere=("pca", "autoencoders"),
    assumptions=(
        "encoder $W_1$ ($k \\times m$) and decoder $W_2$ ($m \\times k$) are linear, without activation and bias; the loss is the mean squared error over the columns of $X$ ($m \\times n$)",
        "to be called PCA, the data are centred; for the span to be unique, $s_k > s_{k+1}$",
    ),
    statement="""With $X = \\sum_{i=1}^{m} s_i u_i v_i^\\top$ and $U$ the first $k$ left singular vectors, the smallest loss is
        $$L = \\frac{1}{n} \\sum_{i=k+1}^{m} s_i^2$$
        and it is reached exactly where $W_2 W_1 = U U^\\top$, the projection onto the principal directions. The weights themselves are free up to an invertible $k \\times k$ matrix.""",
    conclusions=(
        Conclusion(
            of="the first-order conditions",
            steps=(1, 2, 3, 4, 5, 6),
            answer="At its best a linear autoencoder fulfils (I − W₂W₁)XXᵀW₁ᵀ = 0 and W₂ᵀ(I − W₂W₁)XXᵀ = 0; the principal directions do, and so does any other set of singular vectors.",
        ),
        Conclusion(
            of="the optimum",
            steps=(7, 8, 9, 10),
            answer="It learns the span of the principal directions: W₂W₁ = UUᵀ and nothing else has the smallest loss, the sum of the variances left out, and the weights themselves are free up to an invertible matrix.",
        ),
    ),
    point=point,
    steps=(
        ProofStep(
            text="The loss, with $R$ for what the network leaves of a point.",
            formula=r"R \coloneqq I - W_2 W_1, \quad L \coloneqq \frac{1}{n} \lVert X - W_2 W_1 X \rVert_F^2, \quad L = \frac{1}{n} \mathrm{tr}(R X X^\top R^\top)",
        ),
        ProofStep(
            text="The gradient of a squared norm; the factor 2 belongs to it.",
            formula=r"\nabla_B \lVert B A \rVert_F^2 = 2 B A A^\top",
        ),
        ProofStep(
            text="So both gradients of the loss, by the chain rule. Each has the shape of its weight. Where both are 0, the first-order conditions hold.",
            formula=r"\nabla_{W_2} L = -\frac{2}{n} R X X^\top W_1^\top, \quad \nabla_{W_1} L = -\frac{2}{n} W_2^\top R X X^\top",
        ),
        ProofStep(
            text="The data by their singular values: left vectors $u_i$ are the principal directions, and $s_i^2 / n$ the variance along them.",
            formula=r"X = \sum_{i=1}^{m} s_i u_i v_i^\top, \quad X X^\top u_i = s_i^2 u_i",
        ),
        ProofStep(
            text="The principal directions $U$ as decoder and transposed as encoder fulfil the conditions: the rest $I - U U^\\top$ has nothing along them.",
            formula=r"(I - U U^\top) X X^\top U = 0, \quad U^\top (I - U U^\top) X X^\top = 0",
        ),
        ProofStep(
            text="But so do any other $k$ of the directions, such as the second and fourth, $E$: these are saddles, with the variances of what they leave out as loss.",
            formula=r"(I - E E^\top) X X^\top E = 0, \quad \lVert X - E E^\top X \rVert_F^2 = s_1^2 + s_3^2",
        ),
        ProofStep(
            text="The optimum. For a given span, with orthonormal basis $G$, projection is the best that can be done, and what it keeps is a weighted sum of the $s_i^2$.",
            formula=r"p_i \coloneqq u_i^\top G G^\top u_i, \quad \lVert X - G G^\top X \rVert_F^2 = \sum_{i=1}^{m} (1 - p_i) s_i^2",
        ),
        ProofStep(
            text="The shares $p_i$ lie between 0 and 1 and sum to $k$; for the span of $U$ the first $k$ are 1. Against it, another span loses $1 - p_i$ of the large variances and gains $p_i$ of the small ones.",
            formula=r"\sum_{i=1}^{m} p_i = k, \quad \lVert X - U U^\top X \rVert_F^2 = \sum_{i=k+1}^{m} s_i^2, "
            r"\quad \lVert X - G G^\top X \rVert_F^2 - \lVert X - U U^\top X \rVert_F^2 = \sum_{i=1}^{k} (1 - p_i) s_i^2 - \sum_{i=k+1}^{m} p_i s_i^2",
        ),
        ProofStep(
            text="The shares lost and gained are equal, what is lost weighs at least $s_k^2$, and what is gained at most $s_{k+1}^2$: every term on the right is positive or 0. So no span does better than $U$, and none does as well that gives a share to the small variances.",
            formula=r"\sum_{i=1}^{k} (1 - p_i) = \sum_{i=k+1}^{m} p_i, "
            r"\quad \sum_{i=1}^{k} (1 - p_i) s_i^2 - \sum_{i=k+1}^{m} p_i s_i^2 = (s_k^2 - s_{k+1}^2) \sum_{i=k+1}^{m} p_i + \sum_{i=1}^{k} (1 - p_i) (s_i^2 - s_k^2) + \sum_{i=k+1}^{m} p_i (s_{k+1}^2 - s_i^2)",
        ),
        ProofStep(
            text="Only the product is determined: any invertible $C$ between the two weights cancels.",
            formula=r"(U C) (C^{-1} U^\top) = U U^\top",
        ),
    ),
    trials=(
        Trial(
            title="loss after training",
            knob="width k of the code (m = 8)",
            quantity="squared error per point",
            measure=trained,
            relation="≡",
            caption="Loss of linear autoencoders trained from random weights by solving for each weight in turn (points), and the sum of the variances left out (solid line). No run stops at one of the saddles.",
        ),
    ),
    breaks=(
        Trial(
            title="data that are not centred",
            knob="distance of the mean from 0",
            quantity="sine of the angle to the principal plane",
            measure=off_centre,
            relation="≡",
            caption="Angle between what the autoencoder learns (k = 2) and the plane of the two principal components. Without a bias it minimises the second moments, not the variances: once the mean is farther out than the second component is wide (√2), the mean itself is learned as a direction.",
        ),
    ),
    meaning="""A linear autoencoder finds the same plane as PCA and nothing more: not the components themselves, whose order and axes the loss does not see. All stationary points but the best are saddles, so gradient descent gets there. Depth without
        activations adds nothing; an activation is what makes an autoencoder more than PCA.""",
    correction="""Berkeley HW6, 4(b), lacks the factor 2 in the gradient of $\\lVert W A \\rVert^2$ and sign and $2/n$ in that of $W_2$; its gradient of $W_1$ has the shape $m \\times k$ where $W_1$ is $k \\times m$. It writes $X$ as a sum of $s_i u_i u_i^\\top$ though $X$ is
        not square, says eigenvalues for singular values, and calls the optimum unique up to sign; only the product is unique.""",
    instances=30,
    seconds=1.5,
)
