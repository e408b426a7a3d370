"""The rows of the table: each equals a formula of its own, in value and gradient, and each law can fail."""

from math import inf, pi
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.mask import Mask
from regard.core.normalise import Divide, Mean, Raw, Symmetric
from regard.core.position import Relative, Rotary
from regard.core.similarity import (
    Additive,
    Constant,
    Cosine,
    Dot,
    Gaussian,
    Kernel,
    polynomial,
)
from regard.core.support import Causal, Full, Grid

TOLERANCE = 1e-10
SIZES = st.sampled_from([1, 2, 3, 5])


def draw(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)


def tensors(b: int, h: int, n: int, m: int, d: int, c: int, seed: int) -> list[Tensor]:
    return [draw(b, h, n, d, seed=seed), draw(b, h, m, d, seed=seed + 1), draw(b, h, m, c, seed=seed + 2)]


def gap(ours: Tensor, formula: Tensor, leaves: list[Tensor]) -> float:
    """The largest difference of two results, in value and in the gradient of every leaf."""
    assert ours.shape == formula.shape
    pull = torch.randn(ours.shape, generator=torch.Generator().manual_seed(0), dtype=ours.dtype)
    slopes = [
        torch.autograd.grad(y, leaves, pull, retain_graph=True, allow_unused=True, materialize_grads=True)
        for y in (ours, formula)
    ]
    gaps = [
        (a - b).detach().abs().max()
        for a, b in zip((ours, *slopes[0]), (formula, *slopes[1]), strict=True)
        if a.numel()
    ]
    assert all(x.isfinite() for x in gaps)
    return float(max(gaps, default=torch.zeros(())))


def by_loops(q: Tensor, k: Tensor, v: Tensor, score, sees=lambda i, j: True, powers=torch.exp) -> Tensor:
    """sum over j of powers(score) v_j / sum of powers(score), pair by pair; `score` takes q_i, k_j, i, j."""
    rows = []
    for i in range(q.shape[2]):
        seen = [j for j in range(k.shape[2]) if sees(i, j)]
        p = [powers(score(q[:, :, i], k[:, :, j], i, j)).unsqueeze(-1) for j in seen]
        total = sum(w * v[:, :, j] for w, j in zip(p, seen, strict=True))
        rows.append(total / sum(p) if seen else torch.zeros_like(v[:, :, 0]))
    return torch.stack(rows, 2)


def dot(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).sum(-1)


# Each row gives ours, the formula, ours with a planted fault, and the tensors that get gradients.


def transformer(s, causal: bool) -> SimpleNamespace:
    q, k, v = leaves = tensors(s.b, s.h, s.n, s.m, s.d, s.c, s.seed)
    if causal:
        k, v = leaves[1:] = [draw(s.b, s.h, s.n + s.m, w, seed=s.seed) for w in (s.d, s.c)]
    keys = k.shape[2]
    support = Causal() if causal else Full()
    return SimpleNamespace(
        leaves=leaves,
        ours=lambda backend: attend(q, k, v, support=support, backend=backend).output,
        formula=lambda: by_loops(
            q, k, v, lambda x, y, i, j: dot(x, y) / s.d**0.5, lambda i, j: not causal or j <= i + keys - s.n
        ),
        fault=lambda: attend(q, k, v, support=support, similarity=Dot(1 / s.d + 0.1)).output,
    )


def relative(s) -> SimpleNamespace:
    q, k, v = tensors(s.b, s.h, s.n, s.n, s.d, s.c, s.seed)
    p = draw(5, seed=s.seed)
    hidden = torch.tensor([False, False, False, True, False])
    sequence = p.masked_fill(hidden, -inf)
    return SimpleNamespace(
        leaves=[q, k, v, p],
        ours=lambda backend: attend(q, k, v, position=Relative(sequence), backend=backend).output,
        formula=lambda: by_loops(
            q,
            k,
            v,
            lambda x, y, i, j: dot(x, y) / s.d**0.5 + p[i - j + 2],
            lambda i, j: abs(i - j) <= 2 and i - j != 1,
        ),
        fault=lambda: attend(q, k, v, position=Relative(sequence.flip(0))).output,
    )


