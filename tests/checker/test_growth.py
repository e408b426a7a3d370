"""Larger sizes and later calls: what was recognised must stay what it is."""

import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.contract import Case, Contract
from regard.checker.contracts.table import CONTRACTS, named
from regard.checker.family import Member
from regard.checker.growth import grown, stayed, stretched
from regard.checker.live import check

GROWING = [c for c in CONTRACTS if c.name != "gaussian-mixture"]


@pytest.mark.parametrize("contract", GROWING, ids=lambda c: c.name)
def test_the_reference_is_the_same_at_every_size(contract: Contract, puppet: Callable) -> None:
    subject, rng = puppet(contract.name, {}), np.random.default_rng(0)
    sizes = [case.name for case in contract.growing(subject, rng)]
    assert len(set(sizes)) >= 2
    assert grown(contract, subject, Member(subject.frames[0], {}), 0) == []


def test_the_first_size_at_which_it_parts_is_said(puppet: Callable) -> None:
    contract = named("causal-attention")
    subject = puppet(contract.name, {})
    subject.facts["most"] = 70
    whole = subject.answer
    subject.answer = lambda case, seed=0: whole(case) * (1.0 if case["query"].shape[1] < 20 else 1.5)
    ((law, broken),) = grown(contract, subject, Member(subject.frames[0], {}), 0)
    assert (law.name, broken.slug) == ("sizes", "size-dependent")
    assert re.match(r"2 sequences of [2-7]\d tokens: it differs by 50 %", broken.words)


def test_a_case_may_say_which_mistake_it_shows(puppet: Callable) -> None:
    contract = named("scaled-dot-product")
    subject = puppet(contract.name, {})
    whole = subject.answer
    subject.answer = lambda case, seed=0: whole(case) * (1.5 if case.facts["layout"] == "b h n m" else 1.0)
    ((law, broken),) = grown(contract, subject, Member(subject.frames[0], {}), 0)
    assert (law.name, broken.slug) == ("ways", "mask-shape")


def test_the_first_case_is_asked_again(puppet: Callable) -> None:
    subject = puppet("rms-norm", {})
    case = Case(name="rows", inputs={"x": np.random.default_rng(0).standard_normal((3, 7, 24))})
    answer = subject.answer(case)
    assert stayed(subject, case, answer) == []
    ((law, broken),) = stayed(subject, case, answer * 2)
    assert (law.name, broken.slug) == ("stays", "state-between-calls")


class Known(nn.Module):
    """RMS norm at one width, and something else at any other."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * (x.pow(2).mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight
        return y if len(self.weight) == 24 else y.square()


@pytest.mark.slow
def test_another_width_is_tried_that_no_file_can_foresee() -> None:
    verdict = check(Known, contract="rms-norm").verdicts[0]
    assert verdict.slugs == ("size-dependent",)
    assert re.match(
        r"sizes: made (1|5|7|11|13|17|19|23|25|29) wider: it differs by", verdict.findings[0].evidence[0]
    )


def test_what_was_handed_over_ready_made_is_not_stretched(puppet: Callable) -> None:
    subject = puppet("rms-norm", {})
    subject.bench.made = {}
    assert stretched(named("rms-norm"), subject, Member(subject.frames[0], {}), {}) == []


class Smoothed(nn.Module):
    """Layer norm by a mean that remembers the call before."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps, self.before = eps, None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean(-1, keepdim=True)
        if self.before is not None and self.before.shape == mean.shape:
            mean = 0.9 * mean + 0.1 * self.before
        self.before = mean.detach()
        var = x.var(-1, keepdim=True, unbiased=False)
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias


@pytest.mark.slow
def test_what_remembers_is_no_other_function_at_another_width() -> None:
    assert check(Smoothed, contract="layer-norm").verdicts[0].slugs == ("state-between-calls",)
