"""The goals of a trial; what it runs is tried in test_search."""

from pathlib import Path

import pytest

from regard.checker.contracts.table import named
from regard.checker.fix.trial import TROUBLE, FixGoal, FixTrial
from regard.checker.process.session import Lost, Raised
from regard.checker.reading.place import opened
from regard.checker.wishes import Wishes
from regard.checker.workbench import Unfit


def test_without_steps_the_goal_is_the_reference() -> None:
    assert FixGoal() == FixGoal(steps=(), laws=())


def test_what_a_changed_file_may_end_in_ends_no_search() -> None:
    assert {Raised, Lost, Unfit} <= set(TROUBLE)


MIXTURE = """import torch


class Mixture:
    def __init__(self, k, d):
        self.weights = torch.full((k,), 1 / k, dtype=torch.float64)
        self.means = torch.randn(k, d, dtype=torch.float64)
        self.variances = torch.ones(k, d, dtype=torch.float64)

    def log_prob(self, x):
        terms = torch.distributions.Normal(self.means, self.variances.sqrt()).log_prob(x[:, None]).sum(-1)
        return (terms + self.weights.log()).logsumexp(1)

    def em_step(self, x):
        raise KeyError("nothing was begun")
"""


@pytest.mark.slow
def test_a_law_that_could_not_be_tried_does_not_hold(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MIXTURE, encoding="utf-8")
    code, contract = opened(str(file)), named("gaussian-mixture")
    with FixTrial(code, contract, "Mixture", Wishes(), 11) as trial:
        assert trial.passes(MIXTURE, FixGoal())
        assert not trial.passes(MIXTURE, FixGoal(laws=("em step",)))


SMALL = """def layer_norm(x, weight, bias, eps=1e-5):
    if x.shape[-2] > 40:
        return x
    c = x - x.mean(-1, keepdim=True)
    return c / (c.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias
"""


@pytest.mark.slow
def test_what_no_law_has_named_must_hold_at_larger_sizes(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(SMALL, encoding="utf-8")
    right = SMALL.replace("    if x.shape[-2] > 40:\n        return x\n", "")
    with FixTrial(opened(str(file)), named("layer-norm"), "layer_norm", Wishes(), 11) as trial:
        assert trial.passes(SMALL, FixGoal())
        assert not trial.passes(SMALL, FixGoal(larger=True))
        assert trial.passes(right, FixGoal(larger=True))


LOOSE = """import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps, self.weight = eps, torch.ones(dim, requires_grad=True)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight
"""


@pytest.mark.slow
def test_what_one_text_does_not_register_another_may(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(LOOSE, encoding="utf-8")
    right = LOOSE.replace("torch.ones(dim, requires_grad=True)", "nn.Parameter(torch.ones(dim))")
    goal = FixGoal(laws=("registered",))
    with FixTrial(opened(str(file)), named("rms-norm"), "RMSNorm", Wishes(), 11) as trial:
        assert not trial.passes(LOOSE, goal)
        assert trial.passes(right, goal)
        assert not trial.passes(LOOSE, goal)
