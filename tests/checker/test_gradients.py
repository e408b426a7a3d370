"""Gradients that are cut or bent are found, of inputs as of weights; right ones are not."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.gradients import arrays, chosen
from regard.checker.live import check
from regard.checker.report.verdict import Verdict


def judged(thing, contract: str) -> Verdict:
    return check(thing, contract=contract).verdicts[0]


class Norm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def size(self, x: torch.Tensor) -> torch.Tensor:
        return x.square().mean(-1, keepdim=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(self.size(x) + self.eps) * self.weight


class FrozenNorm(Norm):
    def size(self, x: torch.Tensor) -> torch.Tensor:
        return super().size(x.detach())


class UpcastingNorm(Norm):
    def size(self, x: torch.Tensor) -> torch.Tensor:
        return super().size(x.float()).to(x.dtype)


class RoundedNorm(Norm):
    inner = torch.bfloat16

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        share = torch.rsqrt(self.size(x) + self.eps).to(self.inner)
        return x * share.to(x.dtype) * self.weight


class Attention(nn.Module):
    """Causal attention with one head, and something done to its weights."""

    keep: Callable[[torch.Tensor], torch.Tensor] = staticmethod(lambda weights: weights)

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        s = self.query(x) @ self.key(x).transpose(-2, -1) * self.query.out_features**-0.5
        w = s.masked_fill(torch.ones_like(s[0]).triu(1) == 1, float("-inf")).softmax(-1)
        return type(self).keep(w) @ self.value(x), w.detach()


class FrozenAttention(Attention):
    keep = staticmethod(torch.Tensor.detach)


def dot_product(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1) @ v


def frozen_keys(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return dot_product(q, k.detach(), v)


@torch.no_grad()
def rotary(x: torch.Tensor, offset: int = 0) -> torch.Tensor:
    n, d = x.shape[-2:]
    f = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    turn = torch.polar(torch.ones(1, dtype=x.dtype), (offset + torch.arange(n, dtype=x.dtype))[:, None] * f)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2)


class ThroughNumpy(Attention):
    keep = staticmethod(lambda weights: torch.from_numpy(weights.numpy()))


class Mixture(nn.Module):
    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def shift(self, joint: torch.Tensor) -> torch.Tensor:
        return joint.amax(-1, keepdim=True).detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        square = (x[:, None] - self.means) ** 2 / self.log_variances.exp()
        each = -0.5 * (square + self.log_variances + np.log(2 * np.pi)).sum(-1)
        joint = each + self.logits.log_softmax(-1)
        top = self.shift(joint)
        return (joint - top).exp().sum(-1).log() + top[:, 0]


class FrozenMixture(Mixture):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = super().forward(x)
        return (super().forward(x) - y).detach() + y.detach() + (self.means.sum() - self.means.sum())


CUT = [
    (FrozenNorm, "rms-norm"),
    (FrozenAttention, "causal-attention"),
    (ThroughNumpy, "causal-attention"),
    (frozen_keys, "scaled-dot-product"),
    (rotary, "rotary"),
    (FrozenMixture, "gaussian-mixture"),
]
WHOLE = [
    (Norm, "rms-norm"),
    (UpcastingNorm, "rms-norm"),
    (Attention, "causal-attention"),
    (dot_product, "scaled-dot-product"),
    (Mixture, "gaussian-mixture"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("thing", "contract"), CUT, ids=lambda v: getattr(v, "__name__", v))
def test_a_gradient_that_is_cut_is_named(thing, contract: str) -> None:
    verdict = judged(thing, contract)
    assert verdict.laws["gradient"] is False
    assert verdict.slugs == ("gradient-cut",)


@pytest.mark.slow
@pytest.mark.parametrize(("thing", "contract"), WHOLE, ids=lambda v: getattr(v, "__name__", v))
def test_a_gradient_that_is_whole_is_not(thing, contract: str) -> None:
    verdict = judged(thing, contract)
    assert verdict.laws["gradient"] is True
    assert verdict.state == "correct"


@pytest.mark.slow
def test_a_precision_that_the_class_names_explains_a_gradient_that_is_off() -> None:
    assert "gradient-cut" not in judged(RoundedNorm, "rms-norm").slugs
    assert "rounded-inside" in judged(RoundedNorm, "rms-norm").slugs


@pytest.mark.slow
def test_the_evidence_holds_both_numbers() -> None:
    (finding,) = [f for f in judged(FrozenNorm, "rms-norm").findings if f.slug == "gradient-cut"]
    assert finding.evidence[0].startswith("gradient: the input: autograd says ")
    assert ", differences say " in finding.evidence[0]


def test_arrays_are_found_in_order_and_the_output_by_its_size() -> None:
    one, two = np.zeros((2, 3)), np.zeros(4)
    assert [a.shape for a in arrays([one, [1.5, two], None])] == [(2, 3), (4,)]
    assert chosen([two, one], 6) == [1]
    assert chosen([two, one], 10) == [0, 1]
    assert chosen([two, one], 7) == []
    assert chosen([np.zeros(6, bool), one], 6) == [1]
