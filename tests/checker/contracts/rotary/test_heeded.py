"""Whether a base is heeded, as an argument and in settings."""

from collections.abc import Callable
from pathlib import Path

import pytest

from regard.checker.live import check
from regard.checker.target import check_file

SETTINGS = """
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class Settings:
    dim: int = 8
    base: float = 10000.0

class Rotary(nn.Module):
    def __init__(self, config: Settings):
        super().__init__()
        self.register_buffer("f", BASE ** (-torch.arange(0, config.dim, 2) / config.dim))

    def forward(self, x):
        angle = torch.arange(x.shape[-2])[:, None] * self.f
        a, b = x[..., ::2], x[..., 1::2]
        turned = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())
        return torch.stack(turned, -1).flatten(-2)
"""


def test_a_base_that_is_not_heeded_is_named(style: Callable) -> None:
    turn = style("functions").rope_half

    def rope(x, offset=0, base=10000.0):
        return turn(x, offset)

    assert check(rope, contract="rotary").verdicts[0].slugs == ("base-ignored",)


@pytest.mark.parametrize(("base", "slugs"), [("10000.0", {"base-ignored"}), ("config.base", set())])
def test_a_base_in_settings_is_read(base: str, slugs: set[str], tmp_path: Path) -> None:
    file = tmp_path / "turns.py"
    file.write_text(SETTINGS.replace("BASE", base))
    report = check_file(f"{file}:Rotary", contract="rotary")
    assert {slug for one in report.verdicts for slug in one.slugs} == slugs
