"""How a layer is kept and used: each law holds for a plain norm and fails on a planted fault."""

import pytest
import torch
from torch import nn

from regard.checker import check


class Norm(nn.Module):
    """RMS norm."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * (x.pow(2).mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight


class Unregistered(Norm):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__(width, eps)
        del self.weight
        self.weight = torch.ones(width, requires_grad=True)


class Zero(Norm):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__(width, eps)
        nn.init.zeros_(self.weight)


class Empty(Norm):
    """A gain that nobody fills."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__(width, eps)
        self.weight = nn.Parameter(torch.empty(width))


class Training(Norm):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * (2 if self.training else 1)


class Half(Norm):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * (2 if x.dtype == torch.bfloat16 else 1)


class Batch(Norm):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * (2 if len(x) > 8 else 1)


class Late(Norm):
    calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return super().forward(x) * (2 if self.calls > 20 else 1)


class Rounded(Norm):
    """Keeps two or three digits of every answer."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x).bfloat16().to(x.dtype)


class Chance(Norm):
    """With a dropout that its constructor does not set: chance in train() is no other function."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(super().forward(x), 0.1, self.training)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layer", "slug", "words"),
    [
        (Unregistered, "weights-unregistered", "registered: weight: not among parameters()"),
        (Zero, "weights-at-zero", "start: weight start at zero: a fresh layer answers the same whatever it is given"),
        (Empty, "weights-unfilled", "start: weight: made where new memory is full of NaN, they hold NaN"),
        (Training, "training-only", "modes: without dropout, the same input gives in train() what differs by 1 of its size from eval()"),
        (Half, "half-precision", "half: bfloat16 differs by "),
        (Rounded, "rounded-inside", "gradient: an input moved by 1e-09: 100% of the answer does not move at all"),
        (Batch, "size-dependent", "sizes: "),
        (Late, "state-between-calls", "stays: rows of size 0.003: asked again at the end, it gives another answer"),
    ],
)  # fmt: skip
def test_each_law_fails_on_a_planted_fault(layer: type, slug: str, words: str) -> None:
    verdict = check(layer, contract="rms-norm", strict=True).verdicts[0]
    assert verdict.slugs == (slug,)
    assert verdict.findings[0].evidence[0].startswith(words)


class Convolution(nn.Module):
    """A graph convolution; what its bias is kept as may differ."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features))
        self.bias = self.kept(torch.zeros(out_features))

    def kept(self, bias: torch.Tensor) -> torch.Tensor:
        return nn.Parameter(bias)

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        a = adj.clone().fill_diagonal_(1)
        root = a.sum(1).rsqrt()
        return (root[:, None] * a * root) @ x @ self.weight + self.bias


class Fixed(Convolution):
    def kept(self, bias: torch.Tensor) -> torch.Tensor:
        return bias


@pytest.mark.slow
@pytest.mark.parametrize(("layer", "slugs"), [(Convolution, ()), (Fixed, ("weights-unregistered",))])
def test_a_bias_of_zeros_that_is_added_is_a_weight(layer: type, slugs: tuple[str, ...]) -> None:
    verdict = check(layer, contract="gcn-layer", strict=True).verdicts[0]
    assert verdict.slugs == slugs, verdict.sentence


@pytest.mark.slow
@pytest.mark.parametrize("layer", [Norm, Chance])
def test_what_is_right_breaks_none(layer: type) -> None:
    verdict = check(layer, contract="rms-norm", strict=True).verdicts[0]
    assert verdict.state == "correct"
    assert all(verdict.laws.values())


@pytest.mark.slow
def test_a_start_at_zero_is_only_weak_unless_held_strictly() -> None:
    verdict = check(Zero, contract="rms-norm").verdicts[0]
    assert verdict.state == "correct"
    assert [f.slug for f in verdict.findings if f.kind == "weak"] == ["weights-at-zero"]


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k = [nn.Linear(width, width)] * 2
        self.v, self.o = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, c = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in (self.q(x), self.k(x), self.v(x)))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(b, n, c))


class Tied(Attention):
    """Causal self-attention with tied queries and keys."""


@pytest.mark.slow
def test_one_weight_in_two_places_is_a_mistake_unless_somebody_says_so() -> None:
    verdict = check(Attention, contract="causal-attention").verdicts[0]
    assert verdict.slugs == ("weights-shared",)
    assert verdict.findings[0].evidence == ("unshared: q.weight and k.weight are one weight",)
    assert check(Tied, contract="causal-attention").verdicts[0].state == "correct"
