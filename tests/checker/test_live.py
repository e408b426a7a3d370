"""What is in hand, as in a notebook."""

import pytest
from torch import nn

from regard.checker.live import check
from regard.errors import RegardError


class GatedThing(nn.Module):
    def forward(self, x):
        return x


def rms_norm(x, weight, eps=1e-5):
    return x / (x.pow(2).mean(-1, keepdim=True) + eps).sqrt() * weight


def test_a_function_is_known_by_its_name() -> None:
    report = check(rms_norm)
    assert report.code == 0
    assert report.verdicts[0].contract == "rms-norm"
    assert "<b style='color:#1a7f37'>correct</b> rms_norm as rms-norm" in report._repr_html_()
    assert str(report).startswith("correct  rms_norm as rms-norm")


@pytest.mark.slow
def test_a_class_of_torch_is_judged_too() -> None:
    assert check(nn.LayerNorm).code == 0
    assert check(nn.RMSNorm(24)).code == 0


def test_what_looks_like_nothing_is_told() -> None:
    with pytest.raises(RegardError, match="this looks like no contract"):
        check(GatedThing)
