"""Every law holds for the reference, and is broken by what it is there for."""

import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.contract import Case, Contract
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.laws import gap
from regard.checker.live import check
from regard.checker.process.session import Raised

LAWS = [
    (c, law)
    for c in CONTRACTS
    for law in c.laws
    if law.name not in ("loss", "samples", "one component", "beside")
]
BREAKS = [
    ("causal-attention", "causality", "mask-missing"),
    ("causal-attention", "causality", "mask-ahead"),
    ("causal-attention", "causality", "heads-split-view"),
    ("causal-attention", "equal tokens", "mask-after-softmax"),
    ("causal-attention", "equal tokens", "softmax-missing"),
    ("causal-attention", "apart", "across-batch"),
    ("causal-attention", "apart", "softmax-batch"),
    ("causal-attention", "finite", "softmax-unnormalised"),
    ("scaled-dot-product", "ones", "softmax-queries"),
    ("scaled-dot-product", "ones", "scale-after-softmax"),
    ("scaled-dot-product", "order", "keys-reshaped"),
    ("scaled-dot-product", "hidden", "mask-ignored"),
    ("scaled-dot-product", "hidden", "mask-inverted"),
    ("scaled-dot-product", "finite", "softmax-unnormalised"),
    ("multi-head-attention", "hidden", "mask-weak"),
    ("multi-head-attention", "hidden", "mask-batch-order"),
    ("multi-head-attention", "order", "causal-unasked"),
    ("multi-head-attention", "apart", "softmax-batch"),
    ("multi-head-attention", "finite", "softmax-unnormalised"),
    ("rotary", "length", "sign-missing"),
    ("rotary", "length", "pairing-mixed"),
    ("rotary", "origin", "positions-from-one"),
    ("rotary", "origin", "cos-sin-swapped"),
    ("rotary", "relative", "keys-not-turned"),
    ("rotary", "relative", "pairing-mixed"),
    ("rms-norm", "alone", "axis-tokens"),
    ("rms-norm", "zeros", "eps-missing"),
    ("rms-norm", "scaling", "root-missing"),
    ("layer-norm", "alone", "axis-all"),
    ("layer-norm", "zeros", "eps-missing"),
    ("layer-norm", "shifting", "mean-kept"),
    ("layer-norm", "scaling", "root-multiplied"),
    ("gat-layer", "neighbours", "mask-ignored"),
    ("gat-layer", "neighbours", "direction-reversed"),
    ("gat-layer", "finite", "softmax-unnormalised"),
    ("gcn-layer", "neighbours", "direction-reversed"),
    ("gaussian-mixture", "one each", "sum-over-samples"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("contract", "law"), LAWS, ids=[f"{c.name}-{law.name}" for c, law in LAWS])
def test_the_reference_keeps_every_law(contract: Contract, law, puppet: Callable) -> None:
    assert law.test(puppet(contract.name, {}), np.random.default_rng(1)) is None


@pytest.mark.parametrize(("name", "law", "slug"), BREAKS, ids=["-".join(b) for b in BREAKS])
def test_a_law_is_broken_by_what_it_is_there_for(name: str, law: str, slug: str, puppet: Callable) -> None:
    contract = named(name)
    subject = puppet(name, contract.mistake(slug).forms[0])
    broken = next(one for one in contract.laws if one.name == law).test(subject, np.random.default_rng(1))
    assert broken
    assert broken.number > 0
    assert broken.words


def test_equal_tokens_that_differ_are_told_without_a_cause_that_the_law_cannot_know(puppet: Callable) -> None:
    contract = named("causal-attention")
    subject = puppet("causal-attention", contract.mistake("mask-after-softmax").forms[0])
    broken = next(one for one in contract.laws if one.name == "equal tokens").test(
        subject, np.random.default_rng(1)
    )
    assert re.fullmatch(r"5 equal tokens give outputs that differ by [\d.]+", broken.words)


def test_what_raises_at_large_inputs_is_told_once(puppet: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = puppet("gat-layer", {})
    usual = type(subject).answer

    def strained(case: Case, *, seed: int = 0) -> np.ndarray:
        if np.abs(case["x"]).max() > 100:
            raise Raised("AssertionError", "", None, "")
        return usual(subject, case)

    monkeypatch.setattr(subject, "answer", strained)
    found = {
        law.name: law.test(subject, np.random.default_rng(1))
        for law in subject.contract.laws
        if law.name in ("finite", "lasting")
    }
    assert found["lasting"] is None
    assert found["finite"].slug == "softmax-unstable"


def test_a_gap_is_a_share_of_the_largest_value() -> None:
    assert gap(np.array([0.0, 4.0]), np.array([1.0, 4.0])) == 0.25
    assert gap(np.array([1.0]), np.array([np.nan])) == np.inf
    assert gap(np.array([np.nan]), np.array([np.nan])) == 0.0
    assert gap(np.zeros(2), np.zeros(3)) == np.inf


STYLES = [
    ("attention", "SdpaDropout", "steady", "dropout-in-eval"),
    ("attention", "Remembers", "afresh", "state-between-calls"),
    ("attention", "InPlace", "untouched", "input-modified"),
    ("attention", "Detached", "gradient", "gradient-cut"),
    ("attention", "EvalOnly", "causality", "mask-training-only"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "name", "law", "slug"), STYLES, ids=[s[1] for s in STYLES])
def test_laws_that_need_a_real_module_are_broken_by_one(
    file: str, name: str, law: str, slug: str, style: Callable
) -> None:
    verdict = check(getattr(style(file), name), contract="causal-attention").verdicts[0]
    assert verdict.laws[law] is False
    assert slug in verdict.slugs


class Cached(nn.Module):
    """Graph convolution that keeps the first graph of each size."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight, self.kept = nn.Parameter(torch.randn(inputs, outputs)), None

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        if self.kept is None or self.kept.shape != adj.shape:
            a = adj.clone().fill_diagonal_(1)
            root = a.sum(1).rsqrt()
            self.kept = root[:, None] * a * root
        return self.kept @ x @ self.weight


class Forgetful(Cached):
    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        self.kept = None
        return super().forward(x, adj)


class Running(nn.Module):
    """A norm that keeps statistics in train() and uses them in eval()."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("mean", torch.zeros(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            self.mean = self.mean + 0.1 * (x.detach().mean() - self.mean)
        return (x - self.mean) / (
            x.var(-1, keepdim=True, unbiased=False) + self.eps
        ).sqrt() * self.weight + self.bias


@pytest.mark.slow
def test_what_remembers_is_judged_by_first_calls_alone() -> None:
    verdict = check(Cached, contract="gcn-layer").verdicts[0]
    assert verdict.slugs == ("state-between-calls",)
    assert [law for law, held in verdict.laws.items() if not held] == ["afresh"]
    assert check(Forgetful, contract="gcn-layer").verdicts[0].state == "correct"


@pytest.mark.slow
def test_statistics_that_run_along_in_training_are_memory() -> None:
    verdict = check(Running, contract="layer-norm").verdicts[0]
    (finding,) = [f for f in verdict.findings if f.slug == "state-between-calls"]
    assert finding.evidence[0].startswith("afresh: a call in train() changes the answer in eval(): by ")
