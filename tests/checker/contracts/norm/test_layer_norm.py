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
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
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
    verdict = check(layer, contract="layer-norm", strict=True).verdicts[0]
    assert verdict.slugs == expected
    assert verdict.laws["offset"] is not bool(expected)


def test_the_unbiased_deviation_plus_epsilon_is_a_convention() -> None:
    class LayerNorm(torch.nn.Module):
        def __init__(self, features, eps=1e-6):
            super().__init__()
            self.a_2, self.b_2, self.eps = (
                torch.nn.Parameter(torch.ones(features)),
                torch.nn.Parameter(torch.zeros(features)),
                eps,
            )

        def forward(self, x):
            return self.a_2 * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.b_2

    assert str(check(LayerNorm)).startswith(
        "correct, by another convention: it divides by the unbiased deviation"
    )
    assert check(LayerNorm, strict=True).verdicts[0].slugs == ("bessel",)


def test_a_variance_that_loses_its_digits_is_weak_and_held_strictly_a_mistake() -> None:
    class LayerNorm(torch.nn.Module):
        def __init__(self, width, eps=1e-5):
            super().__init__()
            self.weight, self.bias, self.eps = (
                torch.nn.Parameter(torch.ones(width)),
                torch.nn.Parameter(torch.zeros(width)),
                eps,
            )

        def forward(self, x):
            mean = x.mean(-1, keepdim=True)
            variance = (x**2).mean(-1, keepdim=True) - mean**2
            return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias

    report = check(LayerNorm)
    assert report.code == 0
    assert str(report).startswith(
        "correct, but the variance loses its digits in float32 where the mean is large"
    )
    assert check(LayerNorm, strict=True).verdicts[0].slugs == ("moments-cancel",)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("layer-norm")