def linear(s, causal: bool) -> SimpleNamespace:
    q, k, v = leaves = tensors(s.b, s.h, s.n, s.n, s.d, s.c, s.seed)
    q = q / 10  # away from x · y = -1, where the kernel is zero and its quotient by its sum badly conditioned
    support = Causal() if causal else Full()
    make = {"similarity": Kernel(polynomial), "normalise": Divide(), "support": support}
    return SimpleNamespace(
        leaves=leaves,
        ours=lambda backend: attend(q, k, v, **make, backend=backend).output,
        formula=lambda: by_loops(
            q,
            k,
            v,
            lambda x, y, i, j: (dot(x, y) + 1) ** 2,
            lambda i, j: not causal or j <= i,
            powers=lambda x: x,
        ),
        # The feature map without its square roots of two.
        fault=lambda: attend(q, k, v, **make | {"similarity": Kernel(_no_roots, nonnegative=True)}).output,
    )


def _no_roots(x: Tensor) -> Tensor:
    features, width = polynomial(x), x.shape[-1]
    roots = torch.ones(features.shape[-1], dtype=x.dtype)
    roots[1 : 1 + width] = 2**-0.5
    roots[1 + 2 * width :] = 2**-0.5
    return features * roots


def graph(nodes: int, seed: int, *, undirected: bool = False) -> Tensor:
    """A random adjacency, [target, source], with self-loops where undirected."""
    a = torch.rand(nodes, nodes, generator=torch.Generator().manual_seed(seed)) < 0.4
    return (a | a.T | torch.eye(nodes, dtype=torch.bool)) if undirected else a


def gat(s) -> SimpleNamespace:
    q, k, v = leaves = tensors(s.b, s.h, s.n, s.m, s.d, s.c, s.seed)
    adjacency = torch.rand(3, s.n, s.m, generator=torch.Generator().manual_seed(s.seed)) < 0.4
    relation, target, source = adjacency.nonzero().T
    features = draw(len(source), 2, seed=s.seed)
    edges = Edges(source, target, sizes=(s.n, s.m), relation=relation, features=features)
    similarity = Additive(s.h, s.d, relations=3, features=2).double()
    with torch.no_grad():
        similarity.relation.copy_(draw(s.h, 3, seed=s.seed + 5))
    at, aq, ar, af = similarity.target, similarity.source, similarity.relation, similarity.feature

    def formula() -> Tensor:
        rows = []
        for i in range(s.n):
            own = [e for e in range(len(source)) if target[e] == i]
            keys = [source[e] for e in own]
            logits = [
                dot(at, q[:, :, i]) + dot(aq, k[:, :, j]) + ar[:, relation[e]] + af @ features[e]
                for e, j in zip(own, keys, strict=True)
            ]
            powers = [torch.exp(torch.where(x > 0, x, 0.2 * x)).unsqueeze(-1) for x in logits]
            total = sum(p * v[:, :, j] for p, j in zip(powers, keys, strict=True))
            rows.append(total / sum(powers) if own else torch.zeros_like(v[:, :, 0]))
        return torch.stack(rows, 2)

    wrong = Edges(source, target, sizes=(s.n, s.m), relation=(relation + 1) % 3, features=features)
    return SimpleNamespace(
        leaves=[*leaves, *similarity.parameters(), features],
        ours=lambda backend: attend(q, k, v, similarity=similarity, support=edges, backend=backend).output,
        formula=formula,
        fault=lambda: attend(q, k, v, similarity=similarity, support=wrong).output,
    )


def gcn(s) -> SimpleNamespace:
    nothing, x = torch.zeros(s.b, s.h, s.n, 1, dtype=torch.float64), draw(s.b, s.h, s.n, s.c, seed=s.seed)
    a = graph(s.n, s.seed, undirected=True)
    edges = Edges(*a.nonzero().T.flip(0), nodes=s.n)
    scale = torch.diag(a.double().sum(1) ** -0.5)
    make = {"similarity": Constant(), "support": edges}
    return SimpleNamespace(
        leaves=[x],
        ours=lambda backend: (
            attend(nothing, nothing, x, **make, normalise=Symmetric(), backend=backend).output
        ),
        formula=lambda: scale @ a.double() @ scale @ x,
        fault=lambda: attend(nothing, nothing, x, **make, normalise=Raw()).output,
    )


