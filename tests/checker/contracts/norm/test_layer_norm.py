"""Layer norms in the styles people write."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from regard.checker.live import check

NAMES = [
    "NanoLayerNorm",
    "Annotated",
    "TorchLayer",
    "ln",
    "Tokens",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("norms")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


class TwoPass(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps = eps

    def variance(self, x: torch.Tensor) -> torch.Tensor:
        return (x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = (x - x.mean(-1, keepdim=True)) / (self.variance(x) + self.eps).sqrt()
        return y * self.weight + self.bias


class Moments(TwoPass):
    def variance(self, x: torch.Tensor) -> torch.Tensor:
        return x.square().mean(-1, keepdim=True) - x.mean(-1, keepdim=True).square()


class Welford(TwoPass):
    def variance(self, x: torch.Tensor) -> torch.Tensor:
        mean, squares = torch.zeros_like(x[..., :1]), torch.zeros_like(x[..., :1])
        for count, value in enumerate(x.split(1, dim=-1), start=1):
            before, mean = value - mean, mean + (value - mean) / count
            squares = squares + before * (value - mean)
        return squares / x.shape[-1]


@pytest.mark.parametrize(
    ("layer", "expected"), [(Moments, ("moments-cancel",)), (TwoPass, ()), (Welford, ()), (nn.LayerNorm, ())]
)
def test_a_variance_that_cancels_in_float32_is_a_mistake(layer: type, expected: tuple[str, ...]) -> None:
    verdict = check(layer, contract="layer-norm").verdicts[0]
    assert verdict.slugs == expected
    assert verdict.laws["offset"] is not bool(expected)
