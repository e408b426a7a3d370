"""A norm is called in the layout that it takes, and that its words say."""

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.contracts.norm.layouts import LAYOUTS
from regard.checker.live import check
from regard.checker.report.verdict import Verdict


class Second(nn.Module):
    shape = (-1, 1)

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        var, mean = torch.var_mean(x, dim=1, keepdim=True, correction=0)
        gain, bias = self.weight.view(self.shape), self.bias.view(self.shape)
        return (x - mean) / (var + self.eps).sqrt() * gain + bias


class Told(Second):
    """For sequences as convolutions have them, (batch, channels, length)."""


class Maps(Second):
    """Channels first, pictures."""

    shape = (-1, 1, 1)


class Wrong(Told):
    """For sequences as convolutions have them, (batch, channels, length)."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) - self.bias.view(self.shape)


class Raises(Told):
    """For sequences as convolutions have them, (batch, channels, length)."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - x.mean(1)


def verdict(kind: type, *, strict: bool = False) -> Verdict:
    return check(kind, contract="layer-norm", strict=strict).verdicts[0]


@pytest.mark.parametrize("kind", [Second, Told, Maps])
def test_channels_may_come_second(kind: type) -> None:
    found = verdict(kind)
    assert found.state == "correct", found.sentence
    assert "channels-second" in {f.slug for f in found.findings}


def test_who_asks_for_the_last_axis_hears_of_another_only_where_it_is_said() -> None:
    assert verdict(Told, strict=True).state == "correct"
    assert verdict(Second, strict=True).state == "mistake"


def test_a_mistake_is_named_in_any_layout() -> None:
    assert verdict(Wrong).slugs == ("bias-missing",)


def test_what_raises_in_every_layout_raises() -> None:
    assert verdict(Raises).findings[0].slug == "raises"


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_goes_in_comes_out(name: str) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    into, back = LAYOUTS[name]
    assert np.array_equal(back(into(x)).reshape(x.shape), x)