def mean(s) -> SimpleNamespace:
    x, a = (
        draw(s.b, s.h, s.m, s.c, seed=s.seed),
        torch.rand(s.n, s.m, generator=torch.Generator().manual_seed(s.seed)) < 0.4,
    )
    target, source = a.nonzero().T
    edges = Edges(source, target, sizes=(s.n, s.m))
    q, k = (
        torch.zeros(s.b, s.h, s.n, 1, dtype=torch.float64),
        torch.zeros(s.b, s.h, s.m, 1, dtype=torch.float64),
    )
    make = {"similarity": Constant(), "support": edges}
    return SimpleNamespace(
        leaves=[x],
        ours=lambda backend: attend(q, k, x, **make, normalise=Mean(), backend=backend).output,
        formula=lambda: torch.stack(
            [
                x[:, :, row].sum(2) / max(1, int(row.sum())) if row.any() else 0 * x[:, :, :1].sum(2)
                for row in a
            ],
            2,
        ),
        fault=lambda: attend(q, k, x, **make, normalise=Raw()).output,
    )


def mixture(s) -> SimpleNamespace:
    q, k, v = leaves = tensors(s.b, s.h, s.n, s.m, s.d, s.c, s.seed)
    log_variance, log_weight = draw(s.m, s.d, seed=s.seed), draw(s.m, seed=s.seed)

    def density(x: Tensor, y: Tensor, i: int, j: int) -> Tensor:
        variance = log_variance[j].exp()
        return log_weight[j].exp() * (
            (-((x - y) ** 2) / (2 * variance)).exp() / (2 * pi * variance) ** 0.5
        ).prod(-1)

    make = Gaussian(log_variance, log_weight)
    return SimpleNamespace(
        leaves=[*leaves, log_variance, log_weight],
        ours=lambda backend: attend(q, k, v, similarity=make, backend=backend).output,
        formula=lambda: by_loops(q, k, v, density, powers=lambda x: x),
        # The normalising constant of the density left out: no matter with equal variances, and these differ.
        fault=lambda: (
            attend(q, k, v, similarity=Gaussian(log_variance, log_weight + log_variance.sum(-1) / 2)).output
        ),
    )


def convolution(s) -> SimpleNamespace:
    height, width = s.n + 1, s.m + 2
    image, kernel = draw(s.b, s.c, height, width, seed=s.seed), draw(s.d, s.c, 3, 3, seed=s.seed)
    offsets = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1)]
    nothing = torch.zeros(s.b, 9, height * width, 1, dtype=torch.float64)

    def through(steps: list[tuple[int, int]], backend: str = "auto") -> Tensor:
        values = image.flatten(2).mT.unsqueeze(1).expand(-1, 9, -1, -1)
        grid = Grid((height, width), [[step] for step in steps])
        seen = attend(
            nothing, nothing, values, similarity=Constant(), support=grid, normalise=Raw(), backend=backend
        )
        return torch.einsum("bhnc,och->bon", seen.output, kernel.flatten(2)).unflatten(2, (height, width))

    return SimpleNamespace(
        leaves=[image, kernel],
        ours=lambda backend: through(offsets, backend),
        formula=lambda: F.conv2d(image, kernel, padding=1),
        # Convolution in the mathematician's sense, turned round: what torch calls by that name is not.
        fault=lambda: through(offsets[::-1]),
    )


def cosine(s) -> SimpleNamespace:
    q, k, v = leaves = tensors(s.b, s.h, s.n, s.m, s.d, s.c, s.seed)
    return SimpleNamespace(
        leaves=leaves,
        ours=lambda backend: attend(q, k, v, similarity=Cosine(3.0), backend=backend).output,
        formula=lambda: by_loops(
            q, k, v, lambda x, y, i, j: 3 * (dot(x, y)) / (dot(x, x) * dot(y, y)) ** 0.5
        ),
        fault=lambda: attend(q, k, v, similarity=Dot(3.0)).output,
    )


