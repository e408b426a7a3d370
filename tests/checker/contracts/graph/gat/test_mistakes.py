"""Sabotaged graph attention beside the same mistakes written in torch."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.graph.gat.mistakes import SCORE, SOFTMAX
from regard.checker.contracts.graph.reference import attention
from regard.checker.target import check_file
from regard.checker.wishes import Wishes

SLUGS = {m.slug: m for m in (*SOFTMAX, *SCORE)}
RNG = np.random.default_rng(0)
A = (RNG.random((5, 5)) < 0.5) | np.eye(5, dtype=bool)
X, W, T, S = (
    RNG.standard_normal((5, 6)),
    RNG.standard_normal((6, 4)),
    RNG.standard_normal(4),
    RNG.standard_normal(4),
)
FRAME = WeightMap(
    weights={
        "w": W[:, None],
        "bw": np.zeros((1, 4)),
        "ba": np.zeros(()),
        "bias": np.zeros(1),
        "target": T[None],
        "source": S[None],
    }
)


def written(slug: str) -> torch.Tensor:
    a, x, w, t, s = map(torch.from_numpy, (A, X, W, T, S))
    h = x @ w
    raw = (h @ t)[:, None] + (h @ s)[None]
    e = F.leaky_relu(raw, 0.2)
    hidden = lambda score, graph=a: score.masked_fill(~graph, float("-inf"))  # noqa: E731
    return {
        "softmax-all-edges": lambda: hidden(e).flatten().softmax(0).view(5, 5) @ h,
        "softmax-sources": lambda: hidden(e).softmax(0) @ h,
        "softmax-missing": lambda: (e * a) @ h,
        "mask-ignored": lambda: e.softmax(1) @ h,
        "mask-zero-fill": lambda: e.masked_fill(~a, 0).softmax(1) @ h,
        "mask-after-softmax": lambda: (e.softmax(1) * a) @ h,
        "direction-reversed": lambda: hidden(e, a.T).softmax(1) @ h,
        "leaky-missing": lambda: hidden(raw).softmax(1) @ h,
        "leaky-slope": lambda: hidden(F.leaky_relu(raw)).softmax(1) @ h,
        "relu-for-leaky": lambda: hidden(raw.relu()).softmax(1) @ h,
        "raw-features": lambda: hidden(e).softmax(1) @ x,
        "attention-unused": lambda: (a.double() / a.sum(1, keepdim=True)) @ h,
        "leaky-of-parts": lambda: (
            hidden(F.leaky_relu((h @ t)[:, None], 0.2) + F.leaky_relu((h @ s)[None], 0.2)).softmax(1) @ h
        ),
        "target-term-missing": lambda: hidden(F.leaky_relu((h @ s)[None].expand(5, 5), 0.2)).softmax(1) @ h,
    }[slug]()


@pytest.mark.parametrize("slug", ["softmax-all-edges", "softmax-sources", "softmax-missing", "mask-ignored", "mask-zero-fill", "mask-after-softmax", "direction-reversed", "leaky-missing", "leaky-slope", "relu-for-leaky", "raw-features", "attention-unused", "leaky-of-parts", "target-term-missing"])  # fmt: skip
def test_a_sabotaged_reference_is_the_mistake_it_is_called(slug: str) -> None:
    found, _ = attention(
        Case(name="", inputs={"x": X, "adjacency": A.astype(float)}), FRAME, SLUGS[slug].forms[0]
    )
    np.testing.assert_allclose(found, written(slug).numpy(), rtol=1e-10, atol=1e-12)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gat-layer")


GUARDED = """
import torch
from torch import nn
from torch.nn import functional as F

class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.W = nn.Linear(in_dim, out_dim, bias=False)
        self.a_src = nn.Parameter(torch.randn(out_dim))
        self.a_dst = nn.Parameter(torch.randn(out_dim))

    def forward(self, x, edge_index, num_nodes):
        h = self.W(x)
        source, target = edge_index
        score = F.leaky_relu((h * self.a_src).sum(-1)[source] + (h * self.a_dst).sum(-1)[target], 0.2)
        raised = torch.exp(score - score.max())
        total = torch.zeros(num_nodes).index_add(0, target, raised)
        weight = raised / (total[target] + 1e-12)
        return torch.zeros(num_nodes, h.shape[1]).index_add(0, target, weight[:, None] * h[source])
"""


@pytest.mark.parametrize(
    ("strict", "state", "kind"), [(False, "correct", "weak"), (True, "mistake", "mistake")]
)
def test_a_guard_against_zero_beside_one_maximum_is_weak(
    strict: bool, state: str, kind: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(GUARDED, encoding="utf-8")
    (verdict,) = check_file(str(tmp_path / "mine.py"), wishes=Wishes(strict=strict)).verdicts
    assert verdict.state == state, verdict.sentence
    assert [f.slug for f in verdict.findings if f.kind == kind] == ["softmax-unstable"]
