"""Rows of unusual kinds find what the usual ones do not."""

from pathlib import Path

import pytest

from regard.checker.target import check_file

MINE = """
import torch
from torch import nn

class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight, self.eps, self.dim = nn.Parameter(torch.ones(dim)), eps, dim

    def forward(self, x):
        PLACE
        return x / torch.sqrt((x.square().sum(dim=-1, keepdim=True) + self.eps) / self.dim) * self.weight
"""


def test_a_norm_that_wants_three_samples_raises_and_nothing_else_is_said(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("PLACE", "x[2]"), encoding="utf-8")
    (verdict,) = check_file(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "mistake"
    assert "multiplied" not in verdict.sentence
    assert any("IndexError" in words for f in verdict.findings for words in f.evidence)


ROWS = "(rows * (rows.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight).view(x.shape)"
MEAN = "torch.stack([part.mean(-1) for part in torch.tensor_split(x.square(), 3, -1)]).mean(0)[..., None]"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("return x * torch.rsqrt(x.square().mean(-1, True).clamp(max=1e4) + self.eps) * self.weight", "3000"),
        (
            "return x * ((x != 0).sum(-1, True) / (x.square().sum(-1, True) + self.eps)).sqrt() * self.weight",
            "zeros",
        ),
        (
            f"rows = x.as_strided((x.numel() // self.dim, self.dim), (self.dim, 1)); return {ROWS}",
            "transposed",
        ),
        (f"return x * torch.rsqrt({MEAN} + self.eps) * self.weight", "wider"),
    ],
)
def test_unusual_rows_and_widths_are_normalised_alike(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("PLACE", line), encoding="utf-8")
    (verdict,) = check_file(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "mistake", verdict.sentence
    assert any(told in words for f in verdict.findings for words in f.evidence)


def test_a_view_that_wants_rows_in_order_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        MINE.replace("PLACE", f"rows = x.view(-1, self.dim); return {ROWS}"), encoding="utf-8"
    )
    (verdict,) = check_file(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == "correct", verdict.sentence