def rotary(s) -> SimpleNamespace:
    q, k, v = leaves = tensors(s.b, s.h, s.n, s.n + s.m, 2 * s.d, s.c, s.seed)

    def score(x: Tensor, y: Tensor, i: int, j: int) -> Tensor:
        """The real part of z conj(w) turned by the distance: a pair of channels is one complex number."""
        z, w = (torch.complex(a[..., : s.d], a[..., s.d :]) for a in (x, y))
        speed = 10_000.0 ** (-torch.arange(s.d, dtype=torch.float64) / s.d)
        turn = torch.polar(torch.ones_like(speed), (i + s.m - j) * speed)
        return (z * w.conj() * turn).real.sum(-1) / (2 * s.d) ** 0.5

    return SimpleNamespace(
        leaves=leaves,
        ours=lambda backend: attend(q, k, v, position=Rotary(), backend=backend).output,
        formula=lambda: by_loops(q, k, v, score),
        fault=lambda: attend(q, k, v, position=Rotary(pairing="adjacent")).output,
    )


ROWS = {
    "transformer": lambda s: transformer(s, causal=False),
    "transformer, causal": lambda s: transformer(s, causal=True),
    "relative": relative,
    "linear attention": lambda s: linear(s, causal=False),
    "linear attention, causal": lambda s: linear(s, causal=True),
    "GAT": gat,
    "GCN": gcn,
    "mean aggregation": mean,
    "mixture": mixture,
    "convolution": convolution,
    "cosine": cosine,
    "rotary": rotary,
}
FIXED = SimpleNamespace(b=2, h=3, n=5, m=7, d=2, c=3, seed=11)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS)
@given(st.builds(SimpleNamespace, **dict.fromkeys("bhnmdc", SIZES), seed=st.integers(0, 99)))
@settings(max_examples=settings.default.max_examples // 3)
def test_a_row_of_the_table_equals_its_formula(row, sizes):
    law = ROWS[row](sizes)
    formula = law.formula()
    for backend in ("reference", "auto"):
        assert gap(law.ours(backend), formula, law.leaves) < TOLERANCE


@pytest.mark.parametrize("row", ROWS)
def test_a_planted_fault_breaks_the_row(row):
    law = ROWS[row](FIXED)
    assert gap(law.ours("auto"), law.formula(), law.leaves) < TOLERANCE
    assert gap(law.fault(), law.formula(), law.leaves) > 1e-3


def test_large_scores_do_not_overflow():
    q = torch.full((1, 1, 1, 1), 1000.0)
    k, v = torch.tensor([1.0, 2.0]).view(1, 1, 2, 1), torch.tensor([3.0, 5.0]).view(1, 1, 2, 1)
    assert attend(q, k, v, backend="reference").output.item() == 5.0
    assert attend(q, k[:, :, :0], v[:, :, :0], backend="reference").output.item() == 0.0


def test_no_query_over_hidden_values_that_are_not_finite_is_no_trouble():
    k = torch.full((1, 1, 2, 1), float("nan"))
    made = attend(k[:, :, :0], k, k, support=Causal(), backend="reference").output
    assert made.shape == (1, 1, 0, 1)


@pytest.mark.parametrize("backend", ["reference", "sdpa"])
def test_a_position_and_an_additive_mask_add_up(backend):
    x = torch.zeros(1, 1, 2, 1)
    mask, position = Mask(torch.tensor([[0.0, 3.0], [0.0, 0.0]])), Relative(torch.tensor([-1.0, 0.0, 0.0]))
    made = attend(
        x, x, torch.tensor([0.0, 1.0]).view(1, 1, 2, 1), support=mask, position=position, backend=backend
    )
    assert made.output.flatten().tolist() == pytest.approx([torch.tensor(2.0).sigmoid().item(), 0.5])
