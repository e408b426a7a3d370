"""RMS norms in the styles people write."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from regard.checker.live import check

NAMES = [
    "LlamaNorm",
    "rms",
    "GemmaNorm",
    "T5Norm",
    "Bare",
    "Zero",
    "Inside",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("norms")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


class PlusOne(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.eps = nn.Parameter(self.start(width)), eps

    def start(self, width: int) -> torch.Tensor:
        return torch.zeros(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * (1 + self.weight)


class Doubles(PlusOne):
    def start(self, width: int) -> torch.Tensor:
        return torch.ones(width)


def test_one_plus_the_weight_is_a_convention_only_where_the_weight_starts_at_zero() -> None:
    verdict = check(PlusOne, contract="rms-norm").verdicts[0]
    assert verdict.state == "correct"
    assert [f.slug for f in verdict.findings] == ["gain-plus-one"]
    verdict = check(Doubles, contract="rms-norm").verdicts[0]
    assert [f.slug for f in verdict.findings] == ["gain-plus-one-at-one"]


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("rms-norm")
